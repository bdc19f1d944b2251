/**
 * Lets few reads run at a time and keeps the others in order. Reads that run together are not answered sooner: they share
 * one processor and one store. Each read that waits here instead leaves room in both for writes.
 */
export interface ReadTurns {
  /** Resolves when the read may run. Call what it answers when the read has ended; a second call does nothing. */
  take(): Promise<() => void>;
  /** How many wait. */
  readonly waiting: number;
}

/** `heldMs`: a read that runs longer gives its turn to the next one and goes on: a slow reader must not stop the others. */
export function createReadTurns(atATime: number, heldMs: number): ReadTurns {
  const waiting: (() => void)[] = [];
  let running = 0;
  const begin = (): (() => void) => {
    let held = true;
    const leave = (): void => {
      if (!held) return;
      held = false;
      clearTimeout(timer);
      running -= 1;
      waiting.shift()?.();
    };
    const timer = setTimeout(leave, heldMs).unref();
    running += 1;
    return leave;
  };
  return {
    take: () =>
      running < atATime ? Promise.resolve(begin()) : new Promise((resolve) => waiting.push(() => resolve(begin()))),
    get waiting() {
      return waiting.length;
    },
  };
}
