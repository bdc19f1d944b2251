/**
 * Limits how fast a migration writes to the provider. Permits are spaced evenly. Every live call delays the next permit
 * by its share of the provider's rate, so live traffic comes first, but a migration keeps at least one permit a second.
 * When the provider refuses before execution, the permits pause, longer each time. One timer for the next permit;
 * nothing polls.
 */
export interface RateGovernor {
  /** Resolves when the next provider write may be made; in the order of the calls. After `close` at once. */
  acquire(): Promise<void>;
  /** A call on behalf of a person who waits was made. */
  liveCall(): void;
  /** The result of a migration's own call; `available` is false when the provider proved that it executed nothing. */
  answered(available: boolean): void;
  /** Lets every waiting call go. */
  close(): void;
}

export interface RateGovernorOptions {
  /** Writes of migrations per second when no other writer is active. */
  readonly writesPerSecond: number;
  /** Calls per second that the provider accepts from all callers. */
  readonly providerWritesPerSecond: number;
  /** Milliseconds of a clock that only moves forward. */
  readonly now?: () => number;
  /** Calls `wake` after so many milliseconds; the returned function cancels it. */
  readonly after?: (milliseconds: number, wake: () => void) => () => void;
}

/** However busy live traffic is, a migration gets a permit after this time. */
const longestWaitMs = 1_000;
const pauseBaseMs = 500;
const pauseMaxMs = 30_000;

function afterByTimer(milliseconds: number, wake: () => void): () => void {
  const timer = setTimeout(wake, milliseconds);
  return () => clearTimeout(timer);
}

export function createRateGovernor({
  writesPerSecond,
  providerWritesPerSecond,
  now = () => performance.now(),
  after = afterByTimer,
}: RateGovernorOptions): RateGovernor {
  const waiting: { readonly since: number; readonly go: () => void }[] = [];
  const spacingMs = 1_000 / writesPerSecond;
  let nextAt = -Infinity;
  let lastPermitAt = -Infinity;
  let heldUntil = -Infinity;
  let refusals = 0;
  let closed = false;
  let cancel: (() => void) | undefined;

  function dueAt(since: number): number {
    return Math.max(heldUntil, Math.min(nextAt, Math.max(lastPermitAt, since) + Math.max(longestWaitMs, spacingMs)));
  }

  function release(): void {
    cancel?.();
    cancel = undefined;
    for (let head = waiting[0]; head; head = waiting[0]) {
      const at = now();
      const due = closed ? at : dueAt(head.since);
      if (due > at) {
        cancel = after(due - at, release);
        return;
      }
      waiting.shift();
      // A timer that fires late loses no permit, but a longer pause does not accumulate permits.
      nextAt = (at - nextAt <= spacingMs ? nextAt : at) + spacingMs;
      lastPermitAt = at;
      head.go();
    }
  }

  return {
    acquire: () =>
      new Promise((go) => {
        waiting.push({ since: now(), go });
        if (waiting.length === 1) release();
      }),
    liveCall: () => {
      const at = now();
      nextAt = Math.min(Math.max(nextAt, at) + 1_000 / providerWritesPerSecond, at + longestWaitMs);
    },
    answered: (available) => {
      refusals = available ? 0 : refusals + 1;
      if (!available) heldUntil = now() + Math.min(pauseMaxMs, pauseBaseMs * 2 ** (refusals - 1));
    },
    close: () => {
      closed = true;
      release();
    },
  };
}
