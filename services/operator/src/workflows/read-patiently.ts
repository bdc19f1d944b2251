/** A read at the provider by an executor that is alive: harmless to repeat, so a provider that is away for a moment ends nothing. */
import type { Outcome } from '@platform/kernel';
import type { Patience } from '@platform/mongo';

/** The first answer that is not `unknown`, or the last one when patience ends. */
export async function readPatiently<T>(patience: Patience, read: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await read();
    if (outcome.outcome !== 'unknown' || attempt >= patience.tries) return outcome;
    await patience.pause(attempt);
  }
}
