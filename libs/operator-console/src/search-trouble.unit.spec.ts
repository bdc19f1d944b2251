import type { SearchAnswer } from '@platform/contracts-operator';
import { troubleOf } from './search-trouble';

const answered = (...unavailable: string[]) =>
  ({ kind: 'answered', status: 200, body: { matches: [], unavailable } satisfies SearchAnswer }) as const;
const silent = { kind: 'no_answer', reason: 'timeout' } as const;

describe('a search', () => {
  it('has no trouble when everything was searched', () => {
    expect([troubleOf(answered(), answered()), troubleOf(null, answered())]).toEqual(['', '']);
  });

  it('names the owners that could not be asked, so that no match is not taken for none', () => {
    expect(troubleOf(answered('provisioning', 'billing-webhook'), answered())).toBe(
      'no answer from provisioning, billing-webhook',
    );
  });

  it('names the parts that failed', () => {
    expect(troubleOf(silent, silent)).toBe('No answer; No answer');
  });
});
