/** Records a deferred plan change that has taken effect at the provider. The provider is only read (workflows §1). */
import type { Subscription, SubscriptionPatch } from '../../../mirror/domain/subscription';
import type { Operation } from '../operation';
import { providerState, type ActionRun } from './action';

export const recordPlanChange: ActionRun<'record_plan_change'> = {
  inOrder: 'read the subscription: only a change that has landed is recorded → mirror: the plan, nothing pending',
  announces: null,
  readsProvider: true,
  readsPlans: true,
  refuses: {
    no_pending_change: ({ subscription, values }) => subscription.pendingPlan?.planId !== values['planId'],
    provider_unavailable: ({ atProvider }) => atProvider === 'unavailable',
    change_not_landed: (context) => {
      const priceId = context.target?.priceId;
      return priceId === undefined || providerState(context)?.priceId !== priceId;
    },
  },
  checkpoint: ({ subscription }) => ({ fromPlanId: subscription.planId }),
  effects: () => [],
  mirrored: landed,
  onResolved: landed,
  result: (_subscription, { values, checkpoint }) => ({
    planId: values['planId'],
    fromPlanId: checkpoint?.['fromPlanId'],
  }),
};

function landed(_subscription: Subscription, { values }: Operation): SubscriptionPatch {
  return { planId: String(values['planId']), pendingPlan: undefined };
}
