/**
 * Lets a few reads run at a time and queues the others in order. Concurrent reads are not answered sooner, because they
 * share one processor and one store. Each read that waits here instead leaves room in both for writes.
 */
export interface ReadTurns {
  /**
   * Resolves when the read may run, with the function to call when it has ended; a second call does nothing. Resolves
   * with null, without a turn, once `left` is aborted because its reader has left, or when it has waited too long. When
   * both kinds wait, every other turn goes to one that is `first`.
   */
  take(left: AbortSignal, first?: boolean): Promise<(() => void) | null>;
  /** The number of waiting reads. */
  readonly waiting: number;
}

/**
 * `heldMs`: a read that runs longer waits for something other than the processor and the store. It continues, and the
 * next one runs beside it. `waitMs`: a read that waits longer was accepted by mistake, because the speed of the machine
 * cannot be foreseen.
 */
export function createReadTurns(atATime: number, heldMs: number, waitMs: number): ReadTurns {
  const queues = { first: new Set<() => void>(), then: new Set<() => void>() };
  let running = 0;
  let wasFirst = false;
  const next = (): void => {
    const { first, then } = queues;
    wasFirst = then.size === 0 || (first.size > 0 && !wasFirst);
    const [run] = wasFirst ? first : then;
    run?.();
  };
  const begin = (): (() => void) => {
    let held = true;
    const end = (): void => {
      if (!held) return;
      held = false;
      clearTimeout(timer);
      running -= 1;
      next();
    };
    const timer = setTimeout(end, heldMs).unref();
    running += 1;
    return end;
  };
  const wait = (queue: Set<() => void>, left: AbortSignal): Promise<(() => void) | null> =>
    new Promise((resolve) => {
      const leave = (): void => {
        clearTimeout(tooLong);
        queue.delete(run);
        left.removeEventListener('abort', leave);
        resolve(null);
      };
      const run = (): void => {
        clearTimeout(tooLong);
        queue.delete(run);
        left.removeEventListener('abort', leave);
        resolve(begin());
      };
      const tooLong = setTimeout(leave, waitMs).unref();
      queue.add(run);
      left.addEventListener('abort', leave, { once: true });
    });
  return {
    take: async (left, first = false) => {
      if (left.aborted) return null;
      return running < atATime ? begin() : wait(first ? queues.first : queues.then, left);
    },
    get waiting() {
      return queues.first.size + queues.then.size;
    },
  };
}
