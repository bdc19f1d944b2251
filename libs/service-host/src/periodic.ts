/**
 * Work that a service repeats until it closes: housekeeping, reconciliation. Time only decides when the next round
 * begins.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@platform/kernel';

export interface Periodic {
  /** Starts nothing more and waits for the running round. */
  close(): Promise<void>;
}

export interface PeriodicOptions {
  /** The name in the log when a round fails. */
  readonly name: string;
  /** Time between the end of a round and the start of the next one. */
  readonly everyMs: number;
  readonly log: Log;
  /** `stopping` tells a long round that it should end. A rejection is logged, and the next round tries again. */
  readonly work: (stopping: () => boolean) => Promise<unknown>;
}

/** Runs `work` at once and then repeatedly, never two rounds at a time. */
export function startPeriodic({ name, everyMs, log, work }: PeriodicOptions): Periodic {
  const stop = new AbortController();
  const stopping = () => stop.signal.aborted;
  const loop = async () => {
    while (!stopping()) {
      await work(stopping).catch((error: unknown) =>
        log.warn({ work: name, error: String(error) }, 'a repeated piece of work failed; the next turn tries again'),
      );
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
