/**
 * A read by a live executor: it waits for the store as the executor's writes do, because an abandoned attempt needs a
 * person.
 */
import { StoreUnavailableError } from '@platform/mongo';
import { goesOn, type RetryPolicy } from './write-fenced';

/** Throws StoreUnavailableError when the retries are exhausted. */
export async function readPatiently<T>(policy: RetryPolicy, read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      const unread = { collection: 'a read', id: '', next: {}, reason: error.message, tries };
      if (!(await goesOn(policy, unread))) throw error;
    }
  }
}
