/**
 * A provider read by a live executor. A read may be repeated, so a short outage of the provider does not end the
 * executor's work.
 */
import type { Outcome } from '@platform/kernel';
import type { RetryPolicy } from '@platform/durable/record';

/** The first answer that is not `unknown`, or the last one when the retry policy ends. */
export async function readWithRetries<T>(
  retryPolicy: RetryPolicy,
  read: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await read();
    if (outcome.outcome !== 'unknown' || attempt >= retryPolicy.tries) return outcome;
    await retryPolicy.pause(attempt);
  }
}
