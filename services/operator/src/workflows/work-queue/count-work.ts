/** Exact counters of the queue, by kind and state, counted in the index. Many who ask at once share one count. */
import { workKinds, workStates, type WorkCounters } from '@platform/contracts-operator';
import type { Clock } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { WorkItem } from '../../domain/work/work-item';

export type Counted = Pick<WorkCounters, 'total' | 'counts' | 'countedAt'>;

export function createCounters(items: Pick<RevisionedCollection<WorkItem>, 'count'>, clock: Clock): () => Promise<Counted> {
  let under: Promise<Counted> | undefined;
  const countAll = async (): Promise<Counted> => {
    const countedAt = clock.now().toISOString();
    const asked = workKinds.flatMap((kind) => workStates.map((state) => ({ kind, state })));
    const counts = (await Promise.all(asked.map(async (which) => ({ ...which, count: await items.count(which) })))).filter(({ count }) => count > 0);
    return { total: counts.reduce((sum, { count }) => sum + count, 0), counts, countedAt };
  };
  return () =>
    (under ??= countAll().finally(() => {
      under = undefined;
    }));
}
