/**
 * Counts how often an owner's handler finished for an event: each finish tries to move the admission from `pending`,
 * and repeats of one write share a draft. What a restart writes about an earlier boot's admission does not count.
 */
import type { Revisioned } from '@platform/kernel';
import type { Draft, RevisionedCollection } from '@platform/mongo';
import type { EventOutcome } from '../../model/provider-events';
import type { Process } from '../engine/timeline';
import type { World } from './world';

interface Admission extends Revisioned {
  readonly status: string;
  /** Of an owner that keeps its outcome beside the status. */
  readonly outcome?: { readonly kind: string };
}

export function countHandlerRuns<T extends Admission>(
  collection: RevisionedCollection<T>,
  { handlerRuns, sayings, timeline }: World,
  process: Process,
): RevisionedCollection<T> {
  const seen = new WeakSet<object>();
  return {
    ...collection,
    mutate: (current, next: Draft<T>, announce) => {
      const { status, outcome } = next as unknown as Admission;
      if (current.status === 'pending' && status !== 'pending' && !seen.has(next)) {
        seen.add(next);
        const run = process.booted;
        if (run) handlerRuns.set(current._id, (handlerRuns.get(current._id) ?? 0) + 1);
        const said = (outcome?.kind ?? status) as EventOutcome;
        sayings.push({ event: current._id, by: process.incarnation, outcome: said, run, at: timeline.time });
      }
      return collection.mutate(current, next, announce);
    },
  };
}
