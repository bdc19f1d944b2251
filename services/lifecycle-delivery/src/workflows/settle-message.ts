/**
 * Settles a message when every required receipt is durable (workflows §2.4). Two receipts may come at once: both look
 * after their own write, so the later one sees all, and the fenced write lets exactly one of them announce.
 */
import type { Disposition } from '@platform/messaging';
import { decideSettlement, settledEntry, type SettledMessageRecord } from '../domain/lifecycle-message';
import { deliveriesOf } from '../store/deliveries';
import { done, lostRacesMax, tryAgain, type DeliveryPorts } from './ports';

/** Settles when complete and says nothing otherwise; a message settled already is done. */
export async function settleMessage(ports: DeliveryPorts, operationId: string): Promise<Disposition> {
  for (let round = 0; round < lostRacesMax; round += 1) {
    // Most receipts are not the last one: then nothing else need be read.
    if (await ports.hasOpenDelivery(operationId)) return done;
    const [record, deliveries] = await Promise.all([
      ports.messages.findById(operationId),
      deliveriesOf(ports.deliveries, operationId),
    ]);
    if (!record || record.status === 'settled') return done;
    const decision = decideSettlement(record, deliveries, ports.clock.now());
    if (decision.decision === 'wait') return done;
    const written = await ports.messages.mutate(record, decision.next, [decision.announce]);
    if (written.outcome === 'unknown') return tryAgain(written.reason);
    if (written.outcome === 'applied') {
      await ports.announce(operationId, [decision.announce]);
      return done;
    }
  }
  return tryAgain(`settlement of ${operationId} lost ${lostRacesMax} races`);
}

/** The sender asks again because it has not seen the settlement: it leaves once more, rebuilt from the records, under its own id. */
export async function announceSettlementAgain(
  ports: DeliveryPorts,
  record: SettledMessageRecord,
): Promise<Disposition> {
  const { subject, id, type, body } = settledEntry(record, await deliveriesOf(ports.deliveries, record._id));
  const published = await ports.broker.publish({ subject, id, type, body });
  return published === 'acknowledged' ? done : tryAgain('the settlement was not acknowledged by the broker');
}
