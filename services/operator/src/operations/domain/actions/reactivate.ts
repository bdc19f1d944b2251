/** Reactivation: consumers first, then collection resumes; access stays closed until every receipt is durable (specification §3). */
import type { SubscriptionStatus } from '@platform/contracts-operator';
import type { EffectAnswer } from '../effects';
import { statusOfProvider } from '../../../mirror/domain/mirror-provider';
import { answerOfStep, type ActionRun } from './action';

/** The mirror's status after the provider resumed; a workspace without a provider subscription is simply active. */
function resumedStatus(answers: readonly EffectAnswer[]): SubscriptionStatus {
  const status = answerOfStep(answers, 'resume_collection')?.status;
  return status !== undefined ? (statusOfProvider[status] ?? 'active') : 'active';
}

export const reactivate: ActionRun<'reactivate'> = {
  inOrder:
    '`lifecycle.message.reactivation_requested` → settled: an attempt is admitted → resume collection → access opens with the mirror → journal, clear. Access stays closed until every required receipt is durable',
  announces: 'reactivation_requested',
  readsPlans: false,
  refuses: { not_suspended: ({ subscription }) => subscription.status !== 'suspended' },
  checkpoint: ({ subscription: { provider } }) => ({
    ...(provider.subscriptionId && { subscriptionId: provider.subscriptionId }),
  }),
  effects: () => [],
  effectsAfterReceipts: ({ provider }, { checkpoint = provider }) => [
    checkpoint['subscriptionId']
      ? { step: 'resume_collection', subscriptionId: checkpoint['subscriptionId'] }
      : { step: 'resume_collection', skipped: 'the workspace has no subscription at the provider' },
  ],
  mirrored: (_subscription, operation, answers, now) => ({
    status: resumedStatus(answers),
    access: { state: 'open', since: now, operationId: operation._id },
  }),
  onResolved: (_subscription, operation, now) => ({
    status: 'active',
    access: { state: 'open', since: now, operationId: operation._id },
  }),
  // An executor that slept through the resolution may have opened access while the transition stood.
  onAbandoned: (subscription, operation, now) =>
    subscription.access.operationId === operation._id
      ? { status: 'suspended', access: { state: 'closed', since: now, operationId: operation._id } }
      : {},
  result: (_subscription, _operation, answers) => ({ access: 'open', status: resumedStatus(answers) }),
};
