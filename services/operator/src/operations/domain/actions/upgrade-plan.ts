/** An immediate change to a more expensive paid plan; prorated and invoiced by the provider, mirrored, journalled (workflows §1). */
import { assert } from '@platform/kernel';
import type { ActionDefinition } from './action';

/** Only paid to more expensive, in one currency; equal is no upgrade (contracts §2). */
export const upgradePlan: ActionDefinition<'upgrade_plan'> = {
  action: 'upgrade_plan',
  transition: 'change_plan',
  announces: null,
  readsPlans: true,
  precondition: ({ subscription, plan, target }) => {
    if (!target?.offered) return { code: 'plan_not_available' };
    if (subscription.planId === target._id) return { code: 'plan_already_applied' };
    if (!plan || plan.amountCents === 0 || plan.currency !== target.currency || target.amountCents <= plan.amountCents)
      return { code: 'not_an_upgrade' };
    return subscription.provider.subscriptionId && subscription.provider.itemId
      ? null
      : { code: 'no_provider_subscription' };
  },
  checkpoint: ({ subscription, target }) => {
    assert(
      target?.priceId && subscription.provider.subscriptionId && subscription.provider.itemId,
      `workspace ${subscription._id} cannot be upgraded`,
    );
    return {
      subscriptionId: subscription.provider.subscriptionId,
      itemId: subscription.provider.itemId,
      priceId: target.priceId,
      fromPlanId: subscription.planId,
    };
  },
  effects: (_subscription, { _id, checkpoint }) => {
    assert(
      checkpoint?.['subscriptionId'] && checkpoint['itemId'] && checkpoint['priceId'],
      `operation ${_id} has no checkpoint`,
    );
    return [
      {
        step: 'change_price',
        subscriptionId: checkpoint['subscriptionId'],
        itemId: checkpoint['itemId'],
        priceId: checkpoint['priceId'],
      },
    ];
  },
  mirrored: (_subscription, operation) => ({ planId: String(operation.values['planId']) }),
  result: (_subscription, operation) => ({
    planId: operation.values['planId'],
    fromPlanId: operation.checkpoint?.['fromPlanId'],
  }),
};
