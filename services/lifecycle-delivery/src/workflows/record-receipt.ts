/**
 * Writes what a consumer reports into its delivery: the first receipt wins and is final, a failure is shown until
 * then. The receipt is durable before the message is acknowledged, and settling is looked at after every receipt,
 * also a repeated one, because a crash may have come between the two.
 */
import type { DeliveryFailed, ReceiptMessage } from '@platform/contracts-lifecycle-delivery';
import type { Disposition } from '@platform/messaging';
import { decideFailure, decideReceipt, deliveryIdOf, type Delivery, type ReportDecision } from '../domain/delivery';
import { done, lostRacesMax, rejectMessage, tryAgain, type DeliveryPorts } from './ports';
import { settleMessage } from './settle-message';

/** Handles one receipt of `consumer`, the name that its subject carries. */
export async function recordReceipt(
  ports: DeliveryPorts,
  consumer: string,
  receipt: ReceiptMessage,
): Promise<Disposition> {
  const recorded = await recordReport(ports, deliveryIdOf(receipt.operationId, consumer), (delivery) =>
    decideReceipt(delivery, receipt, ports.clock.now()),
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
  const failure = { reportId, tenantId, transition, error, failedAt: new Date(report.failedAt) };
  return recordReport(ports, deliveryIdOf(operationId, consumer), (delivery) => decideFailure(delivery, failure));
}

async function recordReport<T extends Delivery>(
  ports: DeliveryPorts,
  deliveryId: string,
  decide: (delivery: Delivery) => ReportDecision<T>,
): Promise<Disposition> {
  for (let round = 0; round < lostRacesMax; round += 1) {
    const delivery = await ports.deliveries.findById(deliveryId);
    if (!delivery) return rejectMessage('no delivery of this operation to this consumer exists');
    const decision = decide(delivery);
    if (decision.decision === 'refuse') return rejectMessage(decision.reason);
    if (decision.decision === 'already_recorded') return done;
    const written = await ports.deliveries.mutate(delivery, decision.next);
    if (written.outcome === 'unknown') return tryAgain(written.reason);
    if (written.outcome === 'applied') return done;
  }
  return tryAgain(`delivery ${deliveryId} lost ${lostRacesMax} races`);
}
