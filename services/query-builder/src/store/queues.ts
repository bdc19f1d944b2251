/** Writers of one process queue for a file; between processes the claim decides. */

export interface Queues {
  /**
   * Runs the work when all work before it at any of the keys is done. Keys are taken in one order, so no two wait for
   * each other.
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
