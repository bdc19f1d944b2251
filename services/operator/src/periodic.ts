/** Housekeeping that is repeated until the service closes; an error is logged and the next turn tries again. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@platform/kernel';

export interface Periodic {
  /** Starts nothing more and waits for the turn under way. */
  close(): Promise<void>;
}

export function startPeriodic({ name, everyMs, log, work }: { readonly name: string; readonly everyMs: number; readonly log: Log; readonly work: (stopping: () => boolean) => Promise<unknown> }): Periodic {
  const stop = new AbortController();
  const stopping = () => stop.signal.aborted;
  const loop = async () => {
    while (!stopping()) {
      await work(stopping).catch((error: unknown) => log.warn({ work: name, error: String(error) }, 'housekeeping failed; the next turn tries again'));
      await delay(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    close: () => {
      stop.abort();
      return running;
    },
  };
}
