/**
 * A plan change for the end of the period, by the provider's schedule. A pending change is replaced: released, made anew,
 * given its price. An ambiguous step keeps the previous mirror and the pending intent; nothing is restored or erased.
 */
import { assert } from '@platform/kernel';
import { answerOfStep, managingSchedule, type ActionDefinition } from './action';

export const changePlanLater: ActionDefinition<'change_plan_later'> = {
  action: 'change_plan_later',
  transition: 'change_plan',
  announces: null,
  readsProvider: true,
  readsPlans: true,
  precondition: ({ subscription, target, atProvider }) => {
    if (!target?.offered || !target.priceId) return { code: 'plan_not_available' };
    if (!subscription.provider.subscriptionId) return { code: 'no_provider_subscription' };
    if (subscription.cancelsAt) return { code: 'already_cancelled' };
    const coming = subscription.pendingPlan?.planId ?? subscription.planId;
    if (coming === target._id) return { code: 'plan_already_applied' };
    return atProvider === 'unavailable' ? { code: 'provider_unavailable' } : null;
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
