/** How a round of the reconciliation reads and handles many records. */

/** Records of one read. */
export const pageSize = 200;
/** Concurrent attempts; the broker acknowledges a batch far faster than single messages. */
const concurrency = 32;

/** Runs `run` for each of them; rejects with the first error, while runs that have begun go on. */
export async function inParallel<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const queue = all.values();
  const worker = async (): Promise<void> => {
    for (const one of queue) await run(one);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, worker));
}
