/**
 * One decision on one document: read, decide, write fenced, and again when somebody else was faster. A write whose
 * answer was lost is looked for by reading again, so a decision must recognise its own result (`stands`).
 */
import type { Revisioned } from '@platform/kernel';
import type { RetryPolicy } from '@platform/durable/record';
import {
  StoreUnavailableError,
  type Draft,
  type InsertOutcome,
  type MutationOutcome,
  type RevisionedCollection,
} from '@platform/mongo';
import type { Decision } from '../domain/reservation';
import type { KeyedMutex } from './ports';

/** `unknown`: the store did not answer within the retry policy; the decision may stand. */
export type Decided = 'stands' | 'refused' | 'unknown';

const racesMax = 1_000;

export async function decideFenced<T extends Revisioned>(
  { retryPolicy, mutex }: { readonly retryPolicy: RetryPolicy; readonly mutex: KeyedMutex },
  collection: RevisionedCollection<T>,
  id: string,
  decision: (read: T | null) => Decision<T>,
): Promise<Decided> {
  return mutex.runExclusive(`${collection.name}/${id}`, async () => {
    let tries = 0;
    for (let race = 0; race < racesMax; race += 1) {
      if (tries >= retryPolicy.tries) return 'unknown';
      if (tries > 0) await retryPolicy.pause(tries);
      const read = await readOrAway(collection, id);
      if (read === 'away') {
        tries += 1;
        continue;
      }
      const decided = decision(read);
      if (decided.kind !== 'write') return decided.kind;
      const next = decided.next as unknown as Draft<T>;
      const written: InsertOutcome<T> | MutationOutcome<T> = read
        ? await collection.mutate(read, next)
        : await collection.insert(next);
      if (written.outcome === 'applied') return 'stands';
      if (written.outcome === 'unknown') tries += 1;
    }
    return 'unknown';
  });
}

async function readOrAway<T extends Revisioned>(
  collection: RevisionedCollection<T>,
  id: string,
): Promise<T | null | 'away'> {
  try {
    return await collection.findById(id);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return 'away';
    throw error;
  }
}
