/**
 * Taking a creation back after a definitive refusal, in the order of workflows §3: close lifecycle admission, deletion
 * listeners, provider subscription, provider customer, tombstone, attempt, reservations. When a step is not proven, the
 * rest is left, nothing is removed, and people are alerted. Tombstones and the tenant's row are never dropped.
 */
import { creationOperationId } from '@platform/contracts-provisioning';
import type { Revisioned } from '@platform/kernel';
import { writeFenced } from '@platform/durable/record';
import type { Draft, RevisionedCollection } from '@platform/mongo';
import type { CallIntent, PreparedCall } from '@platform/payment-provider';
import type { AttemptError } from '../domain/attempt';
import { cancelledMessage, type CreationMarker } from '../domain/marker';
import { beginRollback, cancel } from '../domain/progress';
import { callListeners } from './call-listeners';
import { finishCommitted } from './commit-creation';
import { settleReservations } from './reserve';
import { answerOf, callProvider, save, stopRun, type CreationAnswer, type Run } from './run';

/** Ends the run: cancelled, or stopped with everything kept; committed when a payment was faster. */
export async function rollBack(run: Run, error: AttemptError): Promise<CreationAnswer> {
  const { ports } = run;
  const end = await save(run, beginRollback(run.attempt, error, ports.clock.now()));
  if (end) return end;
  const marker = await ports.markers.findById(creationOperationId(run.attempt.tenantId));
  const incomplete =
    (await closeAdmission(run, marker)) ??
    (marker && (await notifyListeners(run))) ??
    (await endAtProvider(run)) ??
    (marker && (await leaveTombstone(run, error.code)));
  if (incomplete) return incomplete;
  const cancelled = await save(run, cancel(run.attempt, ports.clock.now()));
  if (cancelled) return cancelled;
  ports.meter.attemptReached('cancelled');
  await settleReservations(ports, run.stored);
  return answerOf(run.stored);
}

/** From here on no payment commits this creation. A payment that was faster wins: the workspace stands. */
async function closeAdmission(run: Run, marker: CreationMarker | null): Promise<CreationAnswer | undefined> {
  if (!marker) return undefined;
  const { ports } = run;
  const committed = async (standing: CreationMarker): Promise<CreationAnswer> => ({
    kind: 'committed',
    attempt: await finishCommitted(ports, { stored: run.stored, working: run.attempt }, standing, 'reconciliation'),
  });
  if (marker.provisioningState === 'committed') return committed(marker);
  const written = await writeFenced(
    ports.markers,
    marker,
    { ...marker, closedAt: ports.clock.now() } as Draft<CreationMarker>,
    [],
    ports.retryPolicy,
  );
  if (written.kind === 'written') return undefined;
  const standing = written.kind === 'lost' ? written.record : null;
  if (standing?.provisioningState === 'committed') return committed(standing);
  return stopRun(run, {
    code: 'closure_incomplete',
    message: 'The creation was declined, and its lifecycle admission could not be closed.',
  });
}

async function notifyListeners(run: Run): Promise<CreationAnswer | undefined> {
  if (run.attempt.listenerCalls.length === 0) return undefined;
  const heard = await callListeners(run, 'TENANT_DELETED');
  if (heard.kind === 'done') return undefined;
  return heard.kind === 'ended'
    ? heard.answer
    : stopRun(run, {
        code: 'closure_incomplete',
        message: `The creation was declined, and its deletion is incomplete: ${heard.error.message}`,
      });
}

async function endAtProvider(run: Run): Promise<CreationAnswer | undefined> {
  const { provider } = run.ports;
  const { subscriptionId, customerId } = run.attempt.handles;
  const intent: CallIntent = { operationId: run.attempt._id };
  const calls: (() => PreparedCall<unknown>)[] = [
    ...(subscriptionId ? [() => provider.prepare(intent, { step: 'cancel_now', subscriptionId })] : []),
    ...(customerId ? [() => provider.prepare(intent, { step: 'delete_customer', customerId })] : []),
  ];
  for (const prepare of calls) {
    const called = await callProvider(run, prepare());
    if (called.kind === 'ended') return called.answer;
    if (called.kind === 'failed')
      return stopRun(run, {
        code: 'closure_incomplete',
        message: `The creation was declined, and the payment provider did not take it back: ${called.error.message}`,
      });
  }
  return undefined;
}

/** The rows go with the tombstone: the tenant's row says cancelled, the person's billing profile is erased. */
async function leaveTombstone(run: Run, code: string): Promise<CreationAnswer | undefined> {
  // What the provider answered stands in the record before the tombstone makes it final.
  const end = await save(run, run.attempt);
  if (end) return end;
  const { ports, attempt } = run;
  const { tenantId } = attempt;
  const kept =
    (await change(run, ports.tenants, tenantId, (tenant) => ({ ...tenant, status: 'cancelled' as const }))) &&
    (await change(run, ports.billingProfiles, tenantId, (billing) => ({ ...billing, profile: null }))) &&
    (await bury(run, code));
  return kept
    ? undefined
    : stopRun(run, {
        code: 'closure_incomplete',
        message: 'The creation was declined and taken back at the provider, and its tombstone could not be written.',
      });
}

async function bury({ ports, attempt }: Run, code: string): Promise<boolean> {
  const id = creationOperationId(attempt.tenantId);
  const marker = await ports.markers.findById(id);
  if (!marker) return false;
  const now = ports.clock.now();
  const message = cancelledMessage(attempt.tenantId, code, now);
  const written = await writeFenced(
    ports.markers,
    marker,
    { ...marker, provisioningState: 'cancelled', cancelledAt: now } as Draft<CreationMarker>,
    [message],
    ports.retryPolicy,
  );
  if (written.kind === 'written') ports.publishNow('lifecycle_outbox', id, [message]);
  return written.kind === 'written';
}

/** True when the change stands, or there is no such row. */
async function change<T extends Revisioned>(
  { ports }: Run,
  collection: RevisionedCollection<T>,
  id: string,
  next: (record: T) => T,
): Promise<boolean> {
  const record = await collection.findById(id);
  if (!record) return true;
  return (await writeFenced(collection, record, next(record) as Draft<T>, [], ports.retryPolicy)).kind === 'written';
}
