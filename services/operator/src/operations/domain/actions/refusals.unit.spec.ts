/**
 * What refuses each action, one code after the other: every code alone refuses, and of several the first in the order of
 * the contract is answered.
 */
import { contractOf, operationActions, type OperationAction, type OwnRefusal } from '@platform/contracts-operator';
import { actionOf, type ActionContext } from '.';
import { changePlanLater } from './change-plan-later';
import { checkout } from './checkout';
import { grantFreeAccess } from './grant-free-access';
import { recordPlanChange } from './record-plan-change';
import { upgradePlan } from './upgrade-plan';
import {
  at,
  changing,
  contextOf,
  pendingPlan,
  periodEnd,
  plans,
  shown,
  type ContextChange,
} from '../../testing/action-fixtures';

type Situation = readonly [allowed: ContextChange, refused: { readonly [code: string]: ContextChange }];

/** The situation in which an action is allowed, and the change of it that each code refuses. */
const situations: {
  readonly [Action in OperationAction]: readonly [
    allowed: ContextChange,
    refused: { readonly [Code in OwnRefusal<Action>]: ContextChange },
  ];
} = {
  suspend: [{}, { already_suspended: { workspace: { status: 'suspended' } } }],
  reactivate: [{ workspace: { status: 'suspended' } }, { not_suspended: { workspace: { status: 'active' } } }],
  upgrade_plan: [
    {},
    {
      plan_not_available: { target: { ...plans.pro, offered: false } },
      no_provider_subscription: { workspace: { provider: {} } },
      workspace_suspended: { workspace: { status: 'suspended' } },
      subscription_ending: { workspace: { cancelsAt: periodEnd } },
      payment_overdue: { workspace: { status: 'past_due' } },
      plan_change_pending: { atProvider: changing },
      plan_already_applied: { workspace: { planId: 'pro' } },
      not_an_upgrade: { plan: plans.legacy },
      provider_unavailable: { atProvider: 'unavailable' },
    },
  ],
  credit_customer: [{}, { no_provider_customer: { workspace: { provider: {} } }, plan_not_available: { plan: null } }],
  grant_free_access: [
    {},
    {
      plan_not_available: { target: plans.legacy },
      already_suspended: { workspace: { status: 'suspended' } },
      plan_already_applied: { target: plans.starter, workspace: { isComplimentary: true } },
    },
  ],
  cancel_subscription: [
    {},
    {
      no_provider_subscription: { workspace: { provider: {} } },
      already_cancelled: { atProvider: { ...shown, ending: true } },
      provider_unavailable: { atProvider: 'unavailable' },
    },
  ],
  change_plan_later: [
    {},
    {
      plan_not_available: { target: null },
      no_provider_subscription: { workspace: { provider: {} } },
      already_cancelled: { workspace: { cancelsAt: periodEnd } },
      provider_unavailable: { targetPrice: 'unavailable' },
      plan_already_applied: { workspace: { planId: 'pro' } },
    },
  ],
  drop_pending_change: [
    { workspace: { pendingPlan }, atProvider: changing },
    {
      no_pending_change: { workspace: { pendingPlan: undefined }, atProvider: shown },
      provider_unavailable: { atProvider: 'unavailable' },
      change_already_landed: { atProvider: shown },
    },
  ],
  checkout: [
    { workspace: { provider: {} } },
    {
      plan_not_available: { target: plans.free },
      already_suspended: { workspace: { status: 'suspended' } },
      plan_already_applied: { workspace: { provider: { subscriptionId: 'sub_acme' } } },
    },
  ],
  expire_checkout: [
    {
      workspace: {
        transition: { operationId: 'op-checkout-1', kind: 'checkout', requestedAt: at },
        checkout: { operationId: 'op-checkout-1', sessionId: 'cs_1' },
      },
    },
    { no_open_checkout: { workspace: { transition: undefined } } },
  ],
  delete_workspace: [
    { workspace: { deletion: { startedAt: at, operationId: 'op-delete-01' } } },
    { already_deleted: { workspace: { deletion: { startedAt: at, operationId: 'op-delete-01', completedAt: at } } } },
  ],
  end_free_access: [
    { values: {}, workspace: { isComplimentary: true } },
    {
      no_free_access: { values: { freeUntil: periodEnd.toISOString() }, workspace: { isComplimentary: true } },
      already_suspended: { workspace: { isComplimentary: true, status: 'suspended' } },
    },
  ],
  record_subscription_end: [
    { atProvider: { ...shown, status: 'canceled' } },
    {
      no_provider_subscription: { workspace: { provider: {} } },
      subscription_ended: { workspace: { status: 'cancelled' } },
      provider_unavailable: { atProvider: 'unavailable' },
      subscription_runs: { atProvider: shown },
    },
  ],
  record_plan_change: [
    { workspace: { pendingPlan }, atProvider: { ...shown, priceId: 'price_pro' } },
    {
      no_pending_change: { workspace: { pendingPlan: { ...pendingPlan, planId: 'legacy' } } },
      provider_unavailable: { atProvider: 'unavailable' },
      change_not_landed: { atProvider: shown },
    },
  ],
  give_up_upgrade: [
    {
      held: {
        operationId: 'op-upgrade-1',
        invoiceId: 'in_1',
        subscriptionId: 'sub_acme',
        confirmUrl: 'https://pay.test/in_1',
        expiresAt: periodEnd,
      },
    },
    { no_waiting_payment: { held: null } },
  ],
  keep_subscription: [
    { atProvider: { ...shown, ending: true } },
    {
      no_provider_subscription: { workspace: { provider: {} } },
      no_pending_end: { atProvider: shown },
      provider_unavailable: { atProvider: 'unavailable' },
    },
  ],
};

