/**
 * The serving workers. A new set replaces the old one only when all of it serves; the old one drains meanwhile. A
 * worker that ends by itself is replaced, with the last assignment.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, type Log } from '@platform/kernel';
import type { Figures } from '@platform/service-host';
import type { PageChanges } from '../project/page-catalog';
import type { PageHealth } from './messages';
import type { Ending, PageWorker } from './start-worker';

export interface WorkerPoolOptions {
  readonly log: Log;
  readonly size: number;
  readonly drainTimeMs: number;
}

/** Without a port the worker takes the one of its configuration. */
type StartWorker = (port: number | undefined) => Promise<PageWorker>;

export interface WorkerPool {
  /**
   * Starts a whole set of workers and drains the previous one. Throws what `start` throws; then the previous set
   * continues.
   */
  replaceAll(start: StartWorker): Promise<readonly PageWorker[]>;
  /** The metrics of each worker that answers in time, by its id. */
  figures(): Promise<ReadonlyMap<string, Figures>>;
  sendHealth(health: PageHealth): void;
  sendWritten(tables: readonly string[] | null): void;
  /** Resolves when every worker serves with the change. */
  change(changes: PageChanges): Promise<void>;
  url(): string;
  close(): Promise<void>;
}

/** A worker whose code blocks it is left out of the metrics, so that the others are seen. */
const figuresWithinMs = 1_000;

export function createWorkerPool({ log, size, drainTimeMs }: WorkerPoolOptions): WorkerPool {
  const leaving = new Set<Promise<void>>();
  let current: readonly PageWorker[] = [];
  let startAgain: StartWorker | undefined;
  let lastHealth: PageHealth | undefined;
  /**
   * Workers share one socket by listening on the same port, 0 included. It closes with the last worker; a later worker
   * listens on the port by its number.
   */
  let port: number | undefined;

  const stop = (workers: readonly PageWorker[]): void =>
    workers.forEach((worker) => letLeave(worker.drain(drainTimeMs), leaving));
  const replace = async (worker: PageWorker, ending: Ending): Promise<void> => {
    for (let attempt = 1; current.includes(worker); attempt += 1) {
      log.error({ attempt, ...ending }, 'a page worker ended by itself; another one takes its place');
      if (current.length === 1) port = Number(new URL(worker.url).port);
      const successor = await startAgain!(port).catch(
        (error: unknown) => void log.error({ error }, 'no page worker came up'),
      );
      if (!successor) await delay(backoffMs(attempt, 100, 5_000));
      // A new set of workers may have replaced this one meanwhile.
      else if (!current.includes(worker)) stop([successor]);
      else {
        current = current.map((each) => (each === worker ? successor : each));
        watch(successor);
      }
    }
  };
  const watch = (worker: PageWorker): void => {
    if (lastHealth) worker.sendHealth(lastHealth);
    void worker.ended.then((ending) => replace(worker, ending));
  };

  return {
    async replaceAll(start) {
      const started = await Promise.allSettled(Array.from({ length: size }, () => start(port)));
      const fresh = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const failure = started.find((each) => each.status === 'rejected');
      if (failure) {
        stop(fresh);
        throw failure.reason;
      }
      const before = current;
      current = fresh;
      startAgain = start;
      fresh.forEach(watch);
      stop(before);
      return fresh;
    },
    change: async (changes) => void (await Promise.all(current.map((worker) => worker.change(changes)))),
    figures: () => figuresOf(current),
    sendHealth(health) {
      lastHealth = health;
      for (const worker of current) worker.sendHealth(health);
    },
    sendWritten: (tables) => current.forEach((worker) => worker.sendWritten(tables)),
    url: () => current[0]?.url ?? '',
    async close() {
      stop(current);
      current = [];
      await Promise.all(leaving);
    },
  };
}

async function figuresOf(workers: readonly PageWorker[]): Promise<ReadonlyMap<string, Figures>> {
  const read = async ({ id, figures }: PageWorker) =>
    [String(id), await Promise.race([figures(), delay(figuresWithinMs, undefined, { ref: false })])] as const;
  const all = await Promise.all(workers.map(read));
  return new Map(all.flatMap(([id, figures]) => (figures ? [[id, figures] as const] : [])));
}

/** Keeps references to draining workers until they have ended. */
function letLeave(left: Promise<void>, leaving: Set<Promise<void>>): void {
  const gone = left.finally(() => leaving.delete(gone));
  leaving.add(gone);
}
