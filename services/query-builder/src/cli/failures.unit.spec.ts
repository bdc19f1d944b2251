import { QueryTooSlowError, StoreUnavailableError } from '@platform/mongo';
import { SourceError } from '../domain/source/parse';
import { UnsupportedError } from '../store/refusals';
import { documentOf, reasonOf } from './failures';

describe('a command that fails', () => {
  it.each([
    [new UnsupportedError('the folder does not exist: /x'), /^the folder does not exist: \/x$/],
    [
      new SourceError('resources/a/resource.ts', 3, 'a field has one of the known types'),
      /^resources\/a\/resource\.ts:3: a field/,
    ],
    [new QueryTooSlowError(10_000), /10000 ms\n.*indexes --dry-run/],
    [new StoreUnavailableError('the store cannot be asked now'), /npm start.*MONGODB_URL/],
  ])('says without a stack what to do: %s', (error, words) => {
    const { text, code } = reasonOf(error);
    expect(text).toMatch(words);
    expect(text).not.toContain('    at ');
    expect(code).toBe(1);
  });

  it('keeps the stack of an error that was not expected', () => {
    expect(reasonOf(new TypeError('odd')).text).toContain('    at ');
  });
});

describe('a command for programs that fails', () => {
  it.each([
    [new StoreUnavailableError('the store cannot be asked now'), { code: 'store_unavailable' }],
    [new QueryTooSlowError(10_000), { code: 'query_too_slow' }],
    [new UnsupportedError('the folder does not exist: /x'), { code: 'unsupported' }],
    [new TypeError('odd'), { code: 'internal_error' }],
  ])('is a refusal with its code and its message: %s', (error, failure) => {
    expect(documentOf(error)).toEqual({ ok: false, error: { ...failure, detail: error.message } });
  });

  it('of a source has its place', () => {
    const error = new SourceError('resources/a/resource.ts', 3, 'a field has one of the known types');
    const place = { file: 'resources/a/resource.ts', line: 3, message: 'a field has one of the known types' };
    expect(documentOf(error)).toEqual({ ok: false, error: { code: 'source_error', ...place } });
  });
});