/** The changes together; where two concern the same field, the first one decides. */
function together(changes: readonly ContextChange[]): ContextChange {
  return changes.reduceRight<ContextChange>(
    (sum, change) => ({ ...sum, ...change, workspace: { ...sum.workspace, ...change.workspace } }),
    {},
  );
}

const refusal = (action: OperationAction, ...changes: ContextChange[]) =>
  actionOf(action).precondition(contextOf(together(changes)))?.code;

describe.each(operationActions)('%s', (action) => {
  const [allowed, codes]: Situation = situations[action];
  const inOrder = contractOf(action).refusals.map((code) => [code, codes[code] ?? {}] as const);

  it('is allowed in its situation', () => {
    expect(actionOf(action).precondition(contextOf(allowed))).toBeNull();
  });

  it.each(inOrder)('is refused with %s by that alone', (code, change) => {
    expect(refusal(action, change, allowed)).toBe(code);
  });

  it('is refused with the first code of the contract when several apply', () => {
    for (const [first, [code]] of inOrder.entries()) {
      const several = inOrder.slice(first).map(([, change]) => change);
      expect([code, refusal(action, ...several, allowed)]).toEqual([code, code]);
    }
  });
});

describe('a judgement of a plan that is not in the catalog', () => {
  it.each([
    ['an upgrade', upgradePlan, ['plan_not_available', 'plan_change_pending', 'not_an_upgrade']],
    ['a deferred change', changePlanLater, ['plan_not_available']],
    ['a grant', grantFreeAccess, ['plan_not_available']],
    ['a checkout', checkout, ['plan_not_available', 'plan_already_applied']],
    ['a record of a landed change', recordPlanChange, ['change_not_landed']],
  ])('of %s is made by itself, whichever code is judged first', (_what, { refuses }, codes) => {
    const mirror = { isComplimentary: true, pendingPlan };
    const context = contextOf({ target: null, atProvider: changing, workspace: mirror });
    const judgements: [string, (given: ActionContext) => boolean | string][] = Object.entries(refuses);
    const refusing = judgements.filter(([, judge]) => judge(context) !== false);
    expect(refusing.map(([code]) => code)).toEqual(codes);
  });
});
