/**
 * A waiver: a person records, off-line, that a message proceeds without the receipt of one consumer. Nothing is waived
 * automatically or after a time. One fenced write decides between the waiver and a concurrent receipt. The settlement,
 * which names the waived consumers, follows by its own fenced write or in the next round of the service.
 */
import { defineInvestigation, type InvestigationPorts, type Proofs } from '@platform/durable/investigation';
import { onceOnly } from '@platform/durable/record';
import { counted, ok } from '@platform/kernel';
import { isOpen, waive, type Delivery } from '../domain/delivery';
import type { ConsumerRecord } from '../domain/consumer';
import { openDeliveries, type Position } from '../store/deliveries';
import type { DeliveryPorts } from './ports';
import { settleMessage, type SettlePorts } from './settle-message';

/** Records only: a waiver publishes nothing. */
export type WaivePorts = InvestigationPorts & SettlePorts & Pick<DeliveryPorts, 'consumers'>;

/** `executorStopped`: how the person knows that the consumer gives no receipt; `id` is the delivery's. */
export interface WaiverProofs extends Proofs {
  /** Why the message may proceed without the consumer's effect. */
  readonly reason: string;
  /** Required for a registered consumer, which may still answer and act on the delivery. */
  readonly stillRegistered: boolean;
}

const reasonCharacters = { min: 10, max: 2_000 };

/** Why the reason of the waiver or its statement about the consumer is not valid; null when both are valid. */
function waiverRefusal(
  { consumer }: Delivery,
  { reason, stillRegistered }: WaiverProofs,
  record: ConsumerRecord | null,
): string | null {
  const { length } = reason.trim();
  if (length < reasonCharacters.min || length > reasonCharacters.max)
    return `Say in ${reasonCharacters.min} to ${reasonCharacters.max} characters why the message may go on without the effect of ${consumer} (--reason).`;
  const registered = record?.status === 'registered';
  if (registered && !stillRegistered)
    return `${consumer} is registered, by ${record.registeredBy}: it may answer at any moment. Start it, or have it unregister; who waives it all the same says so (--still-registered).`;
  if (!registered && stillRegistered)
    return `${consumer} is not registered: leave --still-registered out, and judge what you know of it again.`;
  return null;
}

const ended: Readonly<Record<string, string>> = {
  succeeded: 'its receipt is in',
  skipped_deleted: 'its workspace was deleted',
  waived: 'it was waived before',
};

export const deliveryWaiver = defineInvestigation({
  noun: 'delivery',
  executor: 'consumer',
  missing: 'There is no delivery of this operation to this consumer.',
  changed: 'The delivery has changed since it was read: perhaps its receipt has come. Read it again.',
  records: (ports: WaivePorts) => ports.deliveries,
  isOpen,
  known: (delivery) => `The delivery is ${delivery.status} (${ended[delivery.status]}): there is nothing to waive.`,
  beside: async (ports, delivery) => ok(await ports.consumers.findById(delivery.consumer)),
  refusal: waiverRefusal,
  warnings: ({ attemptCount, consumer }) => [
    `${consumer} was sent this ${counted(attemptCount, 'time')} and may still act on it. A receipt that comes later is recorded and changes nothing.`,
  ],
  resolve: (_ports, delivery, { executorStopped, reason, stillRegistered, by, at, ...checked }) =>
    waive(delivery, { ...checked, executorStopped, reason: reason.trim(), stillRegistered, by, at }),
  follow: async (ports, delivery) => {
    await settleWaived(ports, delivery.operationId);
  },
});

/** The waiver is recorded even if this fails; the next round of the service completes the rest. */
async function settleWaived(ports: WaivePorts, operationId: string): Promise<void> {
  const policy = ports.retryPolicy ?? onceOnly;
  for (let attempt = 1; ; attempt += 1) {
    const settled = await settleMessage(ports, operationId).catch(() => undefined);
    if (settled?.kind === 'ack') return;
    if (attempt >= policy.tries) return;
    await policy.pause(attempt);
  }
}

/** Every delivery of a consumer without a receipt, oldest first, page by page. Throws StoreUnavailableError. */
export async function* waitingDeliveriesOf(ports: Pick<DeliveryPorts, 'deliveries'>, consumer: string) {
  const pageSize = 200;
  for (let after: Position | null = null; ;) {
    const page: Awaited<ReturnType<typeof openDeliveries>> = await openDeliveries(
      ports.deliveries,
      consumer,
      after,
      pageSize,
    );
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = [last.createdAt, last._id];
  }
}
