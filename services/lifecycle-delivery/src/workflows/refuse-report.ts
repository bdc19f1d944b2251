/**
 * A consumer's report that cannot be accepted goes to the dead letters, but people and the consumer also learn of it
 * elsewhere. The delivery shows the refusal as its last error, the consumer's record keeps it, and the consumer
 * receives it with its next registration; a running consumer renews its registration twice a minute.
 */
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { lifecycleLimits } from '@platform/contracts-lifecycle-delivery';
import type { Disposition } from '@platform/messaging';
import { noteRefusal, type ConsumerRecord } from '../domain/consumer';
import { decideFailure, deliveryIdOf, type Delivery } from '../domain/delivery';
import { brokerRepeats, rejectMessage, tryAgain, type DeliveryPorts } from './ports';

interface RefusedReport {
  readonly consumer: string;
  /** The id of the report's message. */
  readonly reportId: string;
  /** Absent when the body names no delivery. */
  readonly operationId?: string;
  readonly reason: string;
}

/** Throws StoreUnavailableError when the store is unreachable: the message is redelivered. */
export async function refuseReport(ports: DeliveryPorts, report: RefusedReport): Promise<Disposition> {
  const { consumer, reportId, operationId, reason } = report;
  const at = ports.clock.now();
  ports.reports.charge(consumer);
  const named = operationId !== undefined ? { operationId } : {};
  const kept = await decide<ConsumerRecord, Checked<ConsumerRecord>, null>(
    brokerRepeats,
    ports.consumers,
    consumer,
    (record) => {
      const next = record && noteRefusal(record, { at, reason, reportId, ...named });
      return next ? { write: next } : { answer: null };
    },
  );
  if (kept.kind === 'unknown') return tryAgain(kept.reason);
  if (operationId !== undefined) {
    const shown = await showOnDelivery(ports, deliveryIdOf(operationId, consumer), { at, reason, reportId });
    if (shown !== null) return tryAgain(shown);
  }
  ports.log.warn({ consumer, ...named, reason }, 'a report of a lifecycle consumer is refused');
  return rejectMessage(reason);
}

/** The reason why it could not be written; null when the delivery shows it, has ended, or does not exist. */
async function showOnDelivery(
  ports: DeliveryPorts,
  deliveryId: string,
  { at: failedAt, reason, reportId }: { readonly at: Date; readonly reason: string; readonly reportId: string },
): Promise<string | null> {
  const error = `receipt refused: ${reason}`.slice(0, lifecycleLimits.errorCharacters);
  const decided = await decide<Delivery, Checked<Delivery>, null>(
    brokerRepeats,
    ports.deliveries,
    deliveryId,
    (read) => {
      if (!read) return { answer: null };
      const { tenantId, transition } = read;
      const failure = { kind: 'receipt_refused', reportId, tenantId, transition, error, failedAt } as const;
      const decision = decideFailure(read, failure, failedAt);
      return decision.decision === 'record' ? { write: decision.next } : { answer: null };
    },
  );
  return decided.kind === 'unknown' ? decided.reason : null;
}
