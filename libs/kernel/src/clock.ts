/** Time is an argument: tests and simulations control it, and no code reads it at import. */
export interface Clock {
  /** The current instant. */
  now(): Date;
  /** Milliseconds since an arbitrary moment, by a counter that cannot be set; absent where `now` never jumps. */
  elapsedMs?(): number;
}

export const systemClock: Clock = { now: () => new Date(), elapsedMs: () => performance.now() };

/** A clock that moves only when a test advances it; it starts at a fixed instant by default, so that runs repeat. */
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
