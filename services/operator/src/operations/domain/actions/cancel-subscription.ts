/** Self-service cancellation: the subscription ends with the period that is paid for (workflows §1). */
import { assert } from '@platform/kernel';
import { answerOfStep, providerState, shownEnd, type ActionRun } from './action';

export const cancelSubscription: ActionRun<'cancel_subscription'> = {
  inOrder: 'release a schedule, if one manages the subscription → cancel at period end → mirror',
  announces: null,
  readsProvider: true,
  makesWay: ['release_schedule'],
  readsPlans: false,
  refuses: {
    no_provider_subscription: ({ subscription }) => !subscription.provider.subscriptionId,
    already_cancelled: (context) => Boolean(shownEnd(context)),
    provider_unavailable: ({ atProvider }) => atProvider === 'unavailable',
  },
  checkpoint: (context) => {
    const scheduleId = providerState(context)?.scheduleId;
    return { subscriptionId: context.subscription.provider.subscriptionId!, ...(scheduleId && { scheduleId }) };
  },
  // A managed subscription cannot be ended directly, so a pending plan change is dropped first.
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['subscriptionId'], `operation ${_id} has no checkpoint`);
    return [
      checkpoint['scheduleId']
        ? { step: 'release_schedule', scheduleId: checkpoint['scheduleId'] }
        : { step: 'release_schedule', skipped: 'no schedule manages the subscription' },
      { step: 'cancel_at_period_end', subscriptionId: checkpoint['subscriptionId'] },
    ];
  },
  mirrored: ({ provider: { scheduleId: _released, ...provider }, currentPeriodEnd }, _operation, answers, now) => ({
    provider,
    pendingPlan: undefined,
    cancelsAt: answerOfStep(answers, 'cancel_at_period_end')?.periodEnd ?? currentPeriodEnd ?? now,
  }),
  result: (subscription, _operation, answers) => ({
    cancelsAt:
      (answerOfStep(answers, 'cancel_at_period_end')?.periodEnd ?? subscription.currentPeriodEnd)?.toISOString() ??
      null,
  }),
};
