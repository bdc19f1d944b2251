/**
 * The database's clock for a whole service: records are stamped and windows are judged by one clock, however far the
 * clocks of the machines are apart (specification §8: the retry window counts from intent creation). The offset is
 * measured at start and refreshed; between measurements the local clock runs on.
 */
import type { Clock, Log } from '@platform/kernel';

export interface DatabaseClock extends Clock {
  /** Measures the offset; keeps the old one and rejects when the database does not answer. */
  measure(read: () => Promise<Date>): Promise<void>;
  /** Milliseconds that the database is ahead of this machine (negative: behind). */
  offsetMs(): number;
}

/** Follows the local clock until the first measurement. */
export function createDatabaseClock(local: Clock): DatabaseClock {
  let offset = 0;
  return {
    now: () => new Date(local.now().getTime() + offset),
    offsetMs: () => offset,
    async measure(read) {
      const sentAt = local.now().getTime();
      const answer = (await read()).getTime();
      // The answer was true at some moment between request and reply; the middle halves the worst error.
      offset = answer - (sentAt + local.now().getTime()) / 2;
    },
  };
}

/** Measures every `intervalMs` until closed; a failed measurement is logged and the old offset stays. */
export function keepMeasuring(
  clock: DatabaseClock,
  read: () => Promise<Date>,
  log: Log,
  intervalMs = 60_000,
): { close(): void } {
  const timer = setInterval(() => {
    clock
      .measure(read)
      .catch((error: unknown) =>
        log.warn({ error: String(error) }, 'the clock of the database could not be read; its last offset stays'),
      );
  }, intervalMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
