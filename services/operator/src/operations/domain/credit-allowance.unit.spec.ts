/** What one person has credited on a day, and which parts of it are free again. */
import { attempt, at, inStatus, running } from '../testing/action-fixtures';
import { allowanceId, isGivenBack, spentOf, type CreditPart } from './credit-allowance';
import type { Attempt, Operation, Resolution } from './operation';

const part = (operationId: string, amountCents: number, number = 1): CreditPart => ({
  operationId,
  attempt: number,
  amountCents,
});

describe('the sum of a day', () => {
  const parts = [part('op-1', 100), part('op-2', 20), part('op-3', 3)];

  it('is that of all parts, or of all but those of one operation', () => {
    expect(spentOf([])).toBe(0);
    expect(spentOf(parts)).toBe(123);
    expect(spentOf(parts, 'op-2')).toBe(103);
    expect(spentOf([...parts, part('op-2', 5)], 'op-2')).toBe(103);
    expect(spentOf(parts, 'op-4')).toBe(123);
  });

  it('has one record per day, currency and person', () => {
    expect(allowanceId('sue', '2026-03-01', 'usd')).toBe('2026-03-01:usd:sue');
  });
});

describe('a part', () => {
  const credit = (attempts: Attempt[], outcome?: Resolution['outcome']): Operation => {
    const operation = running('credit_customer', { attempts });
    const ended = { executorStopped: 'gone', providerObject: null, by: 'ops@example.com', at };
    const error = { code: 'outcome_unknown', message: '' };
    return inStatus(operation, 'failed', { error, ...(outcome && { resolution: { ...ended, outcome } }) });
  };
  /** Undefined: the process ended before it knew. A credit that succeeded is never resolved. */
  const outcomes = ['failed', 'unknown', undefined] as const;
  const ended = (outcome: Attempt['outcome']) => attempt(outcome && { outcome });

  it('is kept while there is no record of its credit', () => {
    expect(isGivenBack(part('op-1', 100), null)).toBe(false);
  });

  it.each([
    ['no resolution', undefined, [true, false, false]],
    ['a resolution as not applied', 'not_applied', [true, true, true]],
    ['a resolution as applied', 'applied', [true, false, false]],
  ] as const)('is free when its attempt had no effect: %s', (_what, resolution, free) => {
    expect(outcomes.map((outcome) => isGivenBack(part('op-1', 100), credit([ended(outcome)], resolution)))).toEqual(
      free,
    );
  });

  it('is kept when its credit succeeded', () => {
    expect(isGivenBack(part('op-1', 100), credit([ended('succeeded')]))).toBe(false);
  });

  it('is judged by its own attempt', () => {
    const twice = credit([ended('failed'), ended('succeeded')]);
    expect([1, 2, 3].map((number) => isGivenBack(part('op-1', 100, number), twice))).toEqual([true, false, false]);
  });
});
