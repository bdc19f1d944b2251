/**
 * A dead letter: a message that its reader has refused permanently, and what people did about it. The broker keeps the
 * message for a month; this record keeps its position, the reason, and who closed it and how.
 */
import { defineSteps, type Checked } from '@platform/durable/steps';
import { opsLine, type OutboxEntry, type Revisioned } from '@platform/kernel';

export const deadLetterStatuses = ['open', 'redriven', 'closed'] as const;

interface DeadLetterBase extends Revisioned {
  /** The letter's position in the stream of dead letters. */
  readonly sequence: number;
  /** The original subject; empty when the headers name no subject that the refusing reader may read. */
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

/** How a person ended the letter, off-line. */
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

/** A message as it is in the stream of dead letters. */
export interface StoredLetter {
  readonly sequence: number;
  /** `dead_letter.<stream>.<durable>`: the broker lets a reader publish only to its own subject. */
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly publishedAt: Date;
}

/** The instant distinguishes equal sequences of a stream that was recreated after a wipe. */
export function letterId({ sequence, publishedAt }: Pick<StoredLetter, 'sequence' | 'publishedAt'>): string {
  return `${sequence}:${publishedAt.getTime()}`;
}

/** The reader that refused the letter. Any team may write the headers; the broker checks the subject. */
export function readerOf({ subject }: Pick<StoredLetter, 'subject'>): Pick<DeadLetter, 'stream' | 'durable'> {
  const [, stream = '', durable = ''] = subject.split('.');
  return { stream, durable };
}

/** Whether the broker may deliver messages of the subject to the reader. */
export type IsReadBy = (reader: Pick<DeadLetter, 'stream' | 'durable'>, subject: string) => boolean;

/** The longest header that the platform itself writes. */
const headerCharacters = 500;

/**
 * The record of a letter that was found in the stream. If its headers name a subject that its reader does not read, the
 * record keeps no subject, so that no person publishes it there.
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

/** For lists: the subject of the message, or the reader that refused it. */
export const letterTitle = ({ subject, stream, durable }: DeadLetter): string => subject || `${stream}/${durable}`;

/** The first step for a person. */
export function letterCommand(letter: Pick<DeadLetter, 'sequence'>): string {
  return opsLine(`deadletters show ${letter.sequence}`);
}
