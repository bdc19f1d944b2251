/**
 * A plan change for the end of the period, made by the provider's schedule. If a schedule manages the subscription
 * already, one call updates it and replaces a pending change; otherwise a schedule is created first. The current phase
 * is sent exactly as it was read, so that no setting of the customer's contract is lost.
 */
import { phaseOfText, pricesOf, textOfPhase, type SchedulePhase } from '@platform/payment-provider/effects';
import { assert } from '@platform/kernel';
import type { Effect } from '../effects';
import { answerOfStep, isEnding, providerState, type ActionContext, type ActionRun } from './action';

const inForce = ({ subscription, target }: ActionContext) => subscription.planId === target?._id;

/** Whether a change is pending: according to the provider, or to the mirror when the provider was not asked. */
function pendingHere(context: ActionContext): boolean {
  const state = providerState(context);
  return state ? state.upcoming !== null : context.subscription.pendingPlan !== undefined;
}

/** A phase names the price of its first item, which is not that of the plan where a person has added other items. */
function atPrice(phase: SchedulePhase, priceId: string | undefined): SchedulePhase {
  return priceId !== undefined && pricesOf(phase).includes(priceId) ? { ...phase, priceId } : phase;
}

export const changePlanLater: ActionRun<'change_plan_later'> = {
  inOrder:
    'with a schedule that manages the subscription: let the new price follow its running phase, in one update. Otherwise: create a schedule → let the new price follow → mirror: pending plan. An ambiguous step keeps the previous mirror and the pending intent; nothing is restored or erased',
  announces: null,
  readsProvider: true,
  readsPlans: true,
  readsPrice: true,
  refuses: {
    plan_not_available: ({ plan, target, targetPrice }) =>
      !target?.offered ||
      !target.priceId ||
      (plan !== null &&
        plan.currency !== target.currency &&
        `The plan is in ${target.currency}, that of the workspace in ${plan.currency}.`) ||
      (targetPrice === 'missing' && `The payment provider has no recurring price ${target.priceId}.`),
    no_provider_subscription: ({ subscription }) => !subscription.provider.subscriptionId,
    already_cancelled: isEnding,
    provider_unavailable: ({ atProvider, targetPrice }) =>
      atProvider === 'unavailable' || targetPrice === 'unavailable',
    plan_already_applied: (context) => {
      const { subscription, target } = context;
      if (inForce(context))
        return pendingHere(context)
          ? 'The workspace is on this plan. To keep it, drop the change that is pending.'
          : true;
      return pendingHere(context) && subscription.pendingPlan?.planId === target?._id;
    },
  },
  checkpoint: (context) => {
    const { subscription, target, targetPrice } = context;
    assert(targetPrice && typeof targetPrice === 'object', `the price of plan ${target?._id} was not read`);
    const state = providerState(context);
    return {
      subscriptionId: subscription.provider.subscriptionId!,
      priceId: target!.priceId!,
      interval: targetPrice.interval,
      intervalCount: String(targetPrice.intervalCount),
      ...(state?.scheduleId && { scheduleId: state.scheduleId }),
      ...(state?.running && { runningPhase: textOfPhase(state.running) }),
      ...(state?.sellsMore && { fromPriceId: state.priceId }),
    };
  },
  undoes: (context, { runningPhase }) => {
    const shown = providerState(context)?.running ?? null;
    return runningPhase !== undefined && shown !== null && textOfPhase(shown) !== runningPhase;
  },
  fixes: ({ step, objectId, runningPhase }) =>
    step === 'create_schedule' && objectId !== undefined && runningPhase
      ? { scheduleId: objectId, runningPhase: textOfPhase(runningPhase) }
      : undefined,
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['subscriptionId'] && checkpoint['priceId'], `operation ${_id} has no checkpoint`);
    const { subscriptionId, priceId, scheduleId, runningPhase, interval, intervalCount, fromPriceId } = checkpoint;
    const follows = {
      step: 'schedule_price',
      priceId,
      interval: interval as 'month',
      intervalCount: Number(intervalCount),
    } as const;
    if (scheduleId && runningPhase)
      return [
        { step: 'create_schedule', skipped: 'a schedule manages the subscription' },
        { ...follows, scheduleId, current: atPrice(phaseOfText(runningPhase), fromPriceId) },
      ];
    return [
      { step: 'create_schedule', subscriptionId },
      {
        step: 'schedule_price',
        from: (answers): Effect => {
          const made = answerOfStep(answers, 'create_schedule');
          assert(made?.objectId && made.runningPhase, `operation ${_id}: the schedule has no running phase`);
          return { ...follows, scheduleId: made.objectId, current: atPrice(made.runningPhase, fromPriceId) };
        },
      },
    ];
  },
  mirrored: (subscription, operation, answers) => {
    const scheduled = answerOfStep(answers, 'schedule_price');
    assert(scheduled?.objectId && scheduled.runningPhase, `operation ${operation._id}: nothing was scheduled`);
    return {
      provider: { ...subscription.provider, scheduleId: scheduled.objectId },
      pendingPlan: {
        planId: String(operation.values['planId']),
        at: scheduled.runningPhase.endDate,
        scheduleId: scheduled.objectId,
      },
    };
  },
  result: (_subscription, operation, answers) => ({
    planId: operation.values['planId'],
    at: answerOfStep(answers, 'schedule_price')?.runningPhase?.endDate.toISOString(),
  }),
};
