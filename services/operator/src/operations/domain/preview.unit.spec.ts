/** What a preview says about an action, in words and amounts, and which changes make its digest another one. */
import type { OperationAction } from '@platform/contracts-operator';
import { actionOf } from './actions';
import { amountsOf, chargeInWords, chargeOf, consequencesOf, previewDigestOf, prorationDateIn } from './preview';
import { changing, charge, contextOf, periodEnd, plans, shown, type ContextChange } from '../testing/action-fixtures';
import type { OperationRequest } from './operation';

const request = { tenantId: 'acme', action: 'upgrade_plan', values: { planId: 'pro' } } as const;
const digest = (change: ContextChange, asked: Partial<OperationRequest> = {}) =>
  previewDigestOf({ ...request, ...asked }, contextOf(change));

describe('the digest of a preview', () => {
  it('is the same for what was judged and shown alike', () => {
    expect(digest({})).toMatch(/^[0-9a-f]{64}$/);
    expect(digest({ workspace: { workspaceName: 'renamed without a write' }, held: undefined })).toBe(digest({}));
    expect(digest({ plan: { ...plans.starter, name: 'without a write' } })).toBe(digest({}));
  });

  it('differs with everything that a person could have decided otherwise', () => {
    const others = [
      digest({}),
      digest({}, { tenantId: 'globex' }),
      digest({}, { action: 'change_plan_later' }),
      digest({}, { values: {} }),
      digest({ workspace: { revision: 'r2' } }),
      digest({ plan: null }),
      digest({ plan: { ...plans.starter, _id: 'other' } }),
      digest({ plan: { ...plans.starter, revision: 'r2' } }),
      digest({ target: null }),
      digest({ target: { ...plans.pro, _id: 'other' } }),
      digest({ target: { ...plans.pro, revision: 'r2' } }),
      digest({ atProvider: changing }),
      digest({ targetPrice: 'missing' }),
      digest({ charge }),
      digest({ charge: { ...charge, amountDue: 1 } }),
    ];
    expect(new Set(others).size).toBe(others.length);
  });

  it('ends with the instant of the proration where the provider would invoice', () => {
    expect(digest({ charge })).toMatch(/^[0-9a-f]{64}\.1772400000$/);
    expect(digest({ charge: { ...charge, prorationDate: 0 } })).toMatch(/\.0$/);
    expect(digest({ charge: { ...charge, prorationDate: null } })).toMatch(/^[0-9a-f]{64}$/);
    expect(digest({ charge: { ...charge, prorationDate: null } })).not.toBe(digest({}));
    expect(digest({ charge: 'unavailable' })).toBe(digest({}));
  });

  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['abc', undefined],
    ['abc.1772400000', 1_772_400_000],
    ['abc.0', 0],
  ])('of the text %p names the instant %p', (text, instant) => {
    expect(prorationDateIn(text)).toBe(instant);
  });
});

describe('the consequences of an action', () => {
  const first = (action: OperationAction, change: ContextChange) =>
    consequencesOf(actionOf(action), contextOf(change))[0];

  it.each<[OperationAction, string, ContextChange]>([
    ['upgrade_plan', 'Changes the plan from starter (19.00 USD a month) to pro (49.00 USD a month) now.', {}],
    [
      'upgrade_plan',
      'Changes the plan from starter (not in the catalog) to pro (not in the catalog) now.',
      { plan: null, target: null },
    ],
    [
      'credit_customer',
      "Adds 5.00 USD to the customer's balance at the provider, once.",
      { values: { amountCents: 500, reason: 'outage' } },
    ],
    [
      'credit_customer',
      "Adds 500 JPY to the customer's balance at the provider, once.",
      { values: { amountCents: 500, reason: 'outage' }, plan: { ...plans.starter, currency: 'jpy' } },
    ],
    [
      'credit_customer',
      "Adds 500 minor units of a currency that is not known to the customer's balance at the provider, once.",
      { values: { amountCents: 500, reason: 'outage' }, plan: null },
    ],
    [
      'grant_free_access',
      'Ends the running subscription at the provider now; what it costs is not collected any more: an unknown price.',
      { plan: null },
    ],
    [
      'grant_free_access',
      'Ends the running subscription at the provider now; what it costs is not collected any more: 57.00 USD a month.',
      { workspace: { provider: { subscriptionId: 'sub_acme', itemId: 'si_acme', quantity: 3 } }, atProvider: null },
    ],
    [
      'grant_free_access',
      'Ends nothing at the provider: no subscription runs there.',
      { workspace: { provider: { customerId: 'cus_acme' } } },
    ],
    [
      'grant_free_access',
      'Ends nothing at the provider: no subscription runs there.',
      { workspace: { status: 'cancelled' } },
    ],
    ['suspend', 'Closes access to Acme at once.', {}],
  ])('of %s begin: %s', (action, sentence, change) => {
    expect(first(action, change)).toBe(sentence);
  });

  it('write an instant in UTC, to the minute, and leave out a value that was not given', () => {
    const grant = (values: ContextChange['values'] = {}) =>
      consequencesOf(actionOf('grant_free_access'), contextOf({ values }))[1];
    expect(grant({ planId: 'pro', freeUntil: '2026-04-01T01:30:59.999+02:00' })).toBe(
      'Makes Acme complimentary on pro (49.00 USD a month) until 2026-03-31 23:30 UTC.',
    );
    expect(grant({ planId: 'pro' })).toBe('Makes Acme complimentary on pro (49.00 USD a month), without an end.');
  });

  it('of a suspension and of its end say what becomes of a pause that a person set at the provider', () => {
    const all = (action: OperationAction) => consequencesOf(actionOf(action), contextOf({})).join(' ');
    expect(all('suspend')).toContain('A pause that was set there by hand is replaced');
    expect(all('reactivate')).toContain('also where it was paused by hand');
  });

  it('give texts, addresses and confirmations as they are', () => {
    const told: Readonly<Record<string, string>>[] = [];
    const values = { successUrl: 'https://app.test/done', reason: 'outage', confirm: 'acme', unknown: 'x' };
    for (const action of ['checkout', 'delete_workspace'] as const)
      consequencesOf(
        { ...actionOf(action), consequences: ({ values: words }) => (told.push(words), []) },
        contextOf({ values }),
      );
    expect(told).toEqual([{ successUrl: 'https://app.test/done' }, { reason: 'outage', confirm: 'acme' }]);
  });
});

