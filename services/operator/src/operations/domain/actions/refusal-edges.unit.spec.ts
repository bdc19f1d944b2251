/** The edges of each refusal: what only just refuses, what no longer does, and what the answer says besides the code. */
import type { OperationAction, Refusal } from '@platform/contracts-operator';
import { actionOf } from '.';
import {
  at,
  changing,
  contextOf,
  pendingPlan,
  periodEnd,
  phase,
  plans,
  shown,
  type ContextChange,
} from '../../testing/action-fixtures';

type Edge = readonly [what: string, change: ContextChange, refusal: Refusal['code'] | Refusal | null];

const suspended = { code: 'already_suspended', detail: 'A suspended workspace is reactivated first.' } as const;
const { priceId: _none, ...unpriced } = plans.pro;
const { billedEvery: _unsaid, ...unsaid } = plans.pro;
const aYear = (amountCents: number) =>
  ({ ...plans.pro, amountCents, billedEvery: { interval: 'year', count: 1 } }) as const;
const dearYear = { ...aYear(49_000), priceId: 'price_starter' };
const ended = { ...shown, status: 'canceled' };
const neverPaid = { ...shown, status: 'incomplete_expired' };
const own = { ...shown, priceId: 'price_own' };
const agreed = { workspace: { unlistedPriceId: 'price_own' } } as const;
const anotherPrice = {
  code: 'not_an_upgrade',
  detail: 'The workspace pays another price than that of its plan, so it is not known that this one is higher.',
} as const;
const toLegacy = { ...pendingPlan, planId: 'legacy' };
const freeUntil = periodEnd;
const granted = { isComplimentary: true, freeUntil };
const open = {
  transition: { operationId: 'op-checkout-1', kind: 'checkout', requestedAt: at },
  checkout: { operationId: 'op-checkout-1', sessionId: 'cs_1' },
} as const;

