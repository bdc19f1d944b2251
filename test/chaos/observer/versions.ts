/** The versions of every record in the log of changes, and the instants at which a statement about one became true. */
import type { StoredChange, StoredVersion } from './change-tail';

export interface Version {
  readonly at: number;
  readonly record: StoredVersion;
}

export interface Versions {
  /** Every version of each record of a collection, oldest first. */
  of(database: string, collection: string): ReadonlyMap<string, readonly Version[]>;
  /** Records that exist at the end. */
  standing<T>(database: string, collection: string): readonly T[];
}

export function createVersions(changes: readonly StoredChange[]): Versions {
  const collections = new Map<string, Map<string, Version[]>>();
  const removed = new Map<string, Set<string>>();
  const nameOf = (database: string, collection: string): string => `${database}.${collection}`;
  for (const { database, collection, kind, id, at, record } of changes) {
    const name = nameOf(database, collection);
    const records = collections.get(name) ?? new Map<string, Version[]>();
    collections.set(name, records);
    const gone = removed.get(name) ?? new Set<string>();
    removed.set(name, gone);
    if (kind === 'removed' || !record) gone.add(id);
    else {
      gone.delete(id);
      const known = records.get(id);
      if (known) known.push({ at, record });
      else records.set(id, [{ at, record }]);
    }
  }
  const none: ReadonlyMap<string, Version[]> = new Map();
  const of = (database: string, collection: string) => collections.get(nameOf(database, collection)) ?? none;
  return {
    of,
    standing: <T>(database: string, collection: string) => {
      const gone = removed.get(nameOf(database, collection));
      return [...of(database, collection)].flatMap(([id, versions]) =>
        gone?.has(id) ? [] : [versions.at(-1)!.record as unknown as T],
      );
    },
  };
}

/** When a version first satisfied the condition. */
export function since<T>(versions: readonly Version[] | undefined, says: (record: T) => boolean): number | undefined {
  return versions?.find(({ record }) => says(record as unknown as T))?.at;
}

/** The version that was stored at an instant. */
export function versionAt(versions: readonly Version[] | undefined, at: number): StoredVersion | undefined {
  return versions?.filter((version) => version.at <= at).at(-1)?.record;
}
