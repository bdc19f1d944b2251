/**
 * Exact counters of the queue, by kind and state, counted weight by weight so that each query is short. A count is kept
 * until something changes, and concurrent callers share it. After a count, no new one begins for three times as long as
 * it took.
 */
import { workKinds, workStates, type WorkCounters } from '@platform/contracts-operator';
import type { Clock } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { WorkItem } from '../domain/work-item';
import { batchesOf, type KnownWeights } from './known-weights';

export type Counted = Pick<WorkCounters, 'total' | 'counts' | 'countedAt'>;

export interface Counters {
  read(): Promise<Counted>;
  /** Marks the count as outdated: the next reader gets a new one, once the pause is over. */
  forget(): void;
}

const restFactor = 3;
const keptMs = 10_000;

export function createCounters(
  items: Pick<RevisionedCollection<WorkItem>, 'count'>,
  weights: KnownWeights,
  clock: Clock,
): Counters {
  let under: Promise<Counted> | undefined;
  let last: { readonly counted: Counted; readonly at: number; readonly restUntil: number } | undefined;
  let changed = true;
  const countAll = async (): Promise<Counted> => {
    changed = false;
    const begun = clock.now();
    const counts: Counted['counts'] = [];
    // Sequential, so that the store answers other requests in between.
    for (const kind of workKinds) {
      for (const state of workStates) {
        let count = 0;
        for await (const batch of batchesOf(weights, { kind, state })) {
          for (const weight of batch) {
            const weighing = await items.count({ kind, state, weight });
            count += weighing;
          }
        }
        if (count > 0) counts.push({ kind, state, count });
      }
    }
    const counted = {
      total: counts.reduce((sum, { count }) => sum + count, 0),
      counts,
      countedAt: begun.toISOString(),
    };
    const ended = clock.now().getTime();
    last = { counted, at: ended, restUntil: ended + restFactor * (ended - begun.getTime()) };
    return counted;
  };
  return {
    async read() {
      const now = clock.now().getTime();
      if (last && (now < last.restUntil || (!changed && now - last.at < keptMs))) return last.counted;
      return (under ??= countAll().finally(() => {
        under = undefined;
      }));
    },
    forget: () => {
      changed = true;
    },
  };
}
