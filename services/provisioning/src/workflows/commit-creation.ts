/**
 * Commits a creation: the marker first, because it is the decision and carries the messages, then the attempt, then the
 * reservations. A second process finds the marker committed and finishes. Nothing here calls the provider.
 */
import { creationOperationId } from '@platform/contracts-provisioning';
import { decide, writeFenced } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { isOpen, type Attempt, type CommitProof, type OpenAttempt } from '../domain/attempt';
import {
  committedMessages,
  isOpenMarker,
  markerSteps,
  type CommittedMarker,
  type CreationMarker,
} from '../domain/marker';
import { commit, resolve, withAnswers } from '../domain/progress';
import type { ProvisioningPorts } from './ports';
import { settleReservations } from './reserve';

export type Commitment =
  /** `attempt` is the record as stored; usually committed, otherwise the reconciliation completes it. */
  | { readonly kind: 'committed'; readonly attempt: Attempt }
  /** Lifecycle admission is closed, or there is no marker. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'unknown'; readonly reason: string };

const races = 8;

/** The attempt as stored, and with what its executor has learnt since. */
export interface Held {
  readonly stored: Attempt;
  readonly working: OpenAttempt;
}

/** Commits a prepared attempt. The caller has proof that no payment is owed. Throws StoreUnavailableError. */
export async function commitCreation(ports: ProvisioningPorts, held: Held, provenBy: CommitProof): Promise<Commitment> {
  const attempt = held.working;
  const id = creationOperationId(attempt.tenantId);
  const decided = await decide<CreationMarker, Checked<CreationMarker>, CreationMarker | null>(
    ports,
    ports.markers,
    id,
    (marker) => {
      if (!marker || !isOpenMarker(marker) || marker.closedAt) return { answer: marker };
      const now = ports.clock.now();
      return {
        write: markerSteps.move(marker, 'committed', {
          invoiceId: attempt.handles.invoiceId ?? null,
          committedAt: now,
        }),
        announce: committedMessages(attempt, now),
      };
    },
  );
  if (decided.kind === 'unknown') return { kind: 'unknown', reason: decided.reason };
  if (decided.kind === 'written') ports.publishNow('lifecycle_outbox', id, decided.announced);
  const marker = decided.kind === 'written' ? decided.record : decided.answer;
  return marker?.provisioningState === 'committed'
    ? { kind: 'committed', attempt: await finishCommitted(ports, held, marker, provenBy) }
    : { kind: 'closed' };
}

/**
 * Updates the attempt and the reservations after the marker is committed; the reconciliation completes what fails here.
 */
export async function finishCommitted(
  ports: ProvisioningPorts,
  { stored, working }: Held,
  marker: CommittedMarker,
  provenBy: CommitProof,
): Promise<Attempt> {
  // A marker is committed only after the attempt is prepared: a slow process has read an older copy without
  // `preparedAt`.
  let current = working.preparedAt ? stored : ((await ports.attempts.findById(stored._id)) ?? stored);
  for (let race = 0; race < races && isOpen(current); race += 1) {
    const basis: OpenAttempt = current === stored ? working : withAnswers(current, working);
    const next = marker.resolution
      ? resolve(basis, { ...marker.resolution, at: ports.clock.now() })
      : commit(basis, provenBy, marker.committedAt);
    const written = await writeFenced(ports.attempts, current, next, [], ports.retryPolicy);
    if (written.kind === 'unknown' || !written.record) return current;
    if (written.kind === 'written') ports.meter.attemptReached('committed');
    current = written.record;
  }
  await settleReservations(ports, current);
  return current;
}
