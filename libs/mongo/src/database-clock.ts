/**
 * The database's clock for a whole service: records are stamped and windows are judged by one clock, however much the
 * clocks of the machines differ (specification §8: the retry window counts from intent creation). It is measured at
 * start and refreshed. Between measurements it advances with the machine's monotonic counter, so setting the wall clock
 * moves no stamp and no window.
 */
import type { Clock, Log } from '@platform/kernel';

export interface DatabaseClock extends Clock {
  /** Measures again; keeps the previous measurement and rejects when the database does not answer. */
  measure(read: () => Promise<Date>): Promise<void>;
  /** Milliseconds by which the database is ahead of this machine's wall clock (negative: behind). */
  offsetMs(): number;
  /** Milliseconds by which the wall clock and the monotonic counter have diverged since the last measurement. */
  jumpMs(): number;
}

/** Follows the local clock until the first measurement. */
export function createDatabaseClock(local: Clock): DatabaseClock {
  const wallMs = () => local.now().getTime();
  const elapsedMs = () => local.elapsedMs?.() ?? wallMs();
  /** Differences of the database's clock and of the wall clock from the counter at the same moment. */
  let toDatabase: number | null = null;
  let toWall = wallMs() - elapsedMs();
  const nowMs = () => (toDatabase === null ? wallMs() : elapsedMs() + toDatabase);
  return {
    now: () => new Date(nowMs()),
    offsetMs: () => nowMs() - wallMs(),
    jumpMs: () => wallMs() - elapsedMs() - toWall,
    async measure(read) {
      const sentAt = elapsedMs();
      const answer = (await read()).getTime();
      // The answer was true at some moment between request and reply; assuming the middle halves the worst error.
      toDatabase = answer - (sentAt + elapsedMs()) / 2;
      toWall = wallMs() - elapsedMs();
    },
  };
}

/** A slewed wall clock stays below it for days; a wall clock that was set, or a machine that slept, does not. */
const jumpToleratedMs = 1_000;

export interface MeasuringOptions {
  readonly intervalMs?: number;
  /** How often the wall clock is compared with the counter. */
  readonly lookMs?: number;
}

/**
 * Measures every `intervalMs` until closed, and at once when the wall clock has jumped, because the counter of a
 * machine that slept is behind. A failed measurement is logged and the old one is kept.
 */
export function keepMeasuring(
  clock: DatabaseClock,
  read: () => Promise<Date>,
  log: Log,
  { intervalMs = 60_000, lookMs = 1_000 }: MeasuringOptions = {},
): { close(): void } {
  const measure = () =>
    clock
      .measure(read)
      .catch((error: unknown) =>
        log.warn({ error: String(error) }, 'the clock of the database could not be read; its last measurement stays'),
      );
  let reported = 0;
  const look = () => {
    const jumpMs = Math.round(clock.jumpMs());
    if (Math.abs(jumpMs) <= jumpToleratedMs) reported = 0;
    else if (jumpMs !== reported) {
      reported = jumpMs;
      log.warn({ jumpMs }, 'the clock of this machine has jumped; the clock of the database is measured again');
      void measure();
    }
  };
  const timers = [setInterval(() => void measure(), intervalMs), setInterval(look, lookMs)];
  for (const timer of timers) timer.unref();
  return { close: () => timers.forEach((timer) => clearInterval(timer)) };
}
