import { QueryTooSlowError, StoreUnavailableError } from '@platform/mongo';
import { SourceError } from '../domain/source/parse';
import { UnsupportedError } from '../store/refusals';
import { reasonOf } from './failures';

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

  it('keeps the stack of an error that nobody expected', () => {
    expect(reasonOf(new TypeError('odd')).text).toContain('    at ');
  });
});
