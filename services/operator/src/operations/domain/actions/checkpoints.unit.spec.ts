/** What the first attempt of each action fixes, so that every retry sends the same payload. */
import type { OperationAction } from '@platform/contracts-operator';
import { textOfPhase } from '@platform/payment-provider/effects';
import { actionOf } from '.';
import {
  changing,
  charge,
  contextOf,
  periodEnd,
  phase,
  plans,
  shown,
  type ContextChange,
} from '../../testing/action-fixtures';

type Fixed = readonly [what: string, change: ContextChange, checkpoint: Readonly<Record<string, string>>];

const sub = { subscriptionId: 'sub_acme' };
const cus = { customerId: 'cus_acme' };
const pricedFree = { ...plans.free, priceId: 'price_free' };
const unsubscribed = { workspace: { provider: cus } };
const upgrade = { ...sub, itemId: 'si_acme', priceId: 'price_pro', quantity: '1', fromPlanId: 'starter' };
const later = { ...sub, priceId: 'price_pro', interval: 'month', intervalCount: '1' };
const held = {
  operationId: 'op-upgrade-1',
  invoiceId: 'in_1',
  subscriptionId: 'sub_acme',
  confirmUrl: 'https://pay.test/in_1',
  expiresAt: periodEnd,
};
const checkout = { operationId: 'op-checkout-1', sessionId: 'cs_1' };

const fixed: { readonly [Action in OperationAction]: readonly Fixed[] } = {
  suspend: [
    ['a subscription', {}, sub],
    ['no subscription', unsubscribed, {}],
  ],
  reactivate: [
    ['a subscription', {}, sub],
    ['a paid plan that nothing pays for', unsubscribed, { unpaid: 'price_starter' }],
    ['a granted plan', { workspace: { provider: cus, isComplimentary: true } }, {}],
    ['a granted plan beside a subscription', { workspace: { isComplimentary: true } }, sub],
    ['a plan that costs nothing', { ...unsubscribed, plan: plans.free }, {}],
    ['a plan that costs nothing and has a price', { ...unsubscribed, plan: pricedFree }, {}],
    ['a plan that is not in the catalog', { ...unsubscribed, plan: null }, {}],
  ],
  upgrade_plan: [
    ['a request without a preview', {}, upgrade],
    ['an instant of proration', { charge }, { ...upgrade, prorationDate: '1772400000' }],
    ['a preview without an instant of proration', { charge: { ...charge, prorationDate: null } }, upgrade],
    ['a preview that was not read', { charge: 'unavailable' }, upgrade],
    ['the quantity at the provider', { atProvider: { ...shown, quantity: 3 } }, { ...upgrade, quantity: '3' }],
    ['a quantity that was not read', { atProvider: null }, upgrade],
  ],
  credit_customer: [['the customer and the currency of the plan', {}, { ...cus, currency: 'usd' }]],
  grant_free_access: [
    ['a subscription', {}, sub],
    ['no subscription', unsubscribed, {}],
  ],
  cancel_subscription: [
    ['a subscription', {}, sub],
    ['a subscription that a schedule manages', { atProvider: changing }, { ...sub, scheduleId: 'sched_acme' }],
    ['a subscription that was not read', { atProvider: null }, sub],
  ],
  change_plan_later: [
    ['a subscription', {}, later],
    [
      'a subscription that a schedule manages',
      { atProvider: changing },
      { ...later, scheduleId: 'sched_acme', runningPhase: textOfPhase(phase('price_starter')) },
    ],
    [
      'a schedule without a phase',
      { atProvider: { ...shown, scheduleId: 'sched_1' } },
      { ...later, scheduleId: 'sched_1' },
    ],
    [
      'a price for every third week',
      {
        targetPrice: {
          id: 'price_pro',
          unitAmount: 1,
          currency: 'usd',
          interval: 'week',
          intervalCount: 3,
          active: true,
        },
      },
      { ...later, interval: 'week', intervalCount: '3' },
    ],
    ['a provider that was not asked', { atProvider: null }, later],
  ],
  drop_pending_change: [['the schedule', { atProvider: changing }, { scheduleId: 'sched_acme' }]],
  checkout: [
    ['the price and the customer', {}, { priceId: 'price_pro', ...cus }],
    ['the price alone, where there is no customer', { workspace: { provider: {} } }, { priceId: 'price_pro' }],
  ],
  expire_checkout: [
    ['the session and the customer', { workspace: { checkout } }, { sessionId: 'cs_1', ...cus }],
    ['the session alone, where there is no customer', { workspace: { checkout, provider: {} } }, { sessionId: 'cs_1' }],
  ],
  delete_workspace: [
    ['a subscription', {}, sub],
    ['a subscription that has ended', { workspace: { status: 'cancelled' } }, {}],
    ['no subscription', unsubscribed, {}],
  ],
  end_free_access: [
    ['a plan with a price', {}, { then: 'cancelled' }],
    ['a plan that costs nothing', { plan: plans.free }, { then: 'active' }],
    ['a plan that costs nothing and has a price', { plan: pricedFree }, { then: 'active' }],
    ['a plan that is not in the catalog', { plan: null }, { then: 'cancelled' }],
  ],
  record_subscription_end: [['a subscription', {}, sub]],
  record_plan_change: [['the plan before the change', {}, { fromPlanId: 'starter' }]],
  give_up_upgrade: [['the invoice', { held }, { invoiceId: 'in_1', ...sub, upgradeId: 'op-upgrade-1' }]],
  keep_subscription: [['a subscription', {}, sub]],
};