describe('the amounts of an action', () => {
  const planNow = { amountCents: 1_900, currency: 'usd' };
  const planThen = { amountCents: 4_900, currency: 'usd' };
  const values = { amountCents: 500, reason: 'outage' };

  it.each<[string, OperationAction, ContextChange, object]>([
    ['both plans', 'upgrade_plan', {}, { planNow, planThen }],
    ['the plan of the workspace', 'upgrade_plan', { target: null }, { planNow }],
    ['the plan that is asked for', 'upgrade_plan', { plan: null }, { planThen }],
    ['no plan', 'suspend', { plan: null, target: null }, {}],
    [
      'a credit in the currency of the plan',
      'credit_customer',
      { values, target: null },
      { planNow, credit: { amountCents: 500, currency: 'usd' } },
    ],
    ['no credit in a currency that is not known', 'credit_customer', { values, plan: null, target: null }, {}],
    ['no credit without an amount', 'credit_customer', { values: { amountCents: '500' }, target: null }, { planNow }],
    ['no credit of another action', 'suspend', { values, target: null }, { planNow }],
  ])('are %s', (_what, action, change, amounts) => {
    expect(amountsOf(actionOf(action), contextOf(change))).toStrictEqual(amounts);
  });

  it('have the credit wherever the amount is among the values', () => {
    const { values: fields, ...action } = actionOf('credit_customer');
    const { amountCents, reason } = fields;
    const reordered = { ...action, values: { reason: reason!, amountCents: amountCents! } };
    const credit = { amountCents: 500, currency: 'usd' };
    for (const first of ['outage', 7])
      expect(amountsOf(reordered, contextOf({ values: { reason: first, amountCents: 500 } }))).toMatchObject({
        credit,
      });
  });

  it('of an invoice separate the tax and what the balance pays', () => {
    const amounts = {
      currency: 'usd',
      prorationCents: 3_000,
      taxCents: 600,
      totalCents: 3_600,
      fromBalanceCents: 500,
      dueCents: 3_100,
    };
    const nextInvoice = { amountCents: 4_900, currency: 'usd' };
    expect(chargeOf(charge, contextOf({ workspace: { currentPeriodEnd: periodEnd } }))).toStrictEqual({
      ...amounts,
      nextInvoice,
      nextInvoiceAt: '2026-04-01T00:00:00.000Z',
    });
    expect(chargeOf(charge, contextOf({ target: null }))).toStrictEqual(amounts);
  });

  it('have no next invoice beside other items, whose prices the catalog does not have', () => {
    expect(chargeOf(charge, contextOf({ atProvider: { ...shown, sellsMore: true } }))).not.toHaveProperty(
      'nextInvoice',
    );
  });

  it.each([
    [3, 14_700],
    [0, 0],
  ])('of %i units have a next invoice of as many', (quantity, amountCents) => {
    expect(chargeOf(charge, contextOf({ atProvider: { ...shown, quantity } })).nextInvoice).toStrictEqual({
      amountCents,
      currency: 'usd',
    });
  });

  it.each([
    [
      'with what the balance pays',
      charge,
      'The provider would invoice 36.00 USD now, take 5.00 USD from the balance and charge 31.00 USD.',
    ],
    [
      'without a balance',
      { ...charge, startingBalance: 0, amountDue: 3_600 },
      'The provider would invoice 36.00 USD now and charge 36.00 USD.',
    ],
    [
      'that credits more than it charges',
      { ...charge, total: -2_000, startingBalance: -500, endingBalance: -2_500, amountDue: 0 },
      'The provider would invoice -20.00 USD now, credit 20.00 USD to the balance and charge 0.00 USD.',
    ],
    [
      'with a debt of the balance',
      { ...charge, startingBalance: 1_500, endingBalance: 0, amountDue: 5_100 },
      'The provider would invoice 36.00 USD now, add 15.00 USD that the balance owes and charge 51.00 USD.',
    ],
    [
      'in a currency without decimals',
      { ...charge, currency: 'jpy' },
      'The provider would invoice 3,600 JPY now, take 500 JPY from the balance and charge 3,100 JPY.',
    ],
    [
      'of one cent from the balance',
      { ...charge, startingBalance: -1 },
      'The provider would invoice 36.00 USD now, take 0.01 USD from the balance and charge 31.00 USD.',
    ],
    ['that the provider did not say', null, 'The payment provider did not say what it would charge now.'],
  ])('of an invoice %s are a sentence', (_what, invoice, sentence) => {
    expect(chargeInWords(invoice)).toBe(sentence);
  });
});
