/**
 * Combines reads by key that are requested in the same turn into one query. Each begins after it was requested, so it
 * sees what a separate read would have seen. Under load it saves a round trip per message; a single read costs no more.
 */
import type { Revisioned } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';

/** The most keys in one query: MongoDB merges one sorted scan per key. */
const keysMax = 200;

interface PendingRead<R> {
  readonly key: string;
  readonly resolve: (found: Promise<R>) => void;
}

/**
 * `readMany` gets distinct keys and returns the results in their order; a result that fails alone is a rejected
 * promise.
 */
export function createBatchedRead<R>(
  readMany: (keys: readonly string[]) => Promise<readonly (R | Promise<R>)[]>,
): (key: string) => Promise<R> {
  let pending: PendingRead<R>[] = [];

  function send(some: readonly PendingRead<R>[]): void {
    const keys = [...new Set(some.map(({ key }) => key))];
    const answers = readMany(keys);
    for (const { key, resolve } of some) resolve(answers.then((found) => found[keys.indexOf(key)] as R));
  }

  function flush(): void {
    const all = pending;
    pending = [];
    for (let start = 0; start < all.length; start += keysMax) send(all.slice(start, start + keysMax));
  }

  return (key) =>
    new Promise((resolve) => {
      pending.push({ key, resolve });
      if (pending.length === 1) setImmediate(flush);
    });
}

/** The collection with its reads by id batched. */
export function withBatchedReads<T extends Revisioned>(collection: RevisionedCollection<T>): RevisionedCollection<T> {
  const findById = createBatchedRead<T | null>(async (ids) => {
    const [only] = ids;
    if (ids.length === 1 && only !== undefined) return [await collection.findById(only)];
    const found = await collection.find({ _id: { $in: ids } }, { sort: { _id: 1 }, limit: ids.length });
    const byId = new Map(found.map((record) => [record._id, record]));
    // A row that cannot be read as a record is not absent: a separate read reports the error.
    const aside = new Set(collection.quarantine.ids());
    return ids.map((id) => byId.get(id) ?? (aside.has(id) ? collection.findById(id) : null));
  });
  return { ...collection, findById };
}
