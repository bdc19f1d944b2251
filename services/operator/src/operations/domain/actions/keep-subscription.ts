/** Undoes a self-service cancellation: the subscription does not end with its period any more (workflows §1). */
import { assert } from '@platform/kernel';
import { shownEnd, type ActionRun } from './action';

export const keepSubscription: ActionRun<'keep_subscription'> = {
  inOrder: 'let the subscription go on after its period → mirror',
  announces: null,
  readsProvider: true,
  readsPlans: false,
  refuses: {
    no_provider_subscription: ({ subscription }) => !subscription.provider.subscriptionId,
    no_pending_end: (context) => {
      const end = shownEnd(context);
      return end === null || end === 'ended';
    },
    provider_unavailable: ({ atProvider }) => atProvider === 'unavailable',
  },
  checkpoint: ({ subscription }) => ({ subscriptionId: subscription.provider.subscriptionId! }),
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['subscriptionId'], `operation ${_id} has no checkpoint`);
    return [{ step: 'keep_after_period', subscriptionId: checkpoint['subscriptionId'] }];
  },
  mirrored: () => ({ cancelsAt: undefined }),
  result: ({ planId, currentPeriodEnd }) => ({ planId, renewsAt: currentPeriodEnd?.toISOString() ?? null }),
};
