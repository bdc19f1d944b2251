/**
 * Records each letter that arrives in the stream, with its alert in the same write. Several replicas may read at the
 * same time: the insert decides which one alerts.
 */
import type { CheckedCollection } from '@platform/durable/record';
import { alertEntry, type Clock, type Log, type OutboxEntry } from '@platform/kernel';
import { isReadBy, type Messaging } from '@platform/messaging';
import {
  foundLetter,
  letterCommand,
  letterId,
  readerOf,
  type DeadLetter,
  type StoredLetter,
} from '../domain/dead-letter';

export const deadLetterStream = 'DEAD_LETTERS';
const pageSize = 100;

export interface LetterPorts {
  readonly letters: CheckedCollection<DeadLetter>;
  readonly messaging: Pick<Messaging, 'storedMessages'>;
  readonly publishNow: (letterId: string, entries: readonly OutboxEntry[]) => void;
  /** Counts a letter of `<stream>/<durable>` that was not recorded. */
  readonly passedOver: (reader: string) => void;
  /** Counts letters that the broker dropped before they were read. */
  readonly dropped: (letters: number) => void;
  readonly service: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The most open letters of one reader; the broker keeps no more of them either. A team that writes letters without end
 * cannot fill the records.
 */
const openPerReader = 1_000;
const pagesPerLook = 10;

const nameOf = (letter: StoredLetter): string => Object.values(readerOf(letter)).join('/');

/**
 * Each call reads the stream once and returns the number of new letters; calls must not overlap. Letters beyond the
 * limit of a reader are skipped, and read again when people have ended some. Throws when the broker or the store is
 * unreachable.
 */
export function createLetterWatch(ports: LetterPorts): () => Promise<number> {
  let [seen, counted]: [number | undefined, number] = [undefined, 0];
  /** The last position that was ever read. The broker numbers letters without gaps: what is missing after it was dropped. */
  let known: number | undefined;
  /** By reader, the position of the oldest skipped letter. */
  const passed = new Map<string, number>();
  return async () => {
    if (seen === undefined) ({ seen, known } = await lastTakenIn(ports));
    // A stream that was recreated begins at 1 again.
    if (seen > 0 && (await ports.messaging.storedMessages(deadLetterStream, seen - 1, 1)).length === 0)
      [seen, known] = [0, undefined];
    const hasRoom = roomOf(ports.letters);
    for (const [reader, place] of passed)
      if (await hasRoom(reader)) {
        seen = Math.min(seen, place - 1);
        passed.delete(reader);
      }
    let taken = 0;
    for (let pages = 0; pages < pagesPerLook; pages += 1) {
      const page = await ports.messaging.storedMessages(deadLetterStream, seen, pageSize);
      for (const message of page) {
        const reader = nameOf(message);
        noteDropped(ports, known, message.sequence);
        known = Math.max(known ?? 0, message.sequence);
        if (!(await hasRoom(reader))) {
          if (!passed.has(reader)) passed.set(reader, message.sequence);
          if (message.sequence > counted) ports.passedOver(reader);
        } else if (await takeIn(ports, message)) {
          taken += 1;
          hasRoom.took(reader);
        }
        seen = message.sequence;
        counted = Math.max(counted, seen);
      }
      if (page.length < pageSize) break;
    }
    return taken;
  };
}

function noteDropped({ dropped, log }: LetterPorts, known: number | undefined, sequence: number): void {
  const letters = known === undefined ? 0 : sequence - known - 1;
  if (letters <= 0) return;
  dropped(letters);
  log.error(
    { letters, before: sequence },
    'the broker dropped dead letters that were not read; their readers log each',
  );
}

/**
 * Whether a reader may have one more open letter. Each reader's open letters are counted once; new letters are added to
 * the count.
 */
function roomOf(letters: LetterPorts['letters']) {
  const open = new Map<string, number>();
  const hasRoom = async (reader: string): Promise<boolean> => {
    const [stream = '', durable = ''] = reader.split('/');
    if (!open.has(reader)) open.set(reader, await letters.count({ status: 'open', stream, durable }));
    return open.get(reader)! < openPerReader;
  };
  return Object.assign(hasRoom, { took: (reader: string) => void open.set(reader, (open.get(reader) ?? 0) + 1) });
}

/**
 * Where to begin: at the newest recorded letter, or at the start where the stream was recreated since. `known`: the
 * newest position that has a record; undefined where no letter was ever recorded.
 */
async function lastTakenIn({
  letters,
  messaging,
}: LetterPorts): Promise<{ readonly seen: number; readonly known: number | undefined }> {
  const [newest] = await letters.find({}, { sort: { sequence: -1, refusedAt: -1, _id: -1 }, limit: 1 });
  // Letters may have been skipped before the restart; a recorded letter is not recorded twice.
  const known = newest?.sequence;
  if (!newest || (await letters.count({ status: 'open' })) >= openPerReader) return { seen: 0, known };
  const [standing] = await messaging.storedMessages(deadLetterStream, newest.sequence - 1, 1);
  return { seen: standing && letterId(standing) === newest._id ? newest.sequence : 0, known };
}

async function takeIn(ports: LetterPorts, message: Parameters<typeof foundLetter>[0]): Promise<boolean> {
  const letter = foundLetter(message, isReadBy);
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
