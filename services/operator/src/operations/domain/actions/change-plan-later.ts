/**
 * A plan change for the end of the period, by the provider's schedule. A pending change is replaced: released, made anew,
 * given its price. An ambiguous step keeps the previous mirror and the pending intent; nothing is restored or erased.
 */
import { assert } from '@platform/kernel';
import { answerOfStep, managingSchedule, type ActionRun } from './action';

export const changePlanLater: ActionRun<'change_plan_later'> = {
  inOrder:
    'release the schedule that the provider shows, if any → create a schedule → set its price → mirror: pending plan. An ambiguous replacement keeps the previous mirror and the pending intent; nothing is restored or erased',
  announces: null,
  readsProvider: true,
  makesWay: ['release_schedule'],
  readsPlans: true,
  refuses: {
    plan_not_available: ({ target }) => !target?.offered || !target.priceId,
    no_provider_subscription: ({ subscription }) => !subscription.provider.subscriptionId,
    already_cancelled: ({ subscription }) => Boolean(subscription.cancelsAt),
    plan_already_applied: ({ subscription, target }) =>
      (subscription.pendingPlan?.planId ?? subscription.planId) === target?._id,
    provider_unavailable: ({ atProvider }) => atProvider === 'unavailable',
  },
  checkpoint: (context) => {
    const previousScheduleId = managingSchedule(context);
    return {
      subscriptionId: context.subscription.provider.subscriptionId!,
      priceId: context.target!.priceId!,
      ...(previousScheduleId && { previousScheduleId }),
    };
  },
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['subscriptionId'] && checkpoint['priceId'], `operation ${_id} has no checkpoint`);
    const { subscriptionId, priceId, previousScheduleId } = checkpoint;
    return [
      previousScheduleId
        ? { step: 'release_schedule', scheduleId: previousScheduleId }
        : { step: 'release_schedule', skipped: 'no schedule manages the subscription' },
      { step: 'create_schedule', subscriptionId },
      (answers) => {
        const made = answerOfStep(answers, 'create_schedule');
        assert(made?.objectId && made.runningPhase, `operation ${_id}: the schedule has no running phase`);
        return { step: 'schedule_price', scheduleId: made.objectId, current: made.runningPhase, priceId };
      },
    ];
  },
  mirrored: (subscription, operation, answers) => {
    const made = answerOfStep(answers, 'create_schedule');
    assert(made?.objectId && made.runningPhase, `operation ${operation._id}: no schedule was made`);
    return {
      provider: { ...subscription.provider, scheduleId: made.objectId },
      pendingPlan: {
        planId: String(operation.values['planId']),
        at: made.runningPhase.endDate,
        scheduleId: made.objectId,
      },
    };
  },
  result: (_subscription, operation, answers) => ({
    planId: operation.values['planId'],
    at: answerOfStep(answers, 'create_schedule')?.runningPhase?.endDate.toISOString(),
  }),
};
