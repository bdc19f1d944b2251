/**
 * Sends one test that is on the consumer's record, then notes the broker's acknowledgement. After a crash between the
 * two it is sent again under the same id; the consumer's answer names the test, so a second answer changes nothing.
 */
import { decide } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import type { Disposition } from '@platform/messaging';
import type { ConsumerRecord } from '../domain/consumer';
import {
  hasTest,
  noteAnswer,
  noteSent,
  publicationOfTest,
  unsentTests,
  type TestAnswer,
} from '../domain/consumer-tests';
import { brokerRepeats, done, rejectMessage, tryAgain, type DeliveryPorts } from './ports';

/**
 * The record after the acknowledgement was noted; null while the broker has not acknowledged the test, or the record
 * could not be written.
 */
export async function sendTest(ports: DeliveryPorts, consumer: string, testId: string): Promise<ConsumerRecord | null> {
  const record = await ports.consumers.findById(consumer);
  const test = record?.tests?.find((each) => each.testId === testId);
  if (!record || !test) return null;
  if (test.sentAt || test.receipt) return record;
  if (record.paused || record.status !== 'registered') return null;
  if ((await ports.broker.publish(publicationOfTest(consumer, test))) !== 'acknowledged') return null;
  const noted = await decide<ConsumerRecord, Checked<ConsumerRecord>, ConsumerRecord | null>(
    brokerRepeats,
    ports.consumers,
    consumer,
    (read) => {
      const next = read && noteSent(read, testId, ports.clock.now());
      return next ? { write: next } : { answer: read };
    },
  );
  if (noted.kind === 'unknown') return null;
  return noted.kind === 'written' ? noted.record : noted.answer;
}

/** Sends tests that a crash left unsent. Throws StoreUnavailableError. */
export async function sendUnsentTests(ports: DeliveryPorts, consumers: readonly ConsumerRecord[]): Promise<void> {
  for (const record of consumers)
    for (const { testId } of unsentTests(record, ports.clock.now())) await sendTest(ports, record._id, testId);
}

/** Notes a consumer's answer to a test. A repeat counts as a report that changes nothing. */
export async function recordTestAnswer(
  ports: DeliveryPorts,
  consumer: string,
  answer: TestAnswer,
): Promise<Disposition> {
  const decided = await decide<ConsumerRecord, Checked<ConsumerRecord>, Disposition>(
    brokerRepeats,
    ports.consumers,
    consumer,
    (record) => {
      if (!record || !hasTest(record, answer.body.testId))
        return { answer: rejectMessage('no test of this id was sent to this consumer') };
      const next = noteAnswer(record, answer, ports.clock.now());
      return next ? { write: next } : { answer: done };
    },
  );
  if (decided.kind === 'unknown') return tryAgain(decided.reason);
  const changedNothing = decided.kind === 'answered' && decided.answer === done;
  if (changedNothing || answer.kind === 'failure') ports.reports.charge(consumer);
  return decided.kind === 'answered' ? decided.answer : done;
}
