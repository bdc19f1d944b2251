/**
 * The attempts of a delivery as people read them: when each left, under which message id, and what came back. A
 * consumer's report names its operation and no attempt, so an answer belongs to the last attempt begun before it came.
 */
import { lifecycleMessageIds, type AttemptView } from '@platform/contracts-lifecycle-delivery';

export interface Attempt {
  /** Counts from 1. */
  readonly number: number;
  readonly startedAt: Date;
  /** Failed runs and refused receipts since it left; the broker may hand one publication over many times. */
  readonly failures: number;
  /** The last one; absent while nothing has come back. */
  readonly answer?: AttemptAnswer;
}

export interface AttemptAnswer {
  readonly kind: NonNullable<AttemptView['answer']>['kind'];
  readonly at: Date;
  /** Of a failed run the consumer's words, of a refused receipt the reason. */
  readonly error?: string;
}

export const attemptLimits = {
  /** The last ones stay on the record; its count tells how many there were. */
  kept: 20,
  errorCharacters: 120,
  /** One answer shows at most so many, shared by its deliveries: it stays below the size of one message. */
  perAnswer: 500,
} as const;

interface WithAttempts {
  readonly attemptCount: number;
  readonly attemptedAt: Date;
  /** Absent on a record from before attempts were kept. */
  readonly attempts?: readonly Attempt[];
}

/** The record's attempts and one more, which leaves now. */
export function withAttempt(attempts: readonly Attempt[] | undefined, number: number, startedAt: Date): Attempt[] {
  return [...(attempts ?? []), { number, startedAt, failures: 0 }].slice(-attemptLimits.kept);
}

/** The record's attempts with an answer to the last one. */
export function withAnswer({ attempts, attemptCount, attemptedAt }: WithAttempts, answer: AttemptAnswer): Attempt[] {
  // A report that comes before the first attempt answers none.
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

/** How many attempts of each delivery an answer about `deliveries` of them shows. */
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
