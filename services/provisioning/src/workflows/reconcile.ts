/**
 * Reconciliation, at start and every five minutes: brings attempts to the state of their markers, and commits prepared
 * creations whose first invoice the provider shows as paid, unless the subscription that was paid for has ended. It
 * never charges. It rolls back creations that an investigation closed as not applied, and those whose person did not
 * confirm the payment before the provider voided the invoice.
 */
import { decide, walk } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { creationOperationId } from '@platform/contracts-provisioning';
import { alertEntry } from '@platform/kernel';
import { apart } from '@platform/mongo';
import type { ProviderInvoice } from '@platform/payment-provider';
import {
  isOpen,
  unresolvedStatuses,
  type Attempt,
  type CommitProof,
  type EndedAttempt,
  type OpenAttempt,
} from '../domain/attempt';
import {
  cancelledMessage,
  isOpenMarker,
  markerSteps,
  type CancelledMarker,
  type CreationMarker,
} from '../domain/marker';
import { awaitConfirmation, cancel, resolve, stop } from '../domain/progress';
import { commitCreation, finishCommitted } from './commit-creation';
import { coverRows } from './cover-rows';
import type { ProvisioningPorts } from './ports';
import { endReservations, removeRemains } from './remove-remains';
import { rollBack } from './roll-back';
import { attemptKey } from './work-keys';

export type Reconciled =
  'committed' | 'cancelled' | 'unpaid' | 'not_prepared' | 'paid_while_taken_back' | 'paid_after_end' | 'unknown';

export interface ReconciliationReport {
  readonly looked: number;
  readonly committed: number;
  readonly settled: number;
}

/** Judges one open attempt by its marker and by the provider's records. Throws StoreUnavailableError. */
export async function reconcileAttempt(
  ports: ProvisioningPorts,
  attempt: OpenAttempt,
  provenBy: CommitProof,
): Promise<Reconciled> {
  const held = { stored: attempt, working: attempt };
  const marker = await ports.markers.findById(creationOperationId(attempt.tenantId));
  if (marker?.provisioningState === 'committed')
    return isOpen(await finishCommitted(ports, held, marker, provenBy)) ? 'unknown' : 'committed';
  if (marker?.provisioningState === 'cancelled') return followTombstone(ports, attempt, marker);
  if (!attempt.preparedAt) return 'not_prepared';
  const payment = await firstPayment(ports, attempt);
  if (payment === 'unknown') return 'unknown';
  if (payment !== 'settled') return unpaid(ports, attempt, payment);
  if (attempt.rollback) return stopPaid(ports, attempt, paidWhileTakenBack);
  const sold = await soldSubscription(ports, attempt);
  if (sold === 'unknown') return 'unknown';
  if (sold === 'ended') return stopPaid(ports, attempt, paidAfterEnd);
  const commitment = await commitCreation(ports, held, provenBy);
  if (commitment.kind === 'committed') return 'committed';
  return commitment.kind === 'closed' ? stopPaid(ports, attempt, paidWhileTakenBack) : 'unknown';
}

/**
 * Whether the subscription still exists that the first payment was for. It is not read where nothing had to be paid:
 * the end of such a subscription costs no one money, and the mirror shows it.
 */
async function soldSubscription(
  { provider }: ProvisioningPorts,
  { paymentFree, handles }: Attempt,
): Promise<'runs' | 'ended' | 'unknown'> {
  if (paymentFree || handles.invoiceId === undefined) return 'runs';
  const read = await provider.retrieveSubscription(handles.subscriptionId ?? '');
  if (read.outcome !== 'succeeded') return 'unknown';
  return ['canceled', 'incomplete_expired'].includes(read.value.status) ? 'ended' : 'runs';
}

/** The first invoice while an amount on it is owed. */
async function firstPayment(
  { provider }: ProvisioningPorts,
  { paymentFree, handles }: Attempt,
): Promise<'settled' | 'unknown' | ProviderInvoice> {
  if (paymentFree || handles.invoiceId === undefined) return 'settled';
  const invoice = await provider.retrieveInvoice(handles.invoiceId);
  if (invoice.outcome !== 'succeeded') return 'unknown';
  return invoice.value.status === 'paid' ? 'settled' : invoice.value;
}

/**
 * A creation that waits for its person's payment is rolled back when the provider has voided its invoice, because a
 * void invoice is never paid. Where its subscription has ended and the invoice can still be paid, nothing else would end
 * the wait, and the rollback voids the invoice first. The rollback begins with a fenced write, so exactly one of any
 * number of replicas does it.
 */
async function unpaid(ports: ProvisioningPorts, attempt: OpenAttempt, invoice: ProviderInvoice): Promise<Reconciled> {
  const { confirmation, rollback, tenantId } = attempt;
  if (!confirmation || rollback || attempt.status !== 'awaiting_payment') return 'unpaid';
  if (invoice.status !== 'void' && confirmation.url === undefined && invoice.hostedUrl !== null) {
    await ports.attempts.mutate(attempt, awaitConfirmation(attempt, { ...confirmation, url: invoice.hostedUrl }));
    return 'unpaid';
  }
  const subscription = await soldSubscription(ports, attempt);
  if (subscription === 'unknown') return invoice.status === 'void' ? 'unknown' : 'unpaid';
  const ended = subscription === 'ended';
  if (invoice.status !== 'void' && !ended) return 'unpaid';
  // The provider ends subscription and invoice one after the other, and a person may have paid in between.
  const now = invoice.status === 'void' ? invoice : await firstPayment(ports, attempt);
  if (now === 'settled' || now === 'unknown') return 'unpaid';
  const owed = now.status !== 'void';
  const key = attemptKey(tenantId);
  if (ports.work.find(key)) return 'unpaid';
  const answer = await ports.work.run(key, ({ retryPolicy }) =>
    rollBack(
      {
        ...{ ports: { ...ports, retryPolicy }, stored: attempt, attempt },
        ...(ended && { subscriptionEnded: true }),
        ...(owed && { payableInvoice: now.id }),
      },
      owed ? endedUnpaid : expiredUnpaid,
    ),
  );
  if (answer.kind === 'committed') return 'committed';
  return answer.kind === 'refused' ? 'cancelled' : 'unknown';
}

