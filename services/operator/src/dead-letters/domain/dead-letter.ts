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
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly publishedAt: Date;
}

/** The instant parts the same sequence of a stream that was recreated after a wipe. */
export function letterId({ sequence, publishedAt }: Pick<StoredLetter, 'sequence' | 'publishedAt'>): string {
  return `${sequence}:${publishedAt.getTime()}`;
}

/** The record of a letter that was found in the stream. */
export function foundLetter(letter: StoredLetter): Checked<OpenDeadLetter> {
  const header = (name: string) => letter.headers[name] ?? '';
  return deadLetterSteps.begin<OpenDeadLetter>({
    _id: letterId(letter),
    status: 'open',
    sequence: letter.sequence,
    subject: header('dead-letter-subject'),
    stream: header('dead-letter-stream'),
    durable: header('dead-letter-durable'),
    messageId: header('ce-id'),
    messageType: header('ce-type'),
    reason: header('dead-letter-reason'),
    refusedAt: letter.publishedAt,
  });
}

/** Where a person begins. */
export function letterCommand(letter: Pick<DeadLetter, 'sequence'>): string {
  return opsLine(`deadletters show ${letter.sequence}`);
}
