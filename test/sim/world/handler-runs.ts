/**
 * Counts how often an owner's handler finished for an event: each finish tries to move the admission from `pending`,
 * and repeats of one write share a draft. What a restart writes about an earlier boot's admission does not count.
 */
import type { Revisioned } from '@platform/kernel';
import type { Draft, RevisionedCollection } from '@platform/mongo';
import type { Process } from '../engine/timeline';
import type { World } from './world';

interface Admission extends Revisioned {
  readonly status: string;
}

export function countHandlerRuns<T extends Admission>(
  collection: RevisionedCollection<T>,
  { handlerRuns }: World,
  process: Process,
): RevisionedCollection<T> {
  const seen = new WeakSet<object>();
  return {
    ...collection,
    mutate: (current, next: Draft<T>, announce) => {
      const ends = current.status === 'pending' && (next as unknown as Admission).status !== 'pending';
      if (ends && process.booted && !seen.has(next)) {
        seen.add(next);
        handlerRuns.set(current._id, (handlerRuns.get(current._id) ?? 0) + 1);
      }
      return collection.mutate(current, next, announce);
    },
  };
}
