/**
 * The changes of every document in the order of their commits, recorded in `local.changes` by the transactions that
 * make them. Observers in tests read what was stored, when, and the filter of the writer. Off by default, because the
 * log grows without limit.
 */
import type { Doc, Value } from '../bson/values';
import { BsonDate, docOf } from '../bson/values';
import { documentsMade, insertDoc } from './collection-store';
import type { Change } from './engine';
import { ensureCollection, type Store } from './store';

const observers = 'local';

/** From now on, each change of a document records its entry in the same transaction. */
export function keepChanges(store: Store): void {
  store.engine.changed = (change) => {
    if (change.collection.database === observers) return;
    const log = ensureCollection(store, observers, 'changes');
    insertDoc(store.engine, log, entryOf(documentsMade(store.engine, log) + 1, change));
  };
}

/** The number of an entry is its place in the order of all commits; its timestamp comes from a monotonic clock. */
function entryOf(place: number, { kind, collection, id, document, asked }: Change): Doc {
  return docOf({
    _id: BigInt(place),
    at: new BsonDate(BigInt(Math.floor(performance.timeOrigin + performance.now()))),
    ns: `${collection.database}.${collection.name}`,
    kind,
    id: id as Value,
    ...(document && { document }),
    ...(asked && { asked }),
  });
}
