/**
 * The database's clock for a whole service: records are stamped and windows are judged by one clock, however far the
 * clocks of the machines are apart (specification §8: the retry window counts from intent creation). It is measured at
 * start and refreshed. Between measurements it runs on by the machine's monotonic counter: a wall clock that is set
 * moves no stamp and no window.
 */
import type { Clock, Log } from '@platform/kernel';

export interface DatabaseClock extends Clock {
  /** Measures again; keeps what was measured before and rejects when the database does not answer. */
  measure(read: () => Promise<Date>): Promise<void>;
  /** Milliseconds that the database is ahead of this machine's wall clock (negative: behind). */
  offsetMs(): number;
  /** Milliseconds that the wall clock has run apart from the monotonic counter since the last measurement. */
  jumpMs(): number;
}

/** Follows the local clock until the first measurement. */
export function createDatabaseClock(local: Clock): DatabaseClock {
  const wallMs = () => local.now().getTime();
  const elapsedMs = () => local.elapsedMs?.() ?? wallMs();
  /** Difference between an instant of the database, and of the wall, and the counter at the same moment. */
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
      // The answer was true at some moment between request and reply; the middle halves the worst error.
      toDatabase = answer - (sentAt + elapsedMs()) / 2;
      toWall = wallMs() - elapsedMs();
    },
  };
}

/** A wall clock that is slewed stays below it for days; one that is set, or a machine that slept, does not. */
const jumpToleratedMs = 1_000;

export interface MeasuringOptions {
  readonly intervalMs?: number;
  /** How often the wall clock is compared with the counter. */
  readonly lookMs?: number;
}

/**
 * Measures every `intervalMs` until closed, and at once when the wall clock has jumped: a machine that slept has a
 * counter that is behind. A failed measurement is logged and the old one stays.
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
