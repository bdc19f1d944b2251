/** Plays histories on all cores: each worker thread takes the next seeds when it has finished its last ones. */
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { playHistory, type HistoryResult } from './play-history';
import { modelPrefix } from '../model/refine';
import { addHistory, addTally, createTally, type Tally } from './tally';

export interface RangeOptions {
  /** The seed of the first history; later ones count up. */
  readonly seed: number;
  /** No further histories start once `enough` returns true. */
  readonly enough: (tally: Tally) => boolean;
  /** Exactly this many histories are played unless `enough` ends the range before; default: only `enough` ends it. */
  readonly most?: number;
  readonly workers: number;
  readonly onProgress: (tally: Tally) => void;
  /** The bundle that the workers run; default: this bundle. */
  readonly bundle?: string;
  /** The number of histories that a worker takes at a time; default 20. */
  readonly batch?: number;
  /** Only what the reference model refuses counts as a violation. */
  readonly byModel?: boolean | undefined;
}

interface Range {
  readonly seed: number;
  readonly count: number;
  readonly byModel: boolean;
}

/** Histories produce much short-lived garbage; a large nursery collects most of it cheaply. */
const nurseryMb = 48;

/** Plays one history and adds uncaught errors to its violations. */
export async function playGuarded(plan: Parameters<typeof playHistory>[0]): Promise<HistoryResult> {
  const strays: string[] = [];
  const note = (error: unknown): void => void strays.push(`no handler caught ${String(error)}`);
  process.on('unhandledRejection', note);
  try {
    const result = await playHistory(plan);
    await new Promise<void>((resolve) => setImmediate(resolve));
    return strays.length === 0 ? result : { ...result, violations: [...result.violations, ...strays] };
  } finally {
    process.off('unhandledRejection', note);
  }
}

/** The worker's side, called by the entry in a worker thread. */
export function serveRanges(): void {
  if (isMainThread || !parentPort) return;
  const port = parentPort;
  Error.stackTraceLimit = 0;
  port.on('message', ({ seed, count, byModel }: Range) => {
    void (async () => {
      const tally = createTally();
      for (let next = seed; next < seed + count; next += 1) {
        const result = await playGuarded({ seed: next });
        const violations = result.violations.filter((line) => !byModel || line.startsWith(modelPrefix));
        addHistory(tally, { ...result, violations });
      }
      port.postMessage(tally);
    })();
  });
}

export async function playRange({
  seed,
  enough,
  most = Number.POSITIVE_INFINITY,
  workers,
  onProgress,
  bundle = __filename,
  batch = 20,
  byModel = false,
}: RangeOptions): Promise<Tally> {
  const total = createTally();
  const end = seed + most;
  let next = seed;
  const lane = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(bundle, { resourceLimits: { maxYoungGenerationSizeMb: nurseryMb } });
      const more = (): void => {
        if (enough(total) || next >= end) return void worker.terminate().then(() => resolve(), reject);
        const count = Math.min(batch, end - next);
        worker.postMessage({ seed: next, count, byModel } satisfies Range);
        next += count;
      };
      worker.on('error', reject);
      worker.on('message', (tally: Tally) => {
        addTally(total, tally);
        onProgress(total);
        more();
      });
      more();
    });
  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(most / batch)) }, lane));
  return total;
}
