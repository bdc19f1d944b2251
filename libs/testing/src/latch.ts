/** Tests hold work at a known point instead of sleeping: work waits at a latch until the test opens it. */

export interface Latch {
  /** Resolves when the latch is open; at once if it already is. */
  wait(): Promise<void>;
  /** Lets every waiter through, now and later. Opening twice is harmless. */
  open(): void;
  /** Resolves when at least `count` (default 1) callers have arrived at {@link Latch.wait}. */
  reached(count?: number): Promise<void>;
  readonly waiting: number;
}

/** A closed latch. */
export function createLatch(): Latch {
  let release = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = 0;
  let waiting = 0;
  let watchers: { readonly count: number; readonly resolve: () => void }[] = [];
  return {
    wait: async () => {
      arrived += 1;
      waiting += 1;
      for (const { resolve } of watchers.filter(({ count }) => arrived >= count)) resolve();
      watchers = watchers.filter(({ count }) => arrived < count);
      await opened;
      waiting -= 1;
    },
    open: () => release(),
    reached: (count = 1) =>
      arrived >= count ? Promise.resolve() : new Promise((resolve) => watchers.push({ count, resolve })),
    get waiting() {
      return waiting;
    },
  };
}
