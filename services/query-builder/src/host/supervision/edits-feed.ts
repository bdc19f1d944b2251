/** Counts what happens to the project, and lets a worker wait for the next change: the long half of a live stream. */

export interface EditsFeed {
  /** Something changed: a file, a draft, or the part of the project that is served. */
  raise(): void;
  /** The count, as soon as it is another one than `seen`, and after `waitMs` at the latest. */
  after(seen: number): Promise<number>;
  close(): void;
}

export function createEditsFeed(waitMs = 20_000): EditsFeed {
  const waiting = new Set<() => void>();
  let count = 0;
  const wake = (): void => [...waiting].forEach((go) => go());
  return {
    raise() {
      count += 1;
      wake();
    },
    after(seen) {
      if (seen !== count) return Promise.resolve(count);
      return new Promise((resolve) => {
        const go = (): void => {
          waiting.delete(go);
          clearTimeout(timer);
          resolve(count);
        };
        const timer = setTimeout(go, waitMs);
        timer.unref();
        waiting.add(go);
      });
    },
    close: wake,
  };
}
