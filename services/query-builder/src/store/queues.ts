/** Writers of one process queue for a file; between processes, a claim decides. */

export interface Queues {
  /**
   * Runs the work when all earlier work at any of the keys is done. Keys are taken in one order, so two calls never
   * wait for each other.
   */
  inLine<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result>;
}

export function createQueues(): Queues {
  const tails = new Map<string, Promise<void>>();
  return {
    async inLine(keys, work) {
      const ordered = [...new Set(keys)].sort();
      const earlier = ordered.map((key) => tails.get(key));
      const running = Promise.all(earlier).then(work);
      const tail = running.then(
        () => undefined,
        () => undefined,
      );
      ordered.forEach((key) => tails.set(key, tail));
      try {
        return await running;
      } finally {
        for (const key of ordered) if (tails.get(key) === tail) tails.delete(key);
      }
    },
  };
}
