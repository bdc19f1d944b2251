/** What a list lacks: `find` skips rows that cannot be read as records, and a decision on the whole list must know. */
import type { Revisioned } from '@platform/kernel';
import { UnreadableRecordError, type RevisionedCollection } from '@platform/mongo';

/**
 * Why `read`, just found, may lack a record of the list: a row cannot be read, or was repaired since. Null when it is
 * whole. `belongs` says which repaired records the list contains. Throws StoreUnavailableError.
 */
export async function unreadBeside<T extends Revisioned>(
  collection: Pick<RevisionedCollection<T>, 'name' | 'findById' | 'quarantine'>,
  read: readonly T[],
  belongs: (record: T) => boolean = () => true,
): Promise<string | null> {
  for (const id of collection.quarantine.ids()) {
    if (read.some((record) => record._id === id)) continue;
    try {
      const repaired = await collection.findById(id);
      if (repaired && belongs(repaired)) return `${collection.name}: record ${id} was repaired just now`;
    } catch (error) {
      if (!(error instanceof UnreadableRecordError)) throw error;
      return error.message;
    }
  }
  return null;
}