const edges: { readonly [Action in OperationAction]?: readonly Edge[] } = {
  upgrade_plan: [
    ['the plan is not in the catalog', { target: null }, 'plan_not_available'],
    ['a plan with an amount has no price at the provider', { target: unpriced }, 'plan_not_available'],
    ['the plan costs nothing', { target: plans.free }, 'not_an_upgrade'],
    ['the subscription has no item', { workspace: { provider: { subscriptionId: 's' } } }, 'no_provider_subscription'],
    ['the mirror lacks the subscription', { workspace: { provider: { itemId: 'i' } } }, 'no_provider_subscription'],
    ['the subscription is cancelled', { workspace: { status: 'cancelled' } }, 'subscription_ending'],
    ['the provider shows that it has ended', { atProvider: ended }, 'subscription_ending'],
    ['the provider shows that it was never paid', { atProvider: neverPaid }, 'subscription_ending'],
    ['the provider shows a status that is not known', { atProvider: { ...shown, status: 'new' } }, null],
    ['the provider has a schedule without a change', { atProvider: { ...changing, upcoming: null } }, null],
    ['only the mirror has a pending change', { workspace: { pendingPlan } }, null],
    [
      'the mirror has a pending change and the provider does not answer',
      { workspace: { pendingPlan }, atProvider: 'unavailable' },
      'plan_change_pending',
    ],
    [
      'the mirror has a pending change, without a look at the provider',
      { workspace: { pendingPlan }, atProvider: null },
      'plan_change_pending',
    ],
    ['the plan of the workspace is not in the catalog', { plan: null }, 'not_an_upgrade'],
    ['the plan of the workspace costs nothing', { plan: plans.free }, 'not_an_upgrade'],
    ['the currencies differ', { target: { ...plans.pro, currency: 'eur' } }, 'not_an_upgrade'],
    ['the prices are equal', { target: { ...plans.pro, amountCents: 1_900 } }, 'not_an_upgrade'],
    ['the plan costs one cent less', { target: { ...plans.pro, amountCents: 1_899 } }, 'not_an_upgrade'],
    ['the plan costs one cent more', { target: { ...plans.pro, amountCents: 1_901 } }, null],
    ['the plan costs more a year and less a month', { target: aYear(19_000) }, 'not_an_upgrade'],
    ['the plan costs the same over time, paid each year', { target: aYear(22_800) }, 'not_an_upgrade'],
    ['the plan costs one cent more over time, paid each year', { target: aYear(22_801) }, null],
    ['the plan costs more over time and less each time', { plan: dearYear, target: plans.pro }, null],
    ['the plan is paid as often as is not known', { target: { ...unsaid, amountCents: 1_901 } }, null],
    ['access is closed by an unpaid subscription', { workspace: { status: 'pending_payment' } }, null],
    ['its price is none of the catalog', { ...agreed, atProvider: own }, anotherPrice],
    ['its price is none of the catalog, without a look at the provider', { ...agreed, atProvider: null }, anotherPrice],
    ['its price was none of the catalog, and is that of its plan by now', agreed, null],
    ['only the provider has another price than its plan', { atProvider: own }, anotherPrice],
  ],
  change_plan_later: [
    ['the plan is not offered', { target: plans.legacy }, 'plan_not_available'],
    ['the plan costs nothing', { target: plans.free }, 'plan_not_available'],
    [
      'the plan is in another currency',
      { target: { ...plans.pro, currency: 'eur' } },
      { code: 'plan_not_available', detail: 'The plan is in eur, that of the workspace in usd.' },
    ],
    ['the plan of the workspace is not in the catalog', { plan: null }, null],
    [
      'the provider does not know the price',
      { targetPrice: 'missing' },
      { code: 'plan_not_available', detail: 'The payment provider has no recurring price price_pro.' },
    ],
    ['the subscription is cancelled', { workspace: { status: 'cancelled' } }, 'already_cancelled'],
    ['the provider shows that it has ended', { atProvider: ended }, 'already_cancelled'],
    ['only the subscription cannot be read', { atProvider: 'unavailable' }, 'provider_unavailable'],
    ['the plan is in force', { workspace: { planId: 'pro' } }, { code: 'plan_already_applied' }],
    [
      'the plan is in force, without a look at the provider',
      { workspace: { planId: 'pro' }, atProvider: null },
      { code: 'plan_already_applied' },
    ],
    [
      'the plan is in force and the provider has a pending change',
      { workspace: { planId: 'pro' }, atProvider: changing },
      {
        code: 'plan_already_applied',
        detail: 'The workspace is on this plan. To keep it, drop the change that is pending.',
      },
    ],
    [
      'the plan is in force and only the mirror has a pending change',
      { workspace: { planId: 'pro', pendingPlan: toLegacy } },
      { code: 'plan_already_applied' },
    ],
    [
      'the plan is in force and the mirror, without a look at the provider, has a pending change',
      { workspace: { planId: 'pro', pendingPlan: toLegacy }, atProvider: null },
      {
        code: 'plan_already_applied',
        detail: 'The workspace is on this plan. To keep it, drop the change that is pending.',
      },
    ],
    [
      'the change to this plan is pending',
      { workspace: { pendingPlan }, atProvider: changing },
      { code: 'plan_already_applied' },
    ],
    [
      'the change to this plan is pending in the mirror, without a look at the provider',
      { workspace: { pendingPlan }, atProvider: null },
      { code: 'plan_already_applied' },
    ],
    ['the provider has dropped the change to this plan', { workspace: { pendingPlan } }, null],
    ['the change to another plan is pending', { workspace: { pendingPlan: toLegacy }, atProvider: changing }, null],
    ['only the provider has a pending change', { atProvider: changing }, null],
  ],
  credit_customer: [
    [
      'the plan of the workspace is not in the catalog',
      { plan: null },
      {
        code: 'plan_not_available',
        detail: 'Plan starter of this workspace is not in the catalog, so the currency of a credit is not known.',
      },
    ],
  ],
  grant_free_access: [
    ['the plan is not in the catalog', { target: null }, 'plan_not_available'],
    ['the workspace is suspended', { workspace: { status: 'suspended' } }, suspended],
    [
      'the grant of this plan has no end, like the present one',
      { workspace: { planId: 'pro', isComplimentary: true } },
      'plan_already_applied',
    ],
    ['the plan is the same and it is paid for', { workspace: { planId: 'pro' } }, null],
    ['another plan was granted', { workspace: { isComplimentary: true } }, null],
    [
      'the same end is written in another way',
      { workspace: { planId: 'pro', ...granted }, values: { freeUntil: '2026-04-01T02:00:00+02:00' } },
      'plan_already_applied',
    ],
    [
      'the grant ends a millisecond later',
      { workspace: { planId: 'pro', ...granted }, values: { freeUntil: '2026-04-01T00:00:00.001Z' } },
      null,
    ],
    ['the grant has no end and the present one has', { workspace: { planId: 'pro', ...granted } }, null],
  ],
  keep_subscription: [
    ['only the mirror, which may be late, has an end', { workspace: { cancelsAt: periodEnd } }, 'no_pending_end'],
    ['only the provider has an end', { atProvider: { ...shown, ending: true } }, null],
    ['the provider shows that it has ended', { atProvider: { ...ended, ending: true } }, 'no_pending_end'],
    [
      'the provider is not asked and the mirror has an end',
      { workspace: { cancelsAt: periodEnd }, atProvider: null },
      null,
    ],
    ['the provider is not asked and the mirror has none', { atProvider: null }, 'no_pending_end'],
    [
      'the provider is not asked and the mirror shows it as cancelled',
      { workspace: { status: 'cancelled', cancelsAt: periodEnd }, atProvider: null },
      'no_pending_end',
    ],
    ['the provider does not answer', { atProvider: 'unavailable' }, 'provider_unavailable'],
  ],
  cancel_subscription: [
    ['only the mirror, which may be late, has an end', { workspace: { cancelsAt: periodEnd } }, null],
    ['only the mirror, which may be late, shows it as cancelled', { workspace: { status: 'cancelled' } }, null],
    [
      'the mirror has an end and the provider does not answer',
      { workspace: { cancelsAt: periodEnd }, atProvider: 'unavailable' },
      'provider_unavailable',
    ],
    ['the provider is to end it', { atProvider: { ...shown, ending: true } }, 'already_cancelled'],
    [
      'the provider is not asked and the mirror has an end',
      { workspace: { cancelsAt: periodEnd }, atProvider: null },
      'already_cancelled',
    ],
    [
      'the provider is not asked and the mirror shows it as cancelled',
      { workspace: { status: 'cancelled' }, atProvider: null },
      'already_cancelled',
    ],
    ['the provider is not asked and the mirror has no end', { atProvider: null }, null],
    ['the provider shows that it has ended', { atProvider: ended }, 'already_cancelled'],
    ['the payment is overdue', { workspace: { status: 'past_due' } }, null],
  ],
  drop_pending_change: [
    ['only the provider has a pending change', { atProvider: changing }, null],
    ['the provider does not answer and nothing is pending here', { atProvider: 'unavailable' }, 'no_pending_change'],
    ['only the mirror has a subscription', { workspace: { pendingPlan }, atProvider: null }, 'change_already_landed'],
  ],
  checkout: [
    ['the plan is not in the catalog', { target: null, workspace: { provider: {} } }, 'plan_not_available'],
    ['the plan is not offered', { target: plans.legacy, workspace: { provider: {} } }, 'plan_not_available'],
    ['the workspace is suspended', { workspace: { status: 'suspended' } }, suspended],
    ...(['active', 'trialing', 'past_due'] as const).map((status): Edge => [
      `the subscription is ${status}`,
      { workspace: { status } },
      {
        code: 'plan_already_applied',
        detail: 'The workspace has a subscription already. Change its plan instead.',
      },
    ]),
    ['the subscription has ended', { workspace: { status: 'cancelled' } }, null],
    ['the first payment is open', { workspace: { status: 'pending_payment' } }, null],
  ],
  expire_checkout: [
    ['nothing is recorded', {}, 'no_open_checkout'],
    ['the session belongs to no transition', { workspace: { checkout: open.checkout } }, 'no_open_checkout'],
    ['the transition has no session yet', { workspace: { transition: open.transition } }, 'no_open_checkout'],
    [
      'another operation holds the workspace',
      { workspace: { ...open, transition: { ...open.transition, kind: 'suspend' } } },
      'no_open_checkout',
    ],
    [
      'the session is of another checkout',
      { workspace: { ...open, checkout: { operationId: 'op-checkout-2', sessionId: 'cs_2' } } },
      'no_open_checkout',
    ],
  ],
  delete_workspace: [['nothing of it has begun', {}, null]],
  end_free_access: [
    ['the workspace pays', { values: {} }, 'no_free_access'],
    ['the workspace is suspended', { values: {}, workspace: { ...granted, status: 'suspended' } }, suspended],
    [
      'the named end is written in another way',
      { values: { freeUntil: '2026-04-01T02:00:00+02:00' }, workspace: granted },
      null,
    ],
    ['the grant has an end and none is named', { values: {}, workspace: granted }, null],
    [
      'the grant ends a millisecond after the named end',
      { values: { freeUntil: '2026-03-31T23:59:59.999Z' }, workspace: granted },
      'no_free_access',
    ],
    [
      'the workspace pays again and the end is the named one',
      { values: { freeUntil: freeUntil.toISOString() }, workspace: { freeUntil } },
      'no_free_access',
    ],
  ],
  record_subscription_end: [
    ['the subscription was never paid', { atProvider: neverPaid }, null],
    ['the provider was not asked', { atProvider: null }, 'subscription_runs'],
    ['the workspace is suspended', { atProvider: ended, workspace: { status: 'suspended' } }, null],
  ],
  record_plan_change: [
    ['nothing is pending', {}, 'no_pending_change'],
    ['the plan has no price', { workspace: { pendingPlan }, target: unpriced, atProvider: null }, 'change_not_landed'],
    ['the plan is not in the catalog', { workspace: { pendingPlan }, target: null }, 'change_not_landed'],
    ['the provider was not asked', { workspace: { pendingPlan }, atProvider: null }, 'change_not_landed'],
    [
      'another price is in force',
      { workspace: { pendingPlan }, atProvider: { ...shown, priceId: 'price_legacy', upcoming: phase('price_pro') } },
      'change_not_landed',
    ],
  ],
  give_up_upgrade: [['the waiting payment was not looked up', { held: undefined }, null]],
};

describe.each(Object.entries(edges) as [OperationAction, readonly Edge[]][])('%s', (action, rows) => {
  it.each(rows)('when %s', (_what, change, expected) => {
    const refusal = actionOf(action).precondition(contextOf(change));
    expect(typeof expected === 'string' ? refusal?.code : refusal).toEqual(expected);
  });
});

it('an action that this build does not know has no definition', () => {
  expect(() => actionOf('of_a_newer_build' as OperationAction)).toThrow(
    'this build does not know the action of_a_newer_build',
  );
});
