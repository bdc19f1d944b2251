/** Reads by an executor that is alive: harmless to repeat, so a store that is away for a moment ends nothing. */
import { StoreUnavailableError, type Patience } from '@platform/mongo';

/** The answer, or `unavailable` when patience ends first. */
export async function readStore<T>(
  patience: Patience,
  read: () => Promise<T>,
): Promise<{ readonly value: T } | 'unavailable'> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { value: await read() };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      if (attempt >= patience.tries) return 'unavailable';
      await patience.pause(attempt);
    }
  }
}
