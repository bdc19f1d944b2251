/**
 * Settles a message when every required receipt is durable or waived (workflows §2.4). Two receipts may arrive at once:
 * each checks after its own write, so the later one sees both, and the fenced write lets exactly one announce the
 * settlement.
 */
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import type { Disposition } from '@platform/messaging';
import {
  decideSettlement,
  settledEntry,
  type MessageRecord,
  type SettledMessageRecord,
} from '../domain/lifecycle-message';
import { deliveriesOf } from '../store/deliveries';
import { brokerRepeats, done, tryAgain, type DeliveryPorts } from './ports';

/** The ports of settling; the off-line tool that waives a receipt has them too. */
export type SettlePorts = Pick<
  DeliveryPorts,
  'messages' | 'deliveries' | 'hasOpenDelivery' | 'clock' | 'announce' | 'log'
>;

/** Settles a message that is complete; otherwise publishes nothing. A settled message needs nothing. */
export async function settleMessage(ports: SettlePorts, operationId: string): Promise<Disposition> {
  // Most receipts are not the last one, so nothing else is read.
  if (await ports.hasOpenDelivery(operationId)) return done;
  const decided = await decide<MessageRecord, Checked<MessageRecord>, Disposition>(
    brokerRepeats,
    ports.messages,
    operationId,
    async (record) => {
      if (!record || record.status === 'settled') return { answer: done };
      const decision = decideSettlement(record, await deliveriesOf(ports.deliveries, operationId), ports.clock.now());
      return decision.decision === 'wait' ? { answer: done } : { write: decision.next, announce: [decision.announce] };
    },
  );
  if (decided.kind === 'answered') return decided.answer;
  if (decided.kind === 'unknown') return tryAgain(decided.reason);
  await ports.announce(operationId, decided.announced);
  return done;
}

/**
 * The sender repeats its announcement because it has not seen the settlement, so the settlement is published again,
 * rebuilt from the records, under the same id.
 */
export async function announceSettlementAgain(
  ports: DeliveryPorts,
  record: SettledMessageRecord,
): Promise<Disposition> {
  const { subject, id, type, body } = settledEntry(record, await deliveriesOf(ports.deliveries, record._id));
  const published = await ports.broker.publish({ subject, id, type, body });
  return published === 'acknowledged' ? done : tryAgain('the settlement was not acknowledged by the broker');
}
