/**
 * A change whose payment the card holder must confirm: the provider holds the change, the operation waits with the
 * address of the page, and its transition remains. The provider's state ends the wait; it is read after an event or in
 * a periodic round. Reading has no effect, so any number of replicas may read at once; the end is one fenced write.
 */
import { writeHeld } from '@platform/durable/effects';
import { walk } from '@platform/durable/record';
import { assert, type Outcome } from '@platform/kernel';
import { apart } from '@platform/mongo';
import type { ProviderInvoice, ProviderSubscription } from '@platform/payment-provider';
import { itemsOf, sellsPrice } from '@platform/payment-provider/effects';
import type { EffectAnswer } from '../domain/effects';
import { awaitPayment } from '../domain/journal';
import type {
  AwaitedPayment,
  AwaitingPaymentOperation,
  RunningOperation,
  SucceededOperation,
} from '../domain/operation';
import { completeOperation } from './complete-operation';
import { journalFailure, journalStop, lost } from './journal-outcome';
import type { OperationAnswer } from './operation-answer';
import { effectsOf, type OperationHold } from './operation-effects';
import type { OperatorPorts } from './ports';

/** The step that waits for a person according to the effects' answers; undefined when there is none. */
export function heldBy(
  { _id, checkpoint }: RunningOperation,
  answers: readonly EffectAnswer[],
): AwaitedPayment | undefined {
  const held = answers.findLast((answer) => answer.held)?.held;
  if (!held) return undefined;
  const subscriptionId = checkpoint?.['subscriptionId'];
  assert(subscriptionId, `operation ${_id} has no checkpoint`);
  return { ...held, subscriptionId };
}

/** Ends the attempt; nothing is mirrored, because the provider has changed nothing yet. */
export async function letPaymentBeConfirmed(
  ports: OperatorPorts,
  hold: OperationHold,
  payment: AwaitedPayment,
): Promise<OperationAnswer> {
  const next = awaitPayment(hold.working, payment, ports.clock.now());
  const written = await writeHeld(effectsOf(ports), hold, next);
  if (written.kind === 'unknown')
    return {
      kind: 'store_unavailable',
      detail: `The provider holds the change until its payment is confirmed, but that could not be recorded (${written.reason}). Read the operation; do not choose a new id.`,
    };
  if (written.kind === 'written') {
    ports.meter.operationReached(hold.working.action, written.record.status);
    ports.log.info({ operationId: hold.working._id }, 'a payment waits for its confirmation');
  }
  return lost(ports, written.record);
}

/**
 * Ends an upgrade at once when its invoice was voided. The event and the periodic round would bring the same end. Never
 * fails.
 */
export async function endPaymentAtOnce(ports: OperatorPorts, { _id, checkpoint }: SucceededOperation): Promise<void> {
  const upgradeId = checkpoint?.['upgradeId'];
  try {
    if (upgradeId !== undefined) await lookAtPayment(ports, upgradeId);
  } catch (error) {
    ports.log.warn({ operationId: _id, upgradeId, err: error }, 'the upgrade is not ended yet');
  }
}

/**
 * Reads at the provider whether one wait has ended; true when the operation waits no longer. Throws
 * StoreUnavailableError.
 */
export async function lookAtPayment(ports: OperatorPorts, operationId: string): Promise<boolean> {
  const operation = await ports.operations.findById(operationId);
  if (operation?.status !== 'awaiting_payment') return false;
  const answer = await judge(ports, operation);
  return answer?.kind === 'succeeded' || answer?.kind === 'failed' || answer?.kind === 'stopped';
}

async function judge(ports: OperatorPorts, operation: AwaitingPaymentOperation): Promise<OperationAnswer | null> {
  const { invoiceId, subscriptionId } = operation.payment;
  const hold = { stored: operation, working: operation };
  const invoice = await ports.provider.retrieveInvoice(invoiceId);
  if (invoice.outcome !== 'succeeded') return null;
  // A void invoice is never paid, so the change that waited for it is never made.
  if (invoice.value.status === 'void')
    return journalFailure(ports, hold, {
      code: 'confirmation_expired',
      message: 'The payment was not confirmed, and it was given up. Nothing was charged, and the plan is as it was.',
    });
  const paid = invoice.value.status === 'paid';
  const sold = await ports.provider.retrieveSubscription(subscriptionId);
  const { priceId } = operation.checkpoint ?? {};
  if (sold.outcome === 'succeeded' && sellsPrice(sold.value, priceId)) {
    const subscription = paid ? await ports.subscriptions.findById(operation.tenantId) : null;
    return subscription && completeOperation(ports, hold, subscription);
  }
  const found = instead(sold, priceId);
  if (found === null) return null;
  if (!paid && !(await isStill(ports, invoice.value))) return null;
  const state = paid ? 'is paid' : `is ${invoice.value.status} and can still be paid`;
  return journalStop(ports, hold, {
    code: 'outcome_unknown',
    message: `The invoice ${invoiceId} of this upgrade ${state}, but ${found}. Settle at the provider what the workspace pays for, then record the outcome.`,
  });
}

/** Whether the invoice is as it was read before the subscription: it may have been paid or given up in between. */
async function isStill({ provider }: OperatorPorts, { id, status }: ProviderInvoice): Promise<boolean> {
  const again = await provider.retrieveInvoice(id);
  return again.outcome === 'succeeded' && again.value.status === status;
}

/**
 * What the provider shows in place of a change; null while the change may still take effect, or nothing could be
 * read. Without a pending update the provider makes no further change, so waiting longer proves nothing.
 */
function instead(sold: Outcome<ProviderSubscription>, priceId: string | undefined): string | null {
  if (sold.outcome === 'failed' && sold.code === 'not_found') return 'the provider has no such subscription';
  if (sold.outcome !== 'succeeded' || sold.value.pendingUpdate) return null;
  const prices = itemsOf(sold.value).map((item) => item.priceId);
  return `the subscription ${sold.value.id} sells ${prices.join(' and ')}, not ${priceId ?? 'a price on record'}`;
}

/** One round over all waiting operations; returns the number that ended. Throws StoreUnavailableError. */
export async function lookAtPayments(ports: OperatorPorts, stopping?: () => boolean): Promise<number> {
  let ended = 0;
  const oldestFirst = { sort: ['createdAt', '_id'] };
  for await (const { _id } of walk(ports.operations, { status: 'awaiting_payment' }, oldestFirst))
    await apart(ports.operations, _id, async () => {
      if (!stopping?.() && (await lookAtPayment(ports, _id))) ended += 1;
    });
  return ended;
}
