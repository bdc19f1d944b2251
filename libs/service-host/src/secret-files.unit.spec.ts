import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSecretFiles } from './secret-files';

describe('secrets by files', () => {
  let folder: string;
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('fills a variable from its file, without the line end that editors add', () => {
    const { environment, problems } = readSecretFiles(['TOKEN', 'OTHER'], {
      TOKEN_FILE: file('token', 'abc \n'),
      OTHER: 'kept',
    });
    expect(environment).toMatchObject({ TOKEN: 'abc ', OTHER: 'kept' });
    expect(problems).toEqual([]);
  });

  it.each(['abc\n\n', 'abc\r\n\r\n', 'abc\n\r\n'])('leaves out every line end at the end of %j', (content) => {
    expect(readSecretFiles(['TOKEN'], { TOKEN_FILE: file('ends', content) }).environment['TOKEN']).toBe('abc');
  });

  it.each([
    ['a file that is not there', () => join(folder, 'missing')],
    ['an empty file', () => file('empty', '\n')],
    ['a file of empty lines', () => file('lines', '\n\r\n\n')],
    ['a file that is too large', () => file('large', 'x'.repeat(65_537))],
  ])('says that %s cannot be used, without its content', (_name, path) => {
    expect(readSecretFiles(['TOKEN'], { TOKEN_FILE: path() }).problems).toEqual([
      { variable: 'TOKEN_FILE', message: 'names no readable file of 1 to 65536 bytes' },
    ]);
  });

  it('refuses both forms at once', () => {
    expect(readSecretFiles(['TOKEN'], { TOKEN: 'a', TOKEN_FILE: file('both', 'b') }).problems).toEqual([
      { variable: 'TOKEN_FILE', message: 'must not be set together with TOKEN' },
    ]);
  });

  it('reads files of declared variables alone', () => {
    expect(readSecretFiles(['TOKEN'], { PATH_FILE: '/etc/hostname' }).environment).toEqual({
      PATH_FILE: '/etc/hostname',
    });
  });
});
