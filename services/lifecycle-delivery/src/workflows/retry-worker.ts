/**
 * Runs the reconciliation at start, every five minutes with a random offset that separates replicas, and at once for a
 * consumer that has returned or when the broker's streams were recreated. Rounds never overlap in one process. A failed
 * round is logged, and the next one follows.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { retryLimits } from '../domain/retry';
import type { DeliveryPorts } from './ports';
import { newRoundMemory, retryDeliveries, type RetryScope } from './retry-deliveries';

export interface RetryWorker {
  /** The deliveries that wait for this consumer are sent soon. */
  consumerReturned(name: string): void;
  /** The broker has lost what it held: everything without a receipt is sent soon. */
  streamsRecreated(): void;
  /** When the last round was completed; null before the first. */
  lastRoundAt(): Date | null;
  close(): Promise<void>;
}

/** Pause after a failed round, shorter than the interval. */
const afterFailureMs = 5_000;

export function startRetryWorker(
  ports: DeliveryPorts,
  store: { now(): Promise<Date> },
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void> = waitByTimer,
): RetryWorker {
  const stop = new AbortController();
  const memory = newRoundMemory();
  let lastRoundAt: Date | null = null;
  let reconciled = false;
  let queue: Promise<boolean> = Promise.resolve(true);

  async function round(scope: RetryScope): Promise<boolean> {
    if (stop.signal.aborted) return true;
    try {
      const counts = await retryDeliveries(ports, store, scope, memory);
      lastRoundAt = ports.clock.now();
      if (Object.values(counts).some((count) => count > 0)) ports.log.info({ scope, ...counts }, 'deliveries retried');
      return true;
    } catch (error) {
      ports.log.warn({ scope, error: String(error) }, 'deliveries could not be retried; another round follows');
      return false;
    }
  }

  function enqueue(scope: RetryScope): Promise<boolean> {
    queue = queue.then(() => round(scope));
    return queue;
  }

  async function loop(): Promise<void> {
    while (!stop.signal.aborted) {
      const kind = reconciled ? 'due' : 'everything';
      const finished = await enqueue({ kind });
      if (kind === 'everything') reconciled ||= finished;
      const spread = 1 + retryLimits.spread * (2 * ports.random() - 1);
      await wait(finished ? Math.round(retryLimits.intervalMs * spread) : afterFailureMs, stop.signal);
    }
  }

  const looping = loop();
  return {
    streamsRecreated() {
      // A round that fails leaves everything to the next one.
      reconciled = false;
      void enqueue({ kind: 'everything' }).then((finished) => (reconciled ||= finished));
    },
    consumerReturned: (name) => void enqueue({ kind: 'consumer', name }),
    lastRoundAt: () => lastRoundAt,
    async close() {
      stop.abort();
      await looping;
      await queue;
    },
  };
}

async function waitByTimer(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
