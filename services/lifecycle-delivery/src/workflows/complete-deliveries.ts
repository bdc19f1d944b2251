/**
 * Brings the deliveries of an accepted message to the state that the record requires: one per required consumer, each
 * begun before it is published. Used when the message arrives, when it arrives again, and by the retry worker.
 */
import { isOpen, newDelivery, publicationOf, type Delivery } from '../domain/delivery';
import type { AwaitingMessage } from '../domain/lifecycle-message';
import { nextAttemptAfter, repeatIsFree } from '../domain/retry';
import type { DeliveryPorts } from './ports';

export type Completion =
  | { readonly result: 'under_way' }
  /** Every delivery has ended. */
  | { readonly result: 'all_settled' }
  | { readonly result: 'incomplete'; readonly reason: string };

/**
 * Inserts missing deliveries. Publishes those without a receipt under the number of the begun attempt, while the broker
 * still recognises a repeat; the retry worker handles older deliveries.
 */
export async function completeDeliveries(ports: DeliveryPorts, message: AwaitingMessage): Promise<Completion> {
  const tenantDeleted = (await ports.deletedTenants.findById(message.tenantId)) !== null;
  const consumers = await ports.readConsumers();
  const paused = new Set(consumers.filter((one) => one.paused).map(({ _id }) => _id));
  const results = await Promise.all(
    message.required.map((consumer) =>
      completeOne(ports, message, consumer, { tenantDeleted, paused: paused.has(consumer) }),
    ),
  );
  const failure = results.find((one) => typeof one === 'string');
  if (failure !== undefined) return { result: 'incomplete', reason: failure };
  return { result: results.every((one) => typeof one !== 'string' && !isOpen(one)) ? 'all_settled' : 'under_way' };
}

/** The delivery as stored, or why it could not be completed. */
async function completeOne(
  ports: DeliveryPorts,
  message: AwaitingMessage,
  consumer: string,
  known: { readonly tenantDeleted: boolean; readonly paused: boolean },
): Promise<Delivery | string> {
  const now = ports.clock.now();
  const draft = newDelivery(message, consumer, { now, nextAttemptAt: nextAttemptAfter(now, ports.random) }, known);
  const inserted = await ports.deliveries.insert(draft);
  if (inserted.outcome === 'unknown') return inserted.reason;
  const delivery = inserted.outcome === 'applied' ? inserted.record : inserted.existing;
  if (!delivery) return `delivery ${draft._id} could not be read back`;
  // A delivery of a paused consumer has no attempt yet; the first one begins after the pause.
  if (!isOpen(delivery) || known.tenantDeleted || known.paused || delivery.attemptCount === 0) return delivery;
  // The attempt of a delivery that was inserted now begins now, so it is published.
  if (!repeatIsFree(delivery, now)) return delivery;
  const published = await ports.broker.publish({ ...publicationOf(delivery) });
  return published === 'acknowledged' ? delivery : `delivery to ${consumer} was not acknowledged by the broker`;
}
