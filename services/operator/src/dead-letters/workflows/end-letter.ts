/**
 * How people end a dead letter, off-line. A re-drive publishes the stored message to its subject under its own id, so
 * that the receiver's record recognises what it has seen; the person who requested it is recorded before the message
 * leaves (law 1).
 */
import { writeFenced, type CheckedCollection, type RetryPolicy } from '@platform/durable/record';
import { refused, ok, type Clock, type Result } from '@platform/kernel';
import { isReadBy, maxBodyBytes, type Messaging } from '@platform/messaging';
import {
  deadLetterSteps,
  foundLetter,
  type DeadLetter,
  type DeadLetterEnd,
  type RedrivenDeadLetter,
  type StoredLetter,
} from '../domain/dead-letter';
import { readLetter } from './read-letter';

export interface EndLetterPorts {
  readonly letters: CheckedCollection<DeadLetter>;
  readonly messaging: Pick<Messaging, 'storedMessages' | 'publish'>;
  readonly clock: Clock;
  readonly retryPolicy: RetryPolicy;
}

/** A message that may be published again. */
interface Redrivable {
  readonly subject: string;
  readonly id: string;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A repeated re-drive publishes the same id again, which is harmless. Throws StoreUnavailableError. */
export async function redriveLetter(
  ports: EndLetterPorts,
  named: string,
  by: string,
): Promise<Result<{ readonly letter: DeadLetter; readonly published: 'acknowledged' | 'unknown' }, string>> {
  const read = await readLetter(ports, named);
  if (!read) return refused('There is no such dead letter.');
  const { letter, message } = read;
  if (letter.status === 'closed') return refused('It was closed; a closed letter is not re-driven.');
  if (message === 'unavailable') return refused('The broker does not answer; nothing was done.');
  if (!message) return refused('The broker does not keep the message any more; it can only be closed.');
  const redrivable = messageOf(message);
  if (!redrivable)
    return refused(
      'It is no message of this platform (no JSON object of at most 64 KiB with an id and a subject of its reader); it can only be closed.',
    );
  const marked = await mark(ports, letter, 'redriven', { by, at: ports.clock.now(), reason: 'published again' });
  if (!marked.ok) return marked;
  return ok({ letter: marked.value, published: await ports.messaging.publish(redrivable) });
}

/** Throws StoreUnavailableError. */
export async function closeLetter(
  ports: Omit<EndLetterPorts, 'messaging'> & { readonly messaging: Pick<Messaging, 'storedMessages'> },
  named: string,
  end: Omit<DeadLetterEnd, 'at'>,
): Promise<Result<DeadLetter, string>> {
  const read = await readLetter(ports, named);
  if (!read) return refused('There is no such dead letter.');
  if (read.letter.status === 'closed') return refused('It was closed already.');
  return mark(ports, read.letter, 'closed', { ...end, at: ports.clock.now() });
}

async function mark(
  { letters, retryPolicy }: Pick<EndLetterPorts, 'letters' | 'retryPolicy'>,
  letter: DeadLetter,
  status: 'redriven' | 'closed',
  end: DeadLetterEnd,
): Promise<Result<DeadLetter, string>> {
  if (letter.status === 'redriven' && status === 'redriven') return ok(letter);
  const next =
    letter.status === 'open'
      ? deadLetterSteps.move(letter, status, { end })
      : deadLetterSteps.move(letter as RedrivenDeadLetter, 'closed', { end });
  const written = await writeFenced(letters, letter, next, [], retryPolicy);
  if (written.kind === 'written') return ok(written.record);
  return refused(
    written.kind === 'lost'
      ? 'Another person has ended it meanwhile.'
      : `It is not known whether it is marked (${written.reason}); look again.`,
  );
}

/** Judged by the broker's copy, not by the record: an older build trusted the headers. */
function messageOf(message: StoredLetter): Redrivable | null {
  const { subject, messageId, messageType } = foundLetter(message, isReadBy);
  if (!subject || !messageId) return null;
  try {
    const body = JSON.parse(message.text) as unknown;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
    // The stream of dead letters takes more than a message may hold, for the headers that say why.
    if (Buffer.byteLength(JSON.stringify(body)) > maxBodyBytes) return null;
    return { subject, id: messageId, type: messageType, body: body as Redrivable['body'] };
  } catch {
    return null;
  }
}
