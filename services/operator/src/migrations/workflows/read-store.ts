/** Reads by an executor that is alive: harmless to repeat, so a store that is away for a moment ends nothing. */
import type { RetryPolicy } from '@platform/durable/record';
import { StoreUnavailableError } from '@platform/mongo';

/** The answer, or `unavailable` when the retry policy ends first. */
export async function readStore<T>(
  retryPolicy: RetryPolicy,
  read: () => Promise<T>,
): Promise<{ readonly value: T } | 'unavailable'> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { value: await read() };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      if (attempt >= retryPolicy.tries) return 'unavailable';
      await retryPolicy.pause(attempt);
    }
  }
}
