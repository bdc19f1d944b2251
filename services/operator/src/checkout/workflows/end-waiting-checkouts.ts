/**
 * Checkouts whose event has not arrived, or arrived before the bank's answer: those whose session has come to its date,
 * paid or expired, and those that wait with a finished session. The session is read at the provider; the same workflow
 * as for the event ends the checkout, so that completions, events and any number of replicas together admit one attempt.
 */
import { walk } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import type { CheckoutPorts } from './checkout-ports';
import { completeCheckout } from './complete-checkout';
import { expireCheckout } from './expire-checkout';

/** One round; returns the number of checkouts that ended. Throws StoreUnavailableError. */
export async function endWaitingCheckouts(
  ports: CheckoutPorts,
  stopping: () => boolean = () => false,
): Promise<number> {
  const now = await ports.databaseNow();
  let ended = 0;
  for await (const { _id, checkout } of walk(ports.subscriptions, { 'checkout.sessionId': { $exists: true } }))
    await apart(ports.subscriptions, _id, async () => {
      if (stopping() || !checkout) return;
      if (await endWaiting(ports, checkout.operationId, now)) ended += 1;
    });
  return ended;
}

async function endWaiting(ports: CheckoutPorts, operationId: string, now: Date): Promise<boolean> {
  const operation = await ports.operations.findById(operationId);
  const session = operation?.status === 'awaiting_receipts' ? operation.checkout : undefined;
  if (!session) return false;
  const event = { object: { id: session.sessionId } };
  const due = session.expiresAt.getTime() <= now.getTime();
  if (!session.waitsFor && !due) return false;
  const expired = !session.waitsFor && (await expireCheckout(ports, event)).outcome !== 'failed';
  // A session that is not expired by its date was paid, and the event that says so may never come.
  if (!expired) await completeCheckout(ports, event);
  const after = await ports.operations.findById(operationId);
  return after?.status === 'succeeded' || after?.status === 'failed';
}