const expiredUnpaid = {
  code: 'confirmation_expired',
  message: 'The payment was not confirmed in time, and nothing was charged.',
};
const endedUnpaid = {
  code: 'confirmation_expired',
  message: 'The subscription ended at the payment provider before its payment was confirmed, and nothing was charged.',
};

async function followTombstone(
  ports: ProvisioningPorts,
  attempt: OpenAttempt,
  { resolution }: CreationMarker,
): Promise<Reconciled> {
  if (!(await coverRows(ports, attempt.tenantId))) return 'unknown';
  const at = ports.clock.now();
  const next = resolution ? resolve(attempt, { ...resolution, at }) : cancel(attempt, at);
  const written = await ports.attempts.mutate(attempt, next);
  if (written.outcome !== 'applied') return 'unknown';
  await endReservations(ports, written.record);
  return 'cancelled';
}

const paidWhileTakenBack = {
  code: 'paid_while_taken_back',
  message: 'Nothing is owed on the first invoice any more, and this creation is being taken back.',
} as const;
const paidAfterEnd = {
  code: 'paid_after_end',
  message: 'The first invoice is paid, and its subscription has ended at the payment provider.',
} as const;

/**
 * Money arrived for a creation that is being rolled back, or for a subscription that has ended: only a person can
 * decide.
 */
async function stopPaid(
  ports: ProvisioningPorts,
  attempt: OpenAttempt,
  error: typeof paidWhileTakenBack | typeof paidAfterEnd,
): Promise<Reconciled> {
  if (attempt.paymentFree || (attempt.status === 'reconciliation_required' && attempt.lastError.code === error.code))
    return error.code;
  const at = ports.clock.now();
  const alert = alertEntry(
    {
      service: ports.executor.service,
      kind: 'provisioning_attempt',
      id: attempt._id,
      tenantId: attempt.tenantId,
      reason: error.message,
      at,
    },
    error.code,
  );
  const written = await ports.attempts.mutate(attempt, stop(attempt, error), [alert]);
  if (written.outcome === 'applied') ports.publishNow('attempts', attempt._id, [alert]);
  return error.code;
}

/**
 * Writes the tombstone of a cancelled attempt that an investigation ended before its marker existed; an executor that
 * slept may have written the marker since. True when nothing is left to do. Throws StoreUnavailableError.
 */
async function isBuried(ports: ProvisioningPorts, attempt: EndedAttempt): Promise<boolean> {
  if (attempt.status === 'committed') return true;
  const { tenantId, resolution, cancelledAt } = attempt;
  const id = creationOperationId(tenantId);
  const message = cancelledMessage(tenantId, resolution ? 'resolved_not_applied' : 'cancelled', ports.clock.now());
  const ends = { closedAt: cancelledAt, cancelledAt, ...(resolution && { resolution }) };
  const decided = await decide<CreationMarker, Checked<CreationMarker>, CreationMarker>(
    ports,
    ports.markers,
    id,
    (marker) => {
      if (marker && !isOpenMarker(marker)) return { answer: marker };
      const write = marker
        ? markerSteps.move(marker, 'cancelled', ends)
        : markerSteps.begin<CancelledMarker>({ _id: id, tenantId, provisioningState: 'cancelled', ...ends });
      return { write, announce: [message] };
    },
  );
  if (decided.kind === 'unknown') return false;
  if (decided.kind === 'written') ports.publishNow('lifecycle_outbox', id, decided.announced);
  return coverRows(ports, tenantId);
}

/**
 * All open attempts, oldest first, and the reservations that do not know their attempt's end; ends early when
 * `stopping`.
 */
export async function reconcile(
  ports: ProvisioningPorts,
  stopping: () => boolean = () => false,
): Promise<ReconciliationReport> {
  let [looked, committed, settled] = [0, 0, 0];
  const oldestFirst = { sort: ['createdAt', '_id'] };
  for (const status of unresolvedStatuses) {
    for await (const attempt of walk(ports.attempts, { status }, oldestFirst))
      await apart(ports.attempts, attempt._id, async () => {
        if (stopping() || !isOpen(attempt)) return;
        looked += 1;
        if ((await reconcileAttempt(ports, attempt, 'reconciliation')) === 'committed') committed += 1;
      });
  }
  for (const status of ['committed', 'cancelled']) {
    const unsettled = { 'reservations.state': 'held', status };
    for await (const attempt of walk(ports.attempts, unsettled, oldestFirst))
      await apart(ports.attempts, attempt._id, async () => {
        if (stopping() || isOpen(attempt) || !(await isBuried(ports, attempt))) return;
        if (await endReservations(ports, attempt)) settled += 1;
      });
  }
  for await (const remains of walk(ports.remains, { status: 'open' }, oldestFirst))
    await apart(ports.remains, remains._id, async () => {
      if (!stopping()) await removeRemains(ports, remains);
    });
  return { looked, committed, settled };
}
