import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRevokedTokens } from './revoked-tokens';

describe('the list of revoked tokens', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'revoked-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('names ids and subjects, and is read again when it changes', () => {
    const file = join(folder, 'list');
    let now = 0;
    writeFileSync(file, '# left the company\n  t-1\nsub:u-2\n');
    const revoked = openRevokedTokens(file, () => now);
    expect(revoked({ id: 't-1', subject: 'u-1' })).toBe(true);
    expect(revoked({ id: 't-2', subject: 'u-2' })).toBe(true);
    expect(revoked({ id: 't-3', subject: 'u-1' })).toBe(false);
    writeFileSync(file, 't-1\nt-3 \n');
    now += 2_000;
    expect(revoked({ id: 't-3', subject: 'u-1' })).toBe(true);
    expect(revoked({ id: 't-2', subject: 'u-2' })).toBe(false);
  });

  it('keeps what it revoked when the file vanishes, and is needed at the start', () => {
    const file = join(folder, 'vanishing');
    let now = 0;
    expect(() => openRevokedTokens(file)).toThrow('ENOENT');
    writeFileSync(file, 't-1');
    const revoked = openRevokedTokens(file, () => now);
    rmSync(file);
    now += 5_000;
    expect(revoked({ id: 't-1', subject: 'u-1' })).toBe(true);
  });

  it.each([
    ['a comment behind it', 't-1 # the laptop that was lost\nsub:u-2\t# left on Friday'],
    ['a space after sub:', 't-1\nsub: u-2'],
    ['the line ends of another system', 't-1\r\nsub:u-2\r\n'],
  ])('takes a line with %s', (_name, text) => {
    const file = join(folder, 'hurried');
    writeFileSync(file, text);
    const revoked = openRevokedTokens(file);
    expect(revoked({ id: 't-1', subject: 'u-1' })).toBe(true);
    expect(revoked({ id: 't-9', subject: 'u-2' })).toBe(true);
    expect(revoked({ id: 't-9', subject: 'u-9' })).toBe(false);
  });

  it('takes a subject that holds the sign of a comment', () => {
    const file = join(folder, 'signs');
    writeFileSync(file, 'sub:team#1 #2');
    expect(openRevokedTokens(file)({ id: 't-1', subject: 'team#1 #2' })).toBe(true);
  });

  it('keeps what it revoked while the file is there and cannot be read', () => {
    const file = join(folder, 'unreadable');
    let now = 0;
    writeFileSync(file, 't-1');
    const revoked = openRevokedTokens(file, () => now);
    rmSync(file);
    mkdirSync(file);
    now += 2_000;
    expect(revoked({ id: 't-1', subject: 'u-1' })).toBe(true);
    rmSync(file, { recursive: true });
    writeFileSync(file, 't-2');
    now += 2_000;
    expect(revoked({ id: 't-2', subject: 'u-1' })).toBe(true);
  });
});
