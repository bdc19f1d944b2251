/**
 * Checkouts whose session has expired and whose event has not come. The session is read at the provider; what ends the
 * checkout is the same as for the event, so that a completion, an event and any number of replicas admit one attempt.
 */
import { walk } from '@platform/durable/record';
import { apart } from '@platform/mongo';
import type { CheckoutPorts } from './checkout-ports';
import { expireCheckout } from './expire-checkout';

/** One round; answers how many checkouts ended. Throws StoreUnavailableError. */
export async function endExpiredCheckouts(
  ports: CheckoutPorts,
  stopping: () => boolean = () => false,
): Promise<number> {
  const now = await ports.databaseNow();
  let ended = 0;
  for await (const { _id, checkout } of walk(ports.subscriptions, { 'checkout.sessionId': { $exists: true } }))
    await apart(ports.subscriptions, _id, async () => {
      if (stopping() || !checkout) return;
      const operation = await ports.operations.findById(checkout.operationId);
      const session = operation?.status === 'awaiting_receipts' ? operation.checkout : undefined;
      if (!session || session.expiresAt.getTime() > now.getTime()) return;
      if ((await expireCheckout(ports, { object: { id: session.sessionId } })).outcome === 'success') ended += 1;
    });
  return ended;
}
