/**
 * Logs one line for each step of a record, in the write that makes it: a search for an id in the logs of all services
 * finds the complete history, whichever workflow, message or person changed the record.
 */
import type { Log, Revisioned } from '@platform/kernel';
import type { CollectionDeclaration, RevisionedCollection, StepFacts } from '../port';

/** The facts of two writes differ in what defines a step: the state, or the current attempt. */
const isStep = (before: StepFacts, after: StepFacts): boolean =>
  before.state !== after.state || before.attempt !== after.attempt;

/** Logs the steps of a collection whose declaration defines a step; other collections are returned unchanged. */
export function tellSteps<T extends Revisioned>(
  collection: RevisionedCollection<T>,
  declaration: Pick<CollectionDeclaration<T>, 'tells'>,
  log: Log,
): RevisionedCollection<T> {
  if (!declaration.tells) return collection;
  const say = (record: T, from?: string) => {
    const { state, ...facts } = declaration.tells!(record);
    log.info({ ...facts, id: record._id, ...(from !== undefined && { from }), to: state }, 'a step is recorded');
  };
  return {
    ...collection,
    insert: async (draft, announce) => {
      const inserted = await collection.insert(draft, announce);
      if (inserted.outcome === 'applied') say(inserted.record);
      return inserted;
    },
    mutate: async (current, next, announce) => {
      const mutated = await collection.mutate(current, next, announce);
      if (mutated.outcome !== 'applied') return mutated;
      const before = declaration.tells!(current);
      if (isStep(before, declaration.tells!(mutated.record))) say(mutated.record, before.state);
      return mutated;
    },
  };
}
