/**
 * Rows that this build cannot read as records: they have no revision or no stamps, or a value that this build does not
 * know. The log names each one and the program skips it, so one such row fails no list, sweep or start. No program
 * changes them, because a write to a row that cannot be read cannot be fenced.
 */
import { InvariantError, type Revisioned } from '@platform/kernel';
import {
  UnreadableRecordError,
  type CollectionDeclaration,
  type Filter,
  type QuarantinedRecord,
  type RevisionedCollection,
} from '../port';
import { isDate } from './plain';

type Declared = Pick<CollectionDeclaration<Revisioned>, 'name' | 'vocabulary'>;
type Row = Readonly<Record<string, unknown>>;

/** The most rows that one process names; more would add no information. */
const namedMax = 10_000;

export interface Quarantine {
  /** Whether the row is a record; if not, it is set aside. */
  admits(declared: Declared, row: object): boolean;
  /** The row as a record. Throws {@link UnreadableRecordError} when it is not one. */
  record<T extends Revisioned>(declared: Declared, row: object): T;
  /** The interface of the quarantine for one collection. */
  of(collection: string): RevisionedCollection<Revisioned>['quarantine'];
  all(): readonly QuarantinedRecord[];
}

/** Why this build cannot read the row as a record; null when it can. */
function faultOf({ vocabulary = {} }: Declared, row: Row): string | null {
  if (typeof row['_id'] !== 'string' || row['_id'] === '') return 'has an _id that is no text';
  if (typeof row['revision'] !== 'string' || row['revision'] === '') return 'carries no revision';
  for (const stamp of ['createdAt', 'updatedAt']) if (!isDate(row[stamp])) return `has no ${stamp}`;
  for (const [field, words] of Object.entries(vocabulary))
    if (!words.includes(row[field] as string)) return `has a ${field} that this build does not know`;
  return null;
}

/**
 * A filter for exactly the rows in which {@link faultOf} finds nothing, except that it ignores lists in place of
 * values.
 */
export function readableOnly({ vocabulary = {} }: Declared): Filter {
  return {
    _id: { $gt: '' },
    revision: { $gt: '' },
    createdAt: { $gte: new Date(-8.64e15) },
    updatedAt: { $gte: new Date(-8.64e15) },
    ...Object.fromEntries(Object.entries(vocabulary).map(([field, words]) => [field, { $in: words }])),
  };
}

/** `onNew` is called once for each row that is set aside. */
export function createQuarantine(onNew: (record: QuarantinedRecord) => void = () => undefined): Quarantine {
  const named = new Map<string, QuarantinedRecord>();
  const setAside = (record: QuarantinedRecord): void => {
    const key = `${record.collection}:${record.id}`;
    if (named.has(key) || named.size >= namedMax) return;
    named.set(key, record);
    onNew(record);
  };
  const judge = (declared: Declared, row: Row): QuarantinedRecord | null => {
    const why = faultOf(declared, row);
    return why === null ? null : { collection: declared.name, id: String(row['_id']), why };
  };
  return {
    admits(declared, row) {
      const found = judge(declared, row as Row);
      if (found) setAside(found);
      return found === null;
    },
    record<T extends Revisioned>(declared: Declared, row: object): T {
      const found = judge(declared, row as Row);
      if (!found) return row as T;
      setAside(found);
      throw new UnreadableRecordError(found);
    },
    of: (collection) => ({
      setAside: (id, why) => setAside({ collection, id, why }),
      ids: () => [...named.values()].filter((record) => record.collection === collection).map(({ id }) => id),
    }),
    all: () => [...named.values()],
  };
}

/**
 * Processes one record of a sweep. An error of the record alone (a broken invariant, an unexpected shape) sets it
 * aside, and the sweep continues. Returns whether the work was done. Errors of the store or the process are thrown.
 */
export async function apart(
  { quarantine }: Pick<RevisionedCollection<Revisioned>, 'quarantine'>,
  id: string,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const ofTheRecord = error instanceof InvariantError || error instanceof TypeError || error instanceof RangeError;
    if (!ofTheRecord) throw error;
    // Another unreadable row was named where it was read; this record is set aside because it needs that row.
    quarantine.setAside(id, `cannot be dealt with: ${error.message}`);
    return false;
  }
}

/** The record, or null also when its row is unreadable: for values that are only displayed and decide nothing. */
export async function unlessUnreadable<T>(read: Promise<T | null>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof UnreadableRecordError) return null;
    throw error;
  }
}
