/**
 * Writes a consumer's report into its delivery: the first receipt wins and is final; until then a failure is shown. The
 * receipt is durable before the message is acknowledged. Settling is checked after every receipt, also a repeated one,
 * because a crash may have happened between the two.
 */
import type { DeliveryFailed, ReceiptMessage } from '@platform/contracts-lifecycle-delivery';
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import type { Disposition } from '@platform/messaging';
import { decideFailure, decideReceipt, deliveryIdOf, type Delivery, type ReportDecision } from '../domain/delivery';
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
  return recordReport(ports, deliveryIdOf(operationId, consumer), (delivery) =>
    decideFailure(delivery, failure, ports.clock.now()),
  );
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
