/** The database of one test file: a name of its own on the shared server, and raw access past the port. */
import { randomBytes } from 'node:crypto';
import { MongoClient, type Db } from 'mongodb';

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  readonly raw: Db;
  drop(): Promise<void>;
}

/** Opens a fresh database on the server that the test run provides (`TEST_MONGODB_URL`). */
export async function openTestDatabase(subject: string): Promise<TestDatabase> {
  const url = process.env['TEST_MONGODB_URL'];
  if (!url) throw new Error('TEST_MONGODB_URL is not set: the test run has started no document store');
  const name = `test_${subject}_${randomBytes(4).toString('hex')}`;
  const client = await new MongoClient(url, { serverSelectionTimeoutMS: 5_000 }).connect();
  const raw = client.db(name);
  return {
    url,
    name,
    raw,
    drop: async () => {
      await raw.dropDatabase();
      await client.close();
    },
  };
}
