/** Self-service cancellation: the subscription ends with the period that is paid for (workflows §1). */
import { assert } from '@platform/kernel';
import { answerOfStep, type ActionDefinition } from './action';

export const cancelSubscription: ActionDefinition = {
  action: 'cancel_subscription',
  transition: 'cancel',
  announces: null,
  readsPlans: false,
  precondition: ({ subscription }) => {
    if (!subscription.provider.subscriptionId) return { code: 'no_provider_subscription' };
    return subscription.cancelsAt || subscription.status === 'cancelled' ? { code: 'already_cancelled' } : null;
  },
  checkpoint: ({ subscription: { provider } }) => ({ subscriptionId: provider.subscriptionId!, ...(provider.scheduleId && { scheduleId: provider.scheduleId }) }),
  // A managed subscription cannot be ended directly, so a pending plan change is dropped first.
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['subscriptionId'], `operation ${_id} has no checkpoint`);
    return [
      checkpoint['scheduleId'] ? { step: 'release_schedule', scheduleId: checkpoint['scheduleId'] } : { step: 'release_schedule', skipped: 'no plan change is pending' },
      { step: 'cancel_at_period_end', subscriptionId: checkpoint['subscriptionId'] },
    ];
  },
  mirrored: ({ provider: { scheduleId: _released, ...provider }, currentPeriodEnd }, _operation, answers, now) => ({
    provider,
    pendingPlan: undefined,
    cancelsAt: answerOfStep(answers, 'cancel_at_period_end')?.periodEnd ?? currentPeriodEnd ?? now,
  }),
  result: (subscription, _operation, answers) => ({ cancelsAt: (answerOfStep(answers, 'cancel_at_period_end')?.periodEnd ?? subscription.currentPeriodEnd)?.toISOString() ?? null }),
};
