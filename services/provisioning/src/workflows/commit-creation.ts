/**
 * Committing: the marker first, because it is the decision and carries the messages, then the attempt, then the
 * reservations. Whoever comes second finds the marker committed and finishes; nothing here reaches the provider.
 */
import { creationOperationId } from '@platform/contracts-provisioning';
import { assertStep } from '@platform/kernel';
import { writeFenced } from '@platform/durable/record';
import type { Draft } from '@platform/mongo';
import { isOpen, type Attempt, type CommitProof, type OpenAttempt } from '../domain/attempt';
import { committedMessages, markerSteps, type CreationMarker } from '../domain/marker';
import { commit, resolve } from '../domain/progress';
import type { ProvisioningPorts } from './ports';
import { settleReservations } from './reserve';

export type Commitment =
  /** `attempt` is the record as it stands; usually committed, otherwise the reconciliation finishes it. */
  | { readonly kind: 'committed'; readonly attempt: Attempt }
  /** Lifecycle admission is closed, or there is no marker. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'unknown'; readonly reason: string };

const races = 8;

/** The attempt as stored, and the same with what its executor has learnt since. */
export interface Held {
  readonly stored: Attempt;
  readonly working: OpenAttempt;
}

/** Commits a prepared attempt. The caller has the proof that nothing is owed. Throws StoreUnavailableError. */
export async function commitCreation(ports: ProvisioningPorts, held: Held, provenBy: CommitProof): Promise<Commitment> {
  const attempt = held.working;
  const id = creationOperationId(attempt.tenantId);
  for (let race = 0; race < races; race += 1) {
    const marker = await ports.markers.findById(id);
    if (
      !marker ||
      marker.provisioningState === 'cancelled' ||
      (marker.closedAt && marker.provisioningState !== 'committed')
    )
      return { kind: 'closed' };
    if (marker.provisioningState === 'committed')
      return { kind: 'committed', attempt: await finishCommitted(ports, held, marker, provenBy) };
    const now = ports.clock.now();
    assertStep(markerSteps, marker.provisioningState, 'committed', `creation marker ${id}`);
    const messages = committedMessages(attempt, now);
    const next: CreationMarker = {
      ...marker,
      provisioningState: 'committed',
      invoiceId: attempt.handles.invoiceId ?? null,
      committedAt: now,
    };
    const written = await writeFenced(
      ports.markers,
      marker,
      next as Draft<CreationMarker>,
      messages,
      ports.retryPolicy,
    );
    if (written.kind === 'unknown') return { kind: 'unknown', reason: written.reason };
    if (written.kind === 'lost') continue;
    ports.publishNow('lifecycle_outbox', id, messages);
    return { kind: 'committed', attempt: await finishCommitted(ports, held, written.record, provenBy) };
  }
  return { kind: 'unknown', reason: 'the marker changed too often' };
}

/** Lets attempt and reservations follow a committed marker; what is not done here the reconciliation does. */
export async function finishCommitted(
  ports: ProvisioningPorts,
  { stored, working }: Held,
  marker: CreationMarker,
  provenBy: CommitProof,
): Promise<Attempt> {
  // Its marker is committed only once the attempt is prepared: a copy that says otherwise was read before, by a sleeper.
  let current = working.preparedAt ? stored : ((await ports.attempts.findById(stored._id)) ?? stored);
  for (let race = 0; race < races && isOpen(current); race += 1) {
    const basis: OpenAttempt = current === stored ? working : current;
    const next = marker.resolution
      ? resolve(basis, { ...marker.resolution, at: ports.clock.now() })
      : commit(basis, provenBy, marker.committedAt ?? ports.clock.now());
    const written = await writeFenced(ports.attempts, current, next as Draft<Attempt>, [], ports.retryPolicy);
    if (written.kind === 'unknown' || !written.record) return current;
    if (written.kind === 'written') ports.meter.attemptReached('committed');
    current = written.record;
  }
  await settleReservations(ports, current);
  return current;
}
