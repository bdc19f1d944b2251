/** Records that a subscription has ended at the provider. The provider is only read (workflows §1). */
import type { Subscription, SubscriptionPatch } from '../../../mirror/domain/subscription';
import { endedAtProvider, type ActionRun } from './action';

export const recordSubscriptionEnd: ActionRun<'record_subscription_end'> = {
  inOrder: 'read the subscription: only one that has ended is recorded → mirror: cancelled, a suspended one stays that',
  announces: null,
  readsProvider: true,
  readsPlans: false,
  refuses: {
    no_provider_subscription: ({ subscription }) => !subscription.provider.subscriptionId,
    subscription_ended: ({ subscription }) => subscription.status === 'cancelled',
    provider_unavailable: ({ atProvider }) => atProvider === 'unavailable',
    subscription_runs: (context) => !endedAtProvider(context),
  },
  checkpoint: ({ subscription }) => ({ subscriptionId: subscription.provider.subscriptionId! }),
  effects: () => [],
  mirrored: ended,
  onResolved: ended,
  result: ({ status }) => ({ status: afterEnd(status) }),
};

/** Only a reactivation lifts a suspension, and it will find that the subscription has ended. */
function afterEnd(status: Subscription['status']): Subscription['status'] {
  return status === 'suspended' ? 'suspended' : 'cancelled';
}

function ended({ status, provider: { scheduleId: _gone, ...provider } }: Subscription): SubscriptionPatch {
  return { status: afterEnd(status), provider, pendingPlan: undefined, cancelsAt: undefined, overdueSince: undefined };
}
