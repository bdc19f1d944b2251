/** The reconciliation's timer and the count of creations under way. Time decides only when to read again. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@platform/kernel';

export interface Worker {
  close(): Promise<void>;
}

/** Runs at once and then at intervals until closed; a failure is logged and left to the next time. */
export function startWorker(work: () => Promise<unknown>, intervalMs: number, log: Log): Worker {
  const stop = new AbortController();
  const loop = async () => {
    while (!stop.signal.aborted) {
      await work().catch((error: unknown) => log.warn({ error: String(error) }, 'the reconciliation was cut short; the next one goes on'));
      await delay(intervalMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const looping = loop();
  return {
    async close() {
      stop.abort();
      await looping;
    },
  };
}

/** Executors under way in this process; closing waits for them, because an abandoned one leaves an open attempt behind. */
export function createUnderWay(): { track<T>(work: Promise<T>): Promise<T>; count(): number; drained(): Promise<void> } {
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
