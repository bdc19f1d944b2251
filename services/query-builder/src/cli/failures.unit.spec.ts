import { StoreUnavailableError } from '@platform/mongo';
import { parseArgs } from 'node:util';
import { SourceError } from '../domain/source/parse';
import { UnsupportedError } from '../store/refusals';
import { misuseOf, reasonOf } from './failures';

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('a command that cannot be meant so', () => {
  it('is answered by its own lines of the usage, not by all of them', () => {
    const text = misuseOf('add', 'add takes a page');
    expect(text).toMatch(
      /^add takes a page\n\n {2}add <page> --name N.*\n {6}\[--params JSON\].*\n\n`npm run builder -- help`/,
    );
    expect(text).not.toContain('remove');
    expect(misuseOf('resources', 'x')).toContain('templates | resources');
    expect(misuseOf('dance', 'unknown command: dance')).toBe(
      'unknown command: dance\n\n`npm run builder -- help` says what there is.',
    );
  });

  it('names an unknown option in one sentence', () => {
    const error = thrownBy(() => parseArgs({ args: ['--tennant', 't1'], options: {}, strict: true }));
    const { text, code } = reasonOf(error, 'import');
    expect(text.split('\n')[0]).toBe("Unknown option '--tennant'");
    expect(text).toContain('import <resource>');
    expect(code).toBe(64);
  });
});

describe('a command that fails', () => {
  it.each([
    [new UnsupportedError('the folder does not exist: /x'), /^the folder does not exist: \/x$/],
    [
      new SourceError('resources/a/resource.ts', 3, 'a field has one of the known types'),
      /^resources\/a\/resource\.ts:3: a field/,
    ],
    [new StoreUnavailableError('the store cannot be asked now'), /npm start.*MONGODB_URL/],
  ])('says without a stack what to do: %s', (error, words) => {
    const { text, code } = reasonOf(error, 'import');
    expect(text).toMatch(words);
    expect(text).not.toContain('    at ');
    expect(code).toBe(1);
  });

  it('keeps the stack of an error that nobody expected', () => {
    expect(reasonOf(new TypeError('odd'), 'list').text).toContain('    at ');
  });
});
