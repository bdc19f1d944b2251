/**
 * The attempts of a delivery as people read them: when each was sent, under which message id, and its answer. A
 * consumer's report names its operation and no attempt, so an answer belongs to the last attempt that began before it
 * came.
 */
import { lifecycleMessageIds, type AttemptView } from '@platform/contracts-lifecycle-delivery';

export interface Attempt {
  /** Counts from 1. */
  readonly number: number;
  readonly startedAt: Date;
  /** Failed runs and refused receipts since the attempt was sent; the broker may deliver one publication many times. */
  readonly failures: number;
  /** The last answer; absent while there is none. */
  readonly answer?: AttemptAnswer;
}

export interface AttemptAnswer {
  readonly kind: NonNullable<AttemptView['answer']>['kind'];
  readonly at: Date;
  /** The consumer's text for a failed run, the reason for a refused receipt. */
  readonly error?: string;
}

export const attemptLimits = {
  /** The number of attempts that stay on the record; `attemptCount` counts all of them. */
  kept: 20,
  errorCharacters: 120,
  /** The most attempts in one answer, shared by its deliveries, so that it fits into one message. */
  perAnswer: 500,
} as const;

interface WithAttempts {
  readonly attemptCount: number;
  readonly attemptedAt: Date;
  /** Absent on records that were written before attempts were kept. */
  readonly attempts?: readonly Attempt[];
}

/** The record's attempts with one more, which is sent now. */
export function withAttempt(attempts: readonly Attempt[] | undefined, number: number, startedAt: Date): Attempt[] {
  return [...(attempts ?? []), { number, startedAt, failures: 0 }].slice(-attemptLimits.kept);
}

/** The record's attempts with an answer to the last one. */
export function withAnswer({ attempts, attemptCount, attemptedAt }: WithAttempts, answer: AttemptAnswer): Attempt[] {
  // A report that arrives before the first attempt answers none.
  const first = attemptCount === 0 ? [] : withAttempt(undefined, attemptCount, attemptedAt);
  const all = attempts?.length ? attempts : first;
  const { error } = answer;
  return all.map((attempt, at) =>
    at < all.length - 1
      ? attempt
      : {
          ...attempt,
          failures: attempt.failures + (answer.kind === 'receipt' ? 0 : 1),
          answer: error === undefined ? answer : { ...answer, error: error.slice(0, attemptLimits.errorCharacters) },
        },
  );
}

/** How many attempts an answer shows of each of its `deliveries`. */
export function attemptsShown(deliveries: number): number {
  return Math.min(attemptLimits.kept, Math.max(1, Math.floor(attemptLimits.perAnswer / Math.max(1, deliveries))));
}

/** The last `shown` attempts, oldest first. */
export function viewOfAttempts(
  { _id, attempts }: { readonly _id: string; readonly attempts?: readonly Attempt[] },
  shown: number,
): AttemptView[] {
  return (attempts ?? []).slice(-shown).map(({ number, startedAt, failures, answer }) => ({
    number,
    messageId: lifecycleMessageIds.delivery(_id, number),
    startedAt: startedAt.toISOString(),
    failures,
    ...(answer && { answer: { ...answer, at: answer.at.toISOString() } }),
  }));
}
