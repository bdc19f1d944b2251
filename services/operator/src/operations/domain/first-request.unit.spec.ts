/** The rules of a first request: what only just keeps them, and what breaks them. */
import { operationActions, type OperationAction } from '@platform/contracts-operator';
import { firstRefusal } from './first-request';
import type { OperationValues } from './operation';

const now = new Date('2026-03-01T00:00:00.000Z');
const refusal = (action: OperationAction, values: OperationValues, creditCents = 1_000) =>
  firstRefusal({ action, tenantId: 'acme', values }, { creditCents }, now);

const tooLarge = {
  code: 'credit_too_large',
  errors: [{ pointer: '/amountCents', message: 'must be at most 1000' }],
};
const notLater = { code: 'invalid_request', errors: [{ pointer: '/freeUntil', message: 'must be in the future' }] };
const notConfirmed = {
  code: 'invalid_request',
  errors: [{ pointer: '/confirm', message: 'must be the id of the workspace in the address' }],
};

describe('a first request', () => {
  it.each<[OperationAction, string, OperationValues, object | null]>([
    ['credit_customer', 'of the limit', { amountCents: 1_000 }, null],
    ['credit_customer', 'of one cent more', { amountCents: 1_001 }, tooLarge],
    ['credit_customer', 'without a number', { amountCents: '5000' }, null],
    ['grant_free_access', 'that ends a millisecond later', { freeUntil: '2026-03-01T00:00:00.001Z' }, null],
    ['grant_free_access', 'that ends now', { freeUntil: '2026-03-01T00:00:00.000Z' }, notLater],
    ['grant_free_access', 'that ends now in another notation', { freeUntil: '2026-03-01T01:00:00+01:00' }, notLater],
    ['grant_free_access', 'that ended before', { freeUntil: '2020-01-01T00:00:00Z' }, notLater],
    ['grant_free_access', 'without an end', { planId: 'pro' }, null],
    ['grant_free_access', 'with a number for its end', { freeUntil: 0 }, null],
    ['delete_workspace', 'that names the workspace', { confirm: 'acme' }, null],
    ['delete_workspace', 'that names another one', { confirm: 'globex' }, notConfirmed],
    ['delete_workspace', 'that names none', {}, notConfirmed],
  ])('%s %s', (action, _what, values, refused) => {
    expect(refusal(action, values)).toEqual(refused);
  });

  it('is judged by the limit of this platform', () => {
    expect(refusal('credit_customer', { amountCents: 1_001 }, 1_001)).toBeNull();
    expect(refusal('credit_customer', { amountCents: 1_002 }, 1_001)?.errors).toEqual([
      { pointer: '/amountCents', message: 'must be at most 1001' },
    ]);
  });

  it('names the limit as people write it in the currency of the workspace', () => {
    const message = (currency: string) =>
      firstRefusal(
        { action: 'credit_customer', tenantId: 'acme', values: { amountCents: 1_001 } },
        { creditCents: 1_000 },
        now,
        currency,
      )?.errors[0]?.message;
    expect(['usd', 'jpy'].map(message)).toEqual(['must be at most 10.00 USD', 'must be at most 1,000 JPY']);
  });

  it('of every other action has no such rule', () => {
    const ruled: readonly OperationAction[] = ['credit_customer', 'grant_free_access', 'delete_workspace'];
    for (const action of operationActions.filter((each) => !ruled.includes(each)))
      expect([action, refusal(action, {})]).toEqual([action, null]);
  });
});
