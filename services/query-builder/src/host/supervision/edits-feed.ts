/** Counts the changes of the project, and lets a worker wait for the next one; live streams are built on it. */

export interface EditsFeed {
  /** Reports a change: of a file, a draft, or the served part of the project. */
  raise(): void;
  /** Returns the count as soon as it differs from `seen`, and after `waitMs` at the latest. */
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
