/**
 * The evidence for the resolution of a creation: its executor, its marker, what the provider shows, and notes for the
 * investigator. The service answers the gateway with it, and the off-line program resolves with it. Writes nothing.
 */
import { creationOperationId } from '@platform/contracts-provisioning';
import { defineReading, type InvestigationPorts, type OutcomeProofs } from '@platform/durable/investigation';
import { ok } from '@platform/kernel';
import { isOpen, type OpenAttempt } from '../domain/attempt';
import type { CreationMarker } from '../domain/marker';
import type { ProvisioningCollections } from './ports';
import { readSecondProof, type SecondProofPorts } from './second-proof';
import { attemptKey } from './work-keys';

export type AttemptReadingPorts = Pick<ProvisioningCollections, 'attempts' | 'markers'> &
  InvestigationPorts &
  SecondProofPorts;

export const attemptReading = defineReading({
  noun: 'attempt',
  missing: 'There is no such provisioning attempt.',
  records: (ports: AttemptReadingPorts) => ports.attempts,
  isOpen,
  known: ({ status }) => `The attempt is ${status}: its outcome is known, there is nothing to resolve.`,
  beside: async ({ markers }, { tenantId }) => ok(await markers.findById(creationOperationId(tenantId))),
  refusal: refusalOf,
  executors: ({ tenantId, executor, updatedAt }) => [{ key: attemptKey(tenantId), executor, wroteAt: updatedAt }],
  calls: ({ providerCalls }) => providerCalls,
  open: ({ providerCalls }) => providerCalls.filter(({ outcome }) => outcome !== 'succeeded'),
  secondProof: (ports, attempt, request: OutcomeProofs) => readSecondProof(ports, attempt, request),
  warnings: warningsOf,
});

/** What the resolution does to the admission, in one sentence. */
export function attemptBecomes({ outcome }: Pick<OutcomeProofs, 'outcome'>): string {
  return `The attempt becomes ${outcome === 'applied' ? 'committed' : 'cancelled'}. Nothing is sent to the payment provider or to listeners.`;
}

/** A creation with a listener that did not succeed is never announced as `created`. */
function refusalOf(attempt: OpenAttempt, { outcome }: OutcomeProofs, marker: CreationMarker | null): string | null {
  if (outcome === 'not_applied')
    return marker?.provisioningState === 'committed'
      ? 'The creation is committed; it cannot be resolved as not applied.'
      : null;
  if (!attempt.preparedAt || !marker)
    return 'This creation was not prepared to its end: not every listener succeeded, so it cannot be committed. Resolve it as not_applied.';
  return marker.provisioningState === 'cancelled' ? 'The tombstone exists: this creation was taken back.' : null;
}

function warningsOf(attempt: OpenAttempt, { outcome }: OutcomeProofs): string[] {
  const { customerId, subscriptionId } = attempt.handles;
  const unanswered = attempt.listenerCalls.some((call) => call.outcome !== 'done');
  return [
    ...(outcome === 'not_applied' && (customerId ?? subscriptionId)
      ? [
          `The service ends and deletes ${[subscriptionId, customerId].filter(Boolean).join(' and ')} at the provider in its next reconciliation, unless money may have been taken; then they are kept, and an alert says so.`,
        ]
      : []),
    ...(outcome === 'not_applied' && attempt.listenerCalls.length > 0
      ? ['No deletion listener is called. What the listeners made for this tenant must be removed by their owners.']
      : []),
    ...(unanswered ? ['A listener call has no success; its owner must be asked what it did.'] : []),
    ...(attempt.status !== 'reconciliation_required'
      ? [
          `The attempt is still ${attempt.status}. If its executor is alive, it will lose its next write, but a call that it has already sent cannot be stopped.`,
        ]
      : []),
  ];
}
