/**
 * A dead letter with its message, as long as the broker keeps it; values that are secret by their name or form are
 * blanked.
 */
import type { Messaging } from '@platform/messaging';
import type { RevisionedCollection } from '@platform/mongo';
import { letterId, type DeadLetter, type StoredLetter } from '../domain/dead-letter';
import { deadLetterStream } from './take-in-letters';

export interface ReadLetter {
  readonly letter: DeadLetter;
  /** Null when the broker does not keep the message any more. */
  readonly message: StoredLetter | null | 'unavailable';
}

export interface ReadLetterPorts {
  readonly letters: Pick<RevisionedCollection<DeadLetter>, 'findById' | 'find'>;
  readonly messaging: Pick<Messaging, 'storedMessages'>;
}

/** By its id, or by its place in the stream (the newest one there). Null when there is none. Throws StoreUnavailableError. */
export async function readLetter({ letters, messaging }: ReadLetterPorts, named: string): Promise<ReadLetter | null> {
  const letter = /^\d+$/.test(named)
    ? ((await letters.find({ sequence: Number(named) }, { sort: { refusedAt: -1, _id: -1 }, limit: 1 }))[0] ?? null)
    : await letters.findById(named);
  if (!letter) return null;
  const found = await messaging
    .storedMessages(deadLetterStream, letter.sequence - 1, 1)
    .catch(() => 'unavailable' as const);
  if (found === 'unavailable') return { letter, message: found };
  const [message] = found;
  return { letter, message: message && letterId(message) === letter._id ? message : null };
}
