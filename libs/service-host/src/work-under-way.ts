/** Executors under way in a process. An orderly end waits for them, because an abandoned one leaves an open record behind. */
export interface WorkUnderWay {
  /** Counts the work until it has ended; answers the same promise. */
  track<T>(work: Promise<T>): Promise<T>;
  count(): number;
  /** Resolves when nothing is under way any more, however each piece ended. */
  drained(): Promise<void>;
}

export function createWorkUnderWay(): WorkUnderWay {
  const under = new Set<Promise<unknown>>();
  return {
    track(work) {
      under.add(work);
      const done = () => void under.delete(work);
      work.then(done, done);
      return work;
    },
    count: () => under.size,
    async drained() {
      while (under.size > 0) await Promise.allSettled(under);
    },
  };
}
