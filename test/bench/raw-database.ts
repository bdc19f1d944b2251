/** Writes documents directly, without a service: for benches that begin with many of them. */
import { MongoClient, type Document } from 'mongodb';

export interface RawDatabase {
  insert(collection: string, documents: readonly Document[]): Promise<void>;
  close(): Promise<void>;
}

export async function openRawDatabase(url: string, database: string): Promise<RawDatabase> {
  const client = await MongoClient.connect(url, { retryWrites: false });
  return {
    insert: async (collection, documents) =>
      void (await client
        .db(database)
        .collection(collection)
        .insertMany([...documents], { ordered: false })),
    close: () => client.close(),
  };
}
