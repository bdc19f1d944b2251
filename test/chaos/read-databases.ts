/** Reads whole collections of a service's database, as an investigator would: what the services wrote, past their own views. */
import { createIds, silentLog, systemClock, type Revisioned } from '@platform/kernel';
import { connectStore, type CollectionDeclaration, type Store } from '@platform/mongo';

const page = 500;

/** Every record of a collection, page by page. */
export async function everyRecord<T extends Revisioned>(
  store: Store,
  declaration: CollectionDeclaration<T>,
): Promise<T[]> {
  const collection = store.collection<T>(declaration);
  const found: T[] = [];
  for (let after: readonly [string] | undefined; ;) {
    const records = await collection.find({}, { sort: { _id: 1 }, limit: page, ...(after && { after }) });
    found.push(...records);
    const last = records.at(-1);
    if (!last || records.length < page) return found;
    after = [last._id];
  }
}

/** Opens the database of one service for as long as `read` takes. */
export async function readDatabase<R>(
  url: string,
  database: string,
  read: (every: <T extends Revisioned>(declaration: CollectionDeclaration<T>) => Promise<T[]>) => Promise<R>,
): Promise<R> {
  const store = await connectStore({
    url,
    database,
    clock: systemClock,
    ids: createIds(),
    log: silentLog,
    appName: 'chaos',
  });
  try {
    return await read((declaration) => everyRecord(store, declaration));
  } finally {
    await store.close();
  }
}
