/** Messages that a reader has put aside for good. All messages of a history are the platform's own, so none may be. */
import { headerOf } from './broker/protocol';
import type { SimulatedBroker } from './broker/server';

/** One line for each dead letter. */
export function deadLettersOf({ accepted }: Pick<SimulatedBroker, 'accepted'>): string[] {
  return accepted.flatMap(({ subject, headers }) => {
    if (!subject.startsWith('dead_letter.')) return [];
    const [from, by, why] = ['subject', 'durable', 'reason'].map((name) => headerOf(headers, `dead-letter-${name}`));
    return [`the message on ${from} was put aside by ${by}: ${why}`];
  });
}
