/**
 * One further attempt of a delivery that lacks a receipt: a fenced write admits the attempt, then the message is
 * published under the attempt's number. Of two concurrent reconcilers one wins the write; the consumer deduplicates the
 * rest.
 */
import { beginAttempt, publicationOf, skipDeleted, type OpenDelivery } from '../domain/delivery';
import { nextAttemptAfter } from '../domain/retry';
import type { DeliveryPorts } from './ports';

/**
 * `unconfirmed`: the record shows a begun attempt, and the broker did not acknowledge it; the delivery is due again
 * later. `skip_unconfirmed`: the delivery of a deleted tenant may have ended.
 */
export type AttemptResult = 'published' | 'unconfirmed' | SkipResult;

/** `now` is the store's clock, with which due times are compared. */
export async function attemptDelivery(ports: DeliveryPorts, delivery: OpenDelivery, now: Date): Promise<AttemptResult> {
  if ((await ports.deletedTenants.findById(delivery.tenantId)) !== null) return skipDelivery(ports, delivery, now);
  const admitted = await ports.deliveries.mutate(
    delivery,
    beginAttempt(delivery, now, nextAttemptAfter(now, ports.random)),
  );
  if (admitted.outcome === 'not_applied') return 'lost_race';
  if (admitted.outcome === 'unknown') return 'unconfirmed';
  const published = await ports.broker.publish({ ...publicationOf(admitted.record as OpenDelivery) });
  return published === 'acknowledged' ? 'published' : 'unconfirmed';
}

type SkipResult = 'skipped_deleted' | 'lost_race' | 'skip_unconfirmed';

/** Ends a delivery whose tenant is deleted. */
export async function skipDelivery(ports: DeliveryPorts, delivery: OpenDelivery, now: Date): Promise<SkipResult> {
  const skipped = await ports.deliveries.mutate(delivery, skipDeleted(delivery, now));
  if (skipped.outcome === 'unknown') return 'skip_unconfirmed';
  return skipped.outcome === 'applied' ? 'skipped_deleted' : 'lost_race';
}
