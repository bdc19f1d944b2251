/**
 * Writes a consumer's report into its delivery: the first receipt wins and is final; until then a failure is shown. The
 * receipt is durable before the message is acknowledged. Every receipt, even a repeated one, is followed by the check
 * whether the message settles, because a crash may have prevented an earlier check.
 */
import type { DeliveryFailed, ReceiptMessage } from '@platform/contracts-lifecycle-delivery';
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import type { Disposition } from '@platform/messaging';
import type { ConsumerRecord } from '../domain/consumer';
import {
  decideFailure,
  decideReceipt,
  deliveryIdOf,
  receiptOf,
  type Delivery,
  type ReportDecision,
} from '../domain/delivery';
import { noteReplayFailure } from '../domain/replay';
import { brokerRepeats, done, rejectMessage, tryAgain, type DeliveryPorts } from './ports';
import { settleMessage } from './settle-message';

/** Handles one receipt of `consumer`, the name that its subject carries. */
export async function recordReceipt(
  ports: DeliveryPorts,
  consumer: string,
  receipt: ReceiptMessage,
): Promise<Disposition> {
  const recorded = await recordReport(
    ports,
    deliveryIdOf(receipt.operationId, consumer),
    (delivery) => decideReceipt(delivery, receipt, ports.clock.now()),
    () => ports.reports.charge(consumer),
  );
  return recorded.kind === 'ack' ? settleMessage(ports, receipt.operationId) : recorded;
}

/** Handles one reported failure; `reportId` is the id of its message. */
export async function recordFailure(
  ports: DeliveryPorts,
  consumer: string,
  report: DeliveryFailed,
  reportId: string,
): Promise<Disposition> {
  const { operationId, tenantId, transition, error } = report;
  const kind = 'run_failed';
  const failure = { kind, reportId, tenantId, transition, error, failedAt: new Date(report.failedAt) } as const;
  ports.reports.charge(consumer);
  let receipted = false;
  const recorded = await recordReport(ports, deliveryIdOf(operationId, consumer), (delivery) => {
    receipted = receiptOf(delivery) !== null;
    return decideFailure(delivery, failure, ports.clock.now());
  });
  return receipted && recorded.kind === 'ack' ? noteOnReplay(ports, consumer, reportId, error) : recorded;
}

/** A failed run on a message that has a receipt changes no delivery, but a person who replays must see it. */
async function noteOnReplay(
  ports: DeliveryPorts,
  consumer: string,
  reportId: string,
  error: string,
): Promise<Disposition> {
  const noted = await decide<ConsumerRecord, Checked<ConsumerRecord>, null>(
    brokerRepeats,
    ports.consumers,
    consumer,
    (record) => {
      const next = record && noteReplayFailure(record, { reportId, error, at: ports.clock.now() });
      return next ? { write: next } : { answer: null };
    },
  );
  return noted.kind === 'unknown' ? tryAgain(noted.reason) : done;
}

async function recordReport(
  ports: DeliveryPorts,
  deliveryId: string,
  decideReport: (delivery: Delivery) => ReportDecision,
  onRepeat: () => void = () => undefined,
): Promise<Disposition> {
  const decided = await decide<Delivery, Checked<Delivery>, Disposition>(
    brokerRepeats,
    ports.deliveries,
    deliveryId,
    (delivery) => {
      if (!delivery) return { answer: rejectMessage('no delivery of this operation to this consumer exists') };
      const decision = decideReport(delivery);
      if (decision.decision === 'record') return { write: decision.next };
      return { answer: decision.decision === 'refuse' ? rejectMessage(decision.reason) : done };
    },
  );
  if (decided.kind === 'answered') {
    if (decided.answer === done) onRepeat();
    return decided.answer;
  }
  return decided.kind === 'written' ? done : tryAgain(decided.reason);
}
