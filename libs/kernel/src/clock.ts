/** Time is an argument: tests and simulations move it, the code never reads it at import. */
export interface Clock {
  /** The present instant. */
  now(): Date;
  /** Milliseconds since some moment, by a counter that cannot be set; absent where `now` never jumps. */
  elapsedMs?(): number;
}

export const systemClock: Clock = { now: () => new Date(), elapsedMs: () => performance.now() };

/** A clock that moves only when told; the start defaults to a fixed instant so that runs repeat. */
export function createManualClock(start = new Date('2026-01-01T00:00:00.000Z')): Clock & {
  advance(milliseconds: number): void;
  set(instant: Date): void;
} {
  let current = start.getTime();
  return {
    now: () => new Date(current),
    advance: (milliseconds) => {
      current += milliseconds;
    },
    set: (instant) => {
      current = instant.getTime();
    },
  };
}
