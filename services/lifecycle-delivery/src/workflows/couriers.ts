/**
 * One courier for each consumer that is served over HTTP: it reads the consumer's durable and posts what comes. Each has
 * its own places, so a slow endpoint holds up its own messages alone. Replicas share a durable and its messages.
 */
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import type { Subscription } from '@platform/messaging';
import { isPostedTo } from '../domain/endpoint';
import { deliverOverHttp } from './deliver-over-http';
import type { DeliveryPorts } from './ports';

export interface Couriers {
  /** Opens and closes couriers as the records say. Throws StoreUnavailableError; the next round follows. */
  align(): Promise<void>;
  /** Waits for the POSTs under way. */
  close(): Promise<void>;
}

/** `concurrency`: POSTs of one process to one endpoint at a time. */
export function createCouriers(ports: DeliveryPorts, concurrency: number): Couriers {
  const open = new Map<string, Subscription>();
  const closing = new Set<Promise<void>>();
  let aligning: Promise<void> = Promise.resolve();
  let closed = false;

  function dismiss(consumer: string, courier: Subscription): void {
    const ended = courier.close().finally(() => closing.delete(ended));
    closing.add(ended);
    open.delete(consumer);
  }

  async function alignNow(): Promise<void> {
    if (closed) return;
    const wanted = new Set((await ports.readConsumers()).filter(isPostedTo).map(({ _id }) => _id));
    // Not awaited: a slow POST must not delay the couriers of other teams.
    for (const [consumer, courier] of open) if (!wanted.has(consumer)) dismiss(consumer, courier);
    for (const consumer of wanted) {
      if (open.has(consumer) || closed) continue;
      const options = { stream: lifecycleStreams.deliveries, durable: consumer, concurrency };
      open.set(consumer, await ports.broker.consume(options, deliverOverHttp(ports, consumer)));
    }
  }

  return {
    align() {
      const aligned = aligning.then(alignNow);
      aligning = aligned.catch(() => undefined);
      return aligned;
    },
    async close() {
      closed = true;
      await aligning;
      for (const [consumer, courier] of open) dismiss(consumer, courier);
      await Promise.all(closing);
    },
  };
}
