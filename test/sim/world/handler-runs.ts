/**
 * Counts how often an owner's handler came to an end for an event: each end tries to move the admission from `pending`,
 * with one draft however often the write is repeated. What a restart writes about an earlier boot's admission is no run.
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
