/**
 * Settles a message when every required receipt is durable or waived (workflows §2.4). Two receipts may come at once: both look
 * after their own write, so the later one sees all, and the fenced write lets exactly one of them announce.
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

/** What settling needs; the off-line tool that waives a receipt has it, too. */
export type SettlePorts = Pick<
  DeliveryPorts,
  'messages' | 'deliveries' | 'hasOpenDelivery' | 'clock' | 'announce' | 'log'
>;

/** Settles when complete and says nothing otherwise; a message settled already is done. */
export async function settleMessage(ports: SettlePorts, operationId: string): Promise<Disposition> {
  // Most receipts are not the last one: then nothing else need be read.
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

/** The sender asks again because it has not seen the settlement: it leaves once more, rebuilt from the records, under its own id. */
export async function announceSettlementAgain(
  ports: DeliveryPorts,
  record: SettledMessageRecord,
): Promise<Disposition> {
  const { subject, id, type, body } = settledEntry(record, await deliveriesOf(ports.deliveries, record._id));
  const published = await ports.broker.publish({ subject, id, type, body });
  return published === 'acknowledged' ? done : tryAgain('the settlement was not acknowledged by the broker');
}