describe.each(Object.entries(fixed) as [OperationAction, readonly Fixed[]][])('%s', (action, rows) => {
  it.each(rows)('fixes %s', (_what, change, checkpoint) => {
    expect(actionOf(action).checkpoint(contextOf(change))).toStrictEqual(checkpoint);
  });
});

describe('a checkpoint', () => {
  it.each<[OperationAction, string, ContextChange, RegExp]>([
    ['upgrade_plan', 'no plan', { target: null }, /^workspace acme cannot be upgraded$/],
    ['upgrade_plan', 'no price', { target: plans.free }, /^workspace acme cannot be upgraded$/],
    ['upgrade_plan', 'no item', { workspace: { provider: sub } }, /^workspace acme cannot be upgraded$/],
    [
      'upgrade_plan',
      'no subscription',
      { workspace: { provider: { itemId: 'i' } } },
      /^workspace acme cannot be upgraded$/,
    ],
    ['credit_customer', 'no customer', { workspace: { provider: {} } }, /^workspace acme has no provider customer$/],
    ['credit_customer', 'no currency', { plan: null }, /^plan starter is not in the catalog$/],
    ['change_plan_later', 'no price', { targetPrice: null }, /^the price of plan pro was not read$/],
    ['change_plan_later', 'an unread price', { targetPrice: 'unavailable' }, /^the price of plan pro was not read$/],
    ['change_plan_later', 'a missing price', { targetPrice: 'missing' }, /^the price of plan pro was not read$/],
    ['expire_checkout', 'no session', {}, /^an open checkout has a session$/],
    ['give_up_upgrade', 'no payment', { held: null }, /^an upgrade waits for its payment$/],
  ])('of %s is never made with %s', (action, _what, change, message) => {
    expect(() => actionOf(action).checkpoint(contextOf(change))).toThrow(message);
  });
});

describe('the charge that an upgrade previews', () => {
  const charges = (change: ContextChange) => actionOf('upgrade_plan').charges?.(contextOf(change));

  it('is of the item at the new price, in the quantity that the provider shows', () => {
    expect(charges({ atProvider: { ...shown, quantity: 3 } })).toEqual({
      ...sub,
      itemId: 'si_acme',
      priceId: 'price_pro',
      quantity: 3,
    });
  });

  it.each<[string, ContextChange]>([
    ['no subscription', { workspace: { provider: { itemId: 'si_acme' } } }],
    ['no item', { workspace: { provider: sub } }],
    ['no plan', { target: null }],
    ['no price', { target: plans.free }],
    ['no quantity', { atProvider: null }],
    ['a provider that does not answer', { atProvider: 'unavailable' }],
  ])('is nothing with %s', (_what, change) => {
    expect(charges(change)).toBeNull();
  });
});

describe('the answer of a created schedule', () => {
  const fixes = actionOf('change_plan_later').fixes!;
  const created = { step: 'create_schedule', objectId: 'sched_1', runningPhase: phase('price_starter') } as const;
  const { objectId: _id, ...unnamed } = created;
  const { runningPhase: _phase, ...empty } = created;

  it('is fixed with its running phase, so that a retry goes on from there', () => {
    expect(fixes(created)).toEqual({ scheduleId: 'sched_1', runningPhase: textOfPhase(phase('price_starter')) });
  });

  it.each([
    ['an answer of another step', { ...created, step: 'schedule_price' as const }],
    ['an answer without the schedule', unnamed],
    ['a schedule without a running phase', empty],
  ])('fixes nothing for %s', (_what, answer) => {
    expect(fixes(answer)).toBeUndefined();
  });
});
