/**
 * The distinct weights of the queue, heaviest first, found by skipping through the index with one query each. They
 * change rarely and every page needs them, so they are cached until something changes, and never longer than two
 * seconds.
 */
import type { Clock } from '@platform/kernel';
import type { Filter, RevisionedCollection } from '@platform/mongo';
import type { WorkItem } from '../domain/work-item';

export interface KnownWeights {
  /**
   * The `index`-th batch of weights of the matching rows; fewer than {@link weightsAtOnce} means that it is the last
   * one.
   */
  batch(where: Filter, index: number): Promise<readonly number[]>;
  forget(): void;
}

const weightsAtOnce = 16;
const keptMs = 2_000;
const filtersKept = 200;

interface Kept {
  readonly at: number;
  readonly batches: Promise<readonly number[]>[];
}

export function createKnownWeights(items: Pick<RevisionedCollection<WorkItem>, 'find'>, clock: Clock): KnownWeights {
  const kept = new Map<string, Kept>();
  const skip = async (where: Filter, before: number | undefined): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let below = before; found.length < weightsAtOnce; below = found.at(-1)) {
      const [next] = await items.find(
        { ...where, ...(below !== undefined && { weight: { $lt: below } }) },
        { sort: { weight: -1, since: 1, _id: 1 }, limit: 1 },
      );
      if (!next) break;
      found.push(next.weight);
    }
    return found;
  };
  return {
    async batch(where, index) {
      const key = JSON.stringify(where);
      const now = clock.now().getTime();
      let known = kept.get(key);
      if (!known || now - known.at > keptMs) {
        if (kept.size >= filtersKept) kept.clear();
        kept.set(key, (known = { at: now, batches: [] }));
      }
      const { batches } = known;
      for (let at = batches.length; at <= index; at += 1) {
        const earlier = batches[at - 1];
        const reading = Promise.resolve(earlier).then((before) =>
          before && before.length < weightsAtOnce ? [] : skip(where, before?.at(-1)),
        );
        // A failed read is removed, so that other readers do not wait for it.
        reading.catch(() => kept.delete(key));
        batches.push(reading);
      }
      return batches[index]!;
    },
    forget: () => kept.clear(),
  };
}

/** Batch after batch, to the last weight. */
export async function* batchesOf(known: KnownWeights, where: Filter): AsyncGenerator<readonly number[]> {
  for (let index = 0; ; index += 1) {
    const weights = await known.batch(where, index);
    if (weights.length > 0) yield weights;
    if (weights.length < weightsAtOnce) return;
  }
}
