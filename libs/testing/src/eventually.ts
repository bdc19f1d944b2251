/**
 * Waits for a condition that another process or a turn of the event loop brings about; fails with the last observed
 * value.
 */

class NeverCameTrueError extends Error {
  override name = 'NeverCameTrueError';
}

export interface EventuallyOptions {
  /**
   * Milliseconds until the wait is given up; default 120,000. It is a guard, not an expectation of speed: no verdict
   * depends on load.
   */
  readonly deadlineMs?: number;
  /** What is awaited, for the message. */
  readonly describe: string;
}

/**
 * A pause is this share of the wait so far: most waits are short and end at once, a long one leaves the machine to the
 * awaited work, and none lasts an eighth longer than its condition takes.
 */
const pauseShare = 1 / 8;
const shortestPauseMs = 5;
const longestPauseMs = 500;

/**
 * Calls `probe` until it returns something other than `undefined`, `null` or `false`, and returns that. A probe that
 * throws counts as not yet (so `expect` works inside); the last error or value is in the failure's message.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  options: EventuallyOptions,
): Promise<NonNullable<Exclude<T, false>>> {
  const deadlineMs = options.deadlineMs ?? 120_000;
  const startedAt = performance.now();
  let last = 'nothing';
  for (;;) {
    try {
      const seen = await probe();
      if (seen !== undefined && seen !== null && seen !== false) return seen as NonNullable<Exclude<T, false>>;
      last = String(seen);
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= deadlineMs)
      throw new NeverCameTrueError(`${options.describe}: not within ${deadlineMs} ms; last seen: ${last}`);
    const pauseMs = Math.min(Math.max(waitedMs * pauseShare, shortestPauseMs), longestPauseMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
