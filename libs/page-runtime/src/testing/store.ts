/** Row access to the store of a test run: the very pipelines, one command each, counted. For tests only. */
import { MongoClient, type Document } from 'mongodb';
import { createRowAccess, type RowAccessOptions } from '../row-access';

export interface TestStore {
  readonly client: MongoClient;
  /** Names of the commands since the last look. */
  commands(): string[];
  access(options?: Partial<RowAccessOptions>): ReturnType<typeof createRowAccess>;
  insert(table: string, rows: readonly Document[]): Promise<void>;
  aggregate(table: string, pipeline: readonly Document[]): Promise<Document[]>;
  close(): Promise<void>;
}

export async function openTestStore(name: string): Promise<TestStore> {
  const client = await new MongoClient(process.env['TEST_MONGODB_URL']!, { retryWrites: false, monitorCommands: true }).connect();
  const db = client.db(`page-runtime-${name}-${process.pid}`);
  await db.dropDatabase();
  let names: string[] = [];
  client.on('commandStarted', ({ commandName }) => names.push(commandName));
  const aggregate = (table: string, pipeline: readonly Document[]) => db.collection(table).aggregate([...pipeline], { batchSize: 2_000 }).toArray();
  return {
    client,
    commands() {
      const seen = names;
      names = [];
      return seen;
    },
    access: (options = {}) => createRowAccess({ aggregate: (table, pipeline) => aggregate(table, pipeline as Document[]), ...options }),
    async insert(table, rows) {
      await db.collection(table).insertMany(rows.map((row) => ({ ...row })));
    },
    aggregate,
    async close() {
      await db.dropDatabase();
      await client.close();
    },
  };
}
