/**
 * A dead letter: a message that its reader will never take, and what people did about it. The broker keeps the message for
 * a month; this record keeps where it is, why it stopped, and who ended it how.
 */
import { defineSteps, type Checked } from '@platform/durable/steps';
import { opsLine, type OutboxEntry, type Revisioned } from '@platform/kernel';

export const deadLetterStatuses = ['open', 'redriven', 'closed'] as const;

interface DeadLetterBase extends Revisioned {
  /** Its place in the stream of dead letters. */
  readonly sequence: number;
  /** Where it came from; empty when its headers name none that its reader reads. */
  readonly subject: string;
  /** Stream and durable of the reader that refused it. */
  readonly stream: string;
  readonly durable: string;
  readonly messageId: string;
  readonly messageType: string;
  readonly reason: string;
  readonly refusedAt: Date;
  readonly outbox?: readonly OutboxEntry[];
}

/** By a person, off-line. */
export interface DeadLetterEnd {
  readonly by: string;
  readonly at: Date;
  readonly reason: string;
}

export interface OpenDeadLetter extends DeadLetterBase {
  readonly status: 'open';
}
interface Ended<Status extends 'redriven' | 'closed'> extends DeadLetterBase {
  readonly status: Status;
  readonly end: DeadLetterEnd;
}
export type RedrivenDeadLetter = Ended<'redriven'>;
export type DeadLetter = OpenDeadLetter | RedrivenDeadLetter | Ended<'closed'>;

export const deadLetterSteps = defineSteps<DeadLetter>()({
  name: 'dead letter',
  field: 'status',
  begins: ['open'],
  table: { open: { to: ['redriven', 'closed'] }, redriven: { to: ['closed'] }, closed: { to: [] } },
  own: { open: {}, redriven: { end: true }, closed: { end: true } },
});

/** A message as the stream of dead letters keeps it. */
export interface StoredLetter {
  readonly sequence: number;
  /** `dead_letter.<stream>.<durable>`: the broker lets a reader publish to its own alone. */
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly publishedAt: Date;
}

/** The instant parts the same sequence of a stream that was recreated after a wipe. */
export function letterId({ sequence, publishedAt }: Pick<StoredLetter, 'sequence' | 'publishedAt'>): string {
  return `${sequence}:${publishedAt.getTime()}`;
}

/** The reader that a letter is of. Its headers are what a team may have written; its subject is what the broker checked. */
export function readerOf({ subject }: Pick<StoredLetter, 'subject'>): Pick<DeadLetter, 'stream' | 'durable'> {
  const [, stream = '', durable = ''] = subject.split('.');
  return { stream, durable };
}

/** Whether the reader may be delivered messages of the subject. */
export type IsReadBy = (reader: Pick<DeadLetter, 'stream' | 'durable'>, subject: string) => boolean;

/** As much as the platform itself writes into a header. */
const headerCharacters = 500;

/**
 * The record of a letter that was found in the stream. Where its headers name a subject that its reader does not read, the
 * record has none, so that no person is led to publish it there.
 */
export function foundLetter(letter: StoredLetter, isReadBy: IsReadBy): Checked<OpenDeadLetter> {
  const header = (name: string) => (letter.headers[name] ?? '').slice(0, headerCharacters);
  const [reader, claimed] = [readerOf(letter), header('dead-letter-subject')];
  const subject = isReadBy(reader, claimed) ? claimed : '';
  const reason = header('dead-letter-reason');
  return deadLetterSteps.begin<OpenDeadLetter>({
    _id: letterId(letter),
    status: 'open',
    sequence: letter.sequence,
    subject,
    ...reader,
    messageId: header('ce-id'),
    messageType: header('ce-type'),
    reason: subject === claimed ? reason : `it names ${claimed}, which this reader does not read; ${reason}`,
    refusedAt: letter.publishedAt,
  });
}

/** For lists: what it is about, or whose it is. */
export const letterTitle = ({ subject, stream, durable }: DeadLetter): string => subject || `${stream}/${durable}`;

/** Where a person begins. */
export function letterCommand(letter: Pick<DeadLetter, 'sequence'>): string {
  return opsLine(`deadletters show ${letter.sequence}`);
}
