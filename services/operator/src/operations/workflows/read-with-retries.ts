/**
 * A read at the provider by an executor that is alive: harmless to repeat, so a provider that is unreachable for a
 * moment ends nothing.
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
