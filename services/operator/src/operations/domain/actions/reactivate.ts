/**
 * Reactivation: consumers first, then collection resumes; access stays closed until every receipt is durable
 * (specification §3).
 */
import type { EffectAnswer } from '../effects';
import type { Operation } from '../operation';
import { statusOfProvider } from '../../../mirror/domain/mirror-provider';
import { answerOfStep, type ActionRun } from './action';

/**
 * The status after reactivation. A subscription that has ended at the provider cannot be resumed, and a paid plan
 * without a subscription gives no access: the suspension is lifted, and access stays closed until a plan is bought or
 * granted.
 */
function resumedStatus({ checkpoint = {} }: Pick<Operation, 'checkpoint'>, answers: readonly EffectAnswer[]) {
  const answer = answerOfStep(answers, 'resume_collection');
  if (answer) return statusOfProvider[answer.status ?? ''] ?? 'active';
  return checkpoint['subscriptionId'] || checkpoint['unpaid'] ? 'cancelled' : 'active';
}

export const reactivate: ActionRun<'reactivate'> = {
  inOrder:
    '`lifecycle.message.reactivation_requested` → settled: an attempt is admitted → resume collection, unless the subscription has ended → access opens with the mirror, unless nothing pays for the plan any more → journal, clear. Access stays closed until every required receipt is durable',
  announces: 'reactivation_requested',
  readsPlans: true,
  refuses: { not_suspended: ({ subscription }) => subscription.status !== 'suspended' },
  checkpoint: ({ subscription: { provider, isComplimentary }, plan }) => ({
    ...(provider.subscriptionId && { subscriptionId: provider.subscriptionId }),
    ...(!provider.subscriptionId &&
      !isComplimentary &&
      plan?.priceId &&
      plan.amountCents > 0 && { unpaid: plan.priceId }),
  }),
  effects: () => [],
  effectsAfterReceipts: ({ provider }, { checkpoint = provider }) => [
    checkpoint['subscriptionId']
      ? { step: 'resume_collection', subscriptionId: checkpoint['subscriptionId'], unlessAbsent: true }
      : { step: 'resume_collection', skipped: 'the workspace has no subscription at the provider' },
  ],
  mirrored: (_subscription, operation, answers, now) => {
    const status = resumedStatus(operation, answers);
    return {
      status,
      access: { state: 'open', since: now, operationId: operation._id },
      // The grace period of an overdue payment restarts.
      overdueSince: status === 'past_due' ? now : undefined,
    };
  },
  onResolved: (_subscription, operation, now) => ({
    status: operation.checkpoint?.['unpaid'] ? 'cancelled' : 'active',
    access: { state: 'open', since: now, operationId: operation._id },
  }),
  // An executor that resumed after the resolution may have opened access while the transition existed.
  onAbandoned: (subscription, operation, now) =>
    subscription.access.operationId === operation._id
      ? { status: 'suspended', access: { state: 'closed', since: now, operationId: operation._id } }
      : {},
  result: (_subscription, operation, answers) => {
    const status = resumedStatus(operation, answers);
    return { access: status === 'cancelled' ? 'closed' : 'open', status };
  },
};
