/** Undoes a self-service cancellation: the subscription does not end with its period any more (workflows §1). */
import { assert } from '@platform/kernel';
import { providerState, type ActionRun } from './action';

export const keepSubscription: ActionRun<'keep_subscription'> = {
  inOrder: 'let the subscription go on after its period → mirror',
  announces: null,
  readsProvider: true,
  readsPlans: false,
  refuses: {
    no_provider_subscription: ({ subscription }) => !subscription.provider.subscriptionId,
    // The mirror may be late: what it lets go on may end.
    no_pending_end: (context) => providerState(context)?.ending === false,
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
