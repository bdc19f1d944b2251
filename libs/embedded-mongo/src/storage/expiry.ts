/** TTL indexes: removes documents whose date is older than the index allows; values that are not dates never expire. */
import { BsonDate } from '../bson/values';
import { boundsOf } from './bounds';
import type { Collection, Index } from './catalog';
import { readDoc, removeDoc, scanIndex } from './collection-store';
import { descending, storableInterval } from './ranges';
import type { Store } from './store';

const maxAtOnce = 10_000;

/** Removes expired documents and resolves with their number; `now` is in milliseconds since 1970. */
export async function removeExpired(store: Store, now: number): Promise<number> {
  let removed = 0;
  for (const collections of [...store.catalog.collections.values()]) {
    for (const collection of [...collections.values()]) {
      for (const index of collection.indexes) {
        if (index.expireAfterSeconds === undefined) continue;
        const expired = await removeFrom(store, collection, index, now);
        removed += expired;
      }
    }
  }
  return removed;
}

async function removeFrom(store: Store, collection: Collection, index: Index, now: number): Promise<number> {
  const [field] = index.fields;
  if (!field) return 0;
  const cutoff = new BsonDate(BigInt(Math.floor(now - (index.expireAfterSeconds as number) * 1000)));
  const bounds = boundsOf({ op: 'lte', value: cutoff });
  if (!bounds) return 0;
  const intervals = bounds.intervals.map((interval) =>
    storableInterval(field.descending ? descending(interval) : interval),
  );
  const { engine } = store;
  engine.refresh();
  if (scanIndex(engine, index, intervals).next().done) return 0;
  return engine.write(() => {
    if (collection.dropped || !collection.indexes.includes(index)) return 0;
    const records: number[] = [];
    for (const record of scanIndex(engine, index, intervals)) {
      records.push(record);
      if (records.length >= maxAtOnce) break;
    }
    for (const record of records) {
      const stored = readDoc(engine, collection, record);
      if (stored) removeDoc(engine, collection, stored);
    }
    return records.length;
  });
}
