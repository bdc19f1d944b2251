/** An immediate change to a more expensive paid plan; prorated and invoiced by the provider, mirrored, journalled (workflows §1). */
import { assert } from '@platform/kernel';
import { comparedCost, type Plan } from '../../../catalogue/domain/plan';
import { answerOfStep, isEnding, isOverdue, providerState, type ActionContext, type ActionRun } from './action';

const anotherPrice =
  'The workspace pays another price than that of its plan, so it is not known that this one is higher.';

/**
 * A person may have agreed on a price at the provider. Its event may be late, so the provider is believed first; a
 * pending change that has landed there is the platform's own.
 */
function paysAnotherPrice(context: ActionContext, { priceId }: Pick<Plan, 'priceId'>): boolean {
  const { unlistedPriceId, pendingPlan } = context.subscription;
  if (pendingPlan && unlistedPriceId === undefined) return false;
  const paid = providerState(context)?.priceId ?? unlistedPriceId;
  return paid !== undefined && paid !== priceId;
}

/**
 * Only from a paid plan to a more expensive one in the same currency; an equal price is no upgrade (contracts §2). Plans
 * that are paid in other intervals are compared by what they cost over time.
 */
export const upgradePlan: ActionRun<'upgrade_plan'> = {
  inOrder:
    'change the price of the subscription item, prorated and invoiced at once; where the holder of the card must confirm, let the provider hold the change until that is done → mirror. Only from a paid plan to a more expensive one in the same currency',
  announces: null,
  readsProvider: true,
  readsPlans: true,
  refuses: {
    plan_not_available: ({ target }) => !target?.offered || (!target.priceId && target.amountCents > 0),
    no_provider_subscription: ({ subscription: { provider } }) => !provider.subscriptionId || !provider.itemId,
    workspace_suspended: ({ subscription }) => subscription.status === 'suspended',
    subscription_ending: isEnding,
    payment_overdue: isOverdue,
    plan_change_pending: (context) =>
      Boolean(providerState(context)?.upcoming) ||
      (context.subscription.pendingPlan !== undefined && providerState(context) === undefined),
    plan_already_applied: ({ subscription, target }) => subscription.planId === target?._id,
    not_an_upgrade: (context) => {
      const { plan, target } = context;
      if (!plan || !target || plan.amountCents === 0 || plan.currency !== target.currency) return true;
      return comparedCost(target, plan) <= 0 || (paysAnotherPrice(context, plan) && anotherPrice);
    },
    provider_unavailable: ({ atProvider }) => atProvider === 'unavailable',
  },
  charges: (context) => {
    const { provider } = context.subscription;
    const quantity = providerState(context)?.quantity;
    const priceId = context.target?.priceId;
    return provider.subscriptionId && provider.itemId && priceId && quantity !== undefined
      ? { subscriptionId: provider.subscriptionId, itemId: provider.itemId, priceId, quantity }
      : null;
  },
  checkpoint: (context) => {
    const { subscription, target, charge } = context;
    const prorationDate = typeof charge === 'object' ? charge.prorationDate : null;
    assert(
      target?.priceId && subscription.provider.subscriptionId && subscription.provider.itemId,
      `workspace ${subscription._id} cannot be upgraded`,
    );
    return {
      subscriptionId: subscription.provider.subscriptionId,
      itemId: subscription.provider.itemId,
      priceId: target.priceId,
      quantity: String(providerState(context)?.quantity ?? 1),
      fromPlanId: subscription.planId,
      ...(prorationDate !== null && { prorationDate: String(prorationDate) }),
    };
  },
  undoes: (context, { quantity }) => {
    const shown = providerState(context)?.quantity;
    return quantity !== undefined && shown !== undefined && String(shown) !== quantity;
  },
  effects: (_subscription, { _id, checkpoint }) => {
    assert(
      checkpoint?.['subscriptionId'] && checkpoint['itemId'] && checkpoint['priceId'],
      `operation ${_id} has no checkpoint`,
    );
    const change = {
      subscriptionId: checkpoint['subscriptionId'],
      itemId: checkpoint['itemId'],
      priceId: checkpoint['priceId'],
      ...(checkpoint['quantity'] !== undefined && { quantity: Number(checkpoint['quantity']) }),
      ...(checkpoint['prorationDate'] !== undefined && { prorationDate: Number(checkpoint['prorationDate']) }),
    };
    return [
      { step: 'change_price', ...change, orConfirmed: true },
      {
        step: 'hold_price_change',
        from: (answers) => (answerOfStep(answers, 'change_price') ? null : { step: 'hold_price_change', ...change }),
      },
    ];
  },
  mirrored: (_subscription, operation) => ({ planId: String(operation.values['planId']) }),
  result: (_subscription, operation) => ({
    planId: operation.values['planId'],
    fromPlanId: operation.checkpoint?.['fromPlanId'],
  }),
};
