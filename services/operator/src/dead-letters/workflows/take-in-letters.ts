/**
 * Letters that came into the stream get a record, with the alert in the same write. Several replicas may look at the
 * same time: the insert decides which one announces.
 */
import type { CheckedCollection } from '@platform/durable/record';
import { alertEntry, type Clock, type Log, type OutboxEntry } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { foundLetter, letterCommand, letterId, type DeadLetter } from '../domain/dead-letter';

export const deadLetterStream = 'DEAD_LETTERS';
const pageSize = 100;

export interface LetterPorts {
  readonly letters: CheckedCollection<DeadLetter>;
  readonly messaging: Pick<Messaging, 'storedMessages'>;
  readonly publishNow: (letterId: string, entries: readonly OutboxEntry[]) => void;
  readonly service: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One look after the other; each answers how many letters were new. Throws when the broker or the store is unreachable.
 */
export function createLetterWatch(ports: LetterPorts): () => Promise<number> {
  let seen: number | undefined;
  return async () => {
    if (seen === undefined) {
      const last = await lastTakenIn(ports);
      seen = last;
    }
    // A stream that was recreated begins at 1 again.
    if (seen > 0 && (await ports.messaging.storedMessages(deadLetterStream, seen - 1, 1)).length === 0) seen = 0;
    let taken = 0;
    for (;;) {
      const page = await ports.messaging.storedMessages(deadLetterStream, seen, pageSize);
      for (const message of page) {
        if (await takeIn(ports, message)) taken += 1;
        seen = message.sequence;
      }
      if (page.length < pageSize) return taken;
    }
  };
}

/** The place of the newest letter that is recorded, unless the stream was recreated since; 0 to begin at its begin. */
async function lastTakenIn({ letters, messaging }: LetterPorts): Promise<number> {
  const [newest] = await letters.find({}, { sort: { sequence: -1, refusedAt: -1, _id: -1 }, limit: 1 });
  if (!newest) return 0;
  const [standing] = await messaging.storedMessages(deadLetterStream, newest.sequence - 1, 1);
  return standing && letterId(standing) === newest._id ? newest.sequence : 0;
}

async function takeIn(ports: LetterPorts, message: Parameters<typeof foundLetter>[0]): Promise<boolean> {
  const letter = foundLetter(message);
  const { stream, durable, reason, subject } = letter;
  const alert = alertEntry(
    {
      service: ports.service,
      kind: 'dead_letter',
      id: letter._id,
      tenantId: null,
      reason: `${stream}/${durable} never takes ${subject}: ${reason}`,
      at: ports.clock.now(),
      run: letterCommand(letter),
    },
    '1',
  );
  const written = await ports.letters.insert(letter, [alert]);
  if (written.outcome === 'unknown') throw new Error(`dead letter ${letter._id} is not recorded: ${written.reason}`);
  if (written.outcome === 'not_applied') return false;
  ports.log.warn({ letter: letter._id, stream, durable, subject, reason }, 'a message became a dead letter');
  ports.publishNow(letter._id, [alert]);
  return true;
}
