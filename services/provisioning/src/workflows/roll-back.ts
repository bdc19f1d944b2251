/**
 * Rolls a creation back after a definitive refusal, or when its payment was not confirmed in time, in the order of
 * workflows §3: close lifecycle admission, deletion listeners, provider subscription, provider customer, tombstone with
 * its rows, attempt, reservations. When a step is not proven, the later steps are left out, nothing more is removed,
 * and people are alerted. The tombstone replaces only the marker that this rollback closed, so the rollback loses to an
 * investigation that ended the creation meanwhile.
 */
import { creationOperationId } from '@platform/contracts-provisioning';
import { writeFenced } from '@platform/durable/record';
import type { CallIntent, PreparedCall } from '@platform/payment-provider';
import type { AttemptError } from '../domain/attempt';
import {
  cancelledMessage,
  isOpenMarker,
  markerSteps,
  type CommittedMarker,
  type CreationMarker,
  type OpenMarker,
} from '../domain/marker';
import { beginRollback, cancel } from '../domain/progress';
import { callListeners } from './call-listeners';
import { finishCommitted } from './commit-creation';
import { coverRows } from './cover-rows';
import { settleReservations } from './reserve';
import { answerOf, callProvider, save, stopRun, type CreationAnswer, type Run } from './run';

/** The rollback retries longer than the creation, because a step that it cannot complete needs a person. */
const providerTries = 8;

/** Ends the run: cancelled, or stopped with all records kept; committed when a payment was faster. */
export async function rollBack(run: Run, error: AttemptError): Promise<CreationAnswer> {
  const { ports } = run;
  const end = await save(run, beginRollback(run.attempt, ports.executor, error, ports.clock.now()));
  if (end) return end;
  const marker = await ports.markers.findById(creationOperationId(run.attempt.tenantId));
  const closing = await closeAdmission(run, marker);
  if ('end' in closing) return closing.end;
  const incomplete =
    (await notifyListeners(run)) ??
    (await endAtProvider(run)) ??
    (await leaveTombstone(run, closing.closed, error.code));
  if (incomplete) return incomplete;
  const cancelled = await save(run, cancel(run.attempt, ports.clock.now()));
  if (cancelled) return cancelled;
  ports.meter.attemptReached('cancelled');
  await settleReservations(ports, run.stored);
  return answerOf(run.stored);
}

type Closing = { readonly closed: OpenMarker } | { readonly end: CreationAnswer };

async function committedMeanwhile({ ports, stored, attempt }: Run, standing: CommittedMarker): Promise<CreationAnswer> {
  return {
    kind: 'committed',
    attempt: await finishCommitted(ports, { stored, working: attempt }, standing, 'reconciliation'),
  };
}

/** From here on no payment commits this creation. If a payment was faster, the workspace exists. */
async function closeAdmission(run: Run, marker: CreationMarker | null): Promise<Closing> {
  const { ports } = run;
  if (marker?.provisioningState === 'committed') return { end: await committedMeanwhile(run, marker) };
  const incomplete = () =>
    stopRun(run, {
      code: 'closure_incomplete',
      message: 'The creation was declined, and its lifecycle admission could not be closed.',
    });
  // A tombstone is final: an investigation ended this creation while its executor slept.
  if (!marker || !isOpenMarker(marker)) return { end: await incomplete() };
  const closed = markerSteps.keep<OpenMarker>(marker, { closedAt: ports.clock.now() });
  const written = await writeFenced(ports.markers, marker as CreationMarker, closed, [], ports.retryPolicy);
  if (written.kind === 'written' && isOpenMarker(written.record)) return { closed: written.record };
  const standing = written.kind === 'lost' ? written.record : null;
  if (standing?.provisioningState === 'committed') return { end: await committedMeanwhile(run, standing) };
  return { end: await incomplete() };
}

/**
 * Every registered listener, for every creation that reached the tenant's row: a listener may be registered for
 * deletions only.
 */
async function notifyListeners(run: Run): Promise<CreationAnswer | undefined> {
  if (!(await run.ports.tenants.findById(run.attempt.tenantId))) return undefined;
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
  const invoiceId = run.payableInvoice;
  const voiding = invoiceId && (() => provider.prepare(intent, { step: 'void_invoice', invoiceId }));
  const removals: (() => PreparedCall<unknown>)[] = [
    ...(subscriptionId && !run.subscriptionEnded
      ? [() => provider.prepare(intent, { step: 'cancel_now', subscriptionId })]
      : []),
    ...(customerId ? [() => provider.prepare(intent, { step: 'delete_customer', customerId })] : []),
  ];
  // An invoice that the provider does not void may be paid, whatever became of its customer.
  const kept = voiding && (await takenBack(run, voiding, async () => false));
  if (kept) return kept;
  for (const prepare of removals) {
    const end = await takenBack(run, prepare, () => isCustomerDeleted(run));
    if (end) return end;
  }
  return undefined;
}

/** One call of the rollback; `isGone` says after a refusal whether there is nothing to remove any more. */
async function takenBack(
  run: Run,
  prepare: () => PreparedCall<unknown>,
  isGone: () => Promise<boolean>,
): Promise<CreationAnswer | undefined> {
  const called = await callProvider(run, prepare, providerTries);
  if (called.kind === 'ended') return called.answer;
  if (called.kind === 'succeeded' || (await isGone())) return undefined;
  return stopRun(run, {
    code: 'closure_incomplete',
    message: `The creation is taken back, and the payment provider refused a part of it: ${called.error.message}`,
  });
}

/** A person may have deleted the customer at the provider, which ends its subscriptions with it. */
async function isCustomerDeleted({ ports, attempt }: Run): Promise<boolean> {
  const { customerId } = attempt.handles;
  const read = customerId === undefined ? null : await ports.provider.retrieveCustomer(customerId);
  return read?.outcome === 'succeeded' && read.value.deleted;
}

/** The tombstone decides; any process may complete its rows. */
async function leaveTombstone(run: Run, closed: OpenMarker, code: string): Promise<CreationAnswer | undefined> {
  // The provider's answers are recorded before the tombstone makes the record final.
  const end = await save(run);
  if (end) return end;
  const standing = await bury(run, closed, code);
  if (standing?.provisioningState === 'committed') return committedMeanwhile(run, standing);
  const kept = standing?.provisioningState === 'cancelled' && (await coverRows(run.ports, run.attempt.tenantId));
  return kept
    ? undefined
    : stopRun(run, {
        code: 'closure_incomplete',
        message: 'The creation was declined and taken back at the provider, and its tombstone could not be written.',
      });
}

/** Writes the tombstone over the closed marker; returns the marker after that, null when it is unknown. */
async function bury({ ports, attempt }: Run, closed: OpenMarker, code: string): Promise<CreationMarker | null> {
  const now = ports.clock.now();
  const message = cancelledMessage(attempt.tenantId, code, now);
  const tombstone = markerSteps.move(closed, 'cancelled', { cancelledAt: now });
  const written = await writeFenced(ports.markers, closed, tombstone, [message], ports.retryPolicy);
  if (written.kind === 'unknown') return null;
  if (written.kind === 'written') ports.publishNow('lifecycle_outbox', closed._id, [message]);
  return written.record;
}
