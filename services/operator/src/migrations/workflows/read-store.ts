/**
 * Reads of a live executor. A read may be repeated, so a short outage of the store does not end the executor's work.
 */
import { readPatiently, type RetryPolicy } from '@platform/durable/record';
import { StoreUnavailableError } from '@platform/mongo';

/** The answer, or `unavailable` when the retry policy ends first. */
export async function readStore<T>(
  retryPolicy: RetryPolicy,
  read: () => Promise<T>,
): Promise<{ readonly value: T } | 'unavailable'> {
  try {
    return { value: await readPatiently(retryPolicy, read) };
  } catch (error) {
    if (error instanceof StoreUnavailableError) return 'unavailable';
    throw error;
  }
}
