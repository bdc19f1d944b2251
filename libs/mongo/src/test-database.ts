/**
 * The database of one suite, with its own name on the run's document store, and with access that no service has: raw
 * rows, the plan of a read, the commands that were sent. It is a separate entry, so that unit suites do not load the
 * driver.
 */
import { randomBytes } from 'node:crypto';
import { createIds, silentLog, systemClock } from '@platform/kernel';
import { MongoClient, type Db, type Document } from 'mongodb';
import { connectStore } from './adapter/connect';
import type { Store } from './port';

export { openCuttingProxy } from './features/cutting-proxy';
export { storedValues } from './tables/stored-values';
export type { Document } from 'mongodb';

/** How the server would run a read: the index of its plan, `none` without one, and how many documents it read. */
interface ReadPlan {
  readonly index: string;
  readonly documents: number;
}

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Direct access, without the port. */
  readonly raw: Db;
  /** A store on this database, as a service opens it; it closes with the database. */
  connect(): Promise<Store>;
  /** Inserts rows unchanged, in portions. */
  insert(collection: string, rows: readonly object[]): Promise<void>;
  planOf(
    collection: string,
    filter: Document,
    sort: Readonly<Record<string, 1 | -1>>,
    limit: number,
  ): Promise<ReadPlan>;
  /** Names of the commands that `raw` has sent since the last call. */
  commands(): string[];
  /** Removes the database and ends every connection to it. */
  drop(): Promise<void>;
}

/** Small enough for the store to answer others, and the driver's monitor, in between. */
const portion = 500;

/** Opens a new database on the server that the test run provides (`TEST_MONGODB_URL`). */
export async function openTestDatabase(subject: string): Promise<TestDatabase> {
  const url = process.env['TEST_MONGODB_URL'];
  if (!url) throw new Error('TEST_MONGODB_URL is not set: the test run has started no document store');
  const name = `test_${subject}_${randomBytes(4).toString('hex')}`;
  const client = await new MongoClient(url, {
    // The store of a test run may answer late while another suite uses it.
    serverSelectionTimeoutMS: 120_000,
    connectTimeoutMS: 120_000,
    retryWrites: false,
    monitorCommands: true,
  }).connect();
  const raw = client.db(name);
  const stores: Store[] = [];
  let commands: string[] = [];
  client.on('commandStarted', ({ commandName }) => commands.push(commandName));
  return {
    url,
    name,
    raw,
    async connect() {
      const store = await connectStore({
        url,
        database: name,
        clock: systemClock,
        ids: createIds(),
        log: silentLog,
        appName: 'test',
        startPatienceMs: 120_000,
      });
      stores.push(store);
      return store;
    },
    async insert(collection, rows) {
      for (let from = 0; from < rows.length; from += portion)
        await raw.collection(collection).insertMany(rows.slice(from, from + portion).map((row) => ({ ...row })));
    },
    async planOf(collection, filter, sort, limit) {
      const explained = await raw.collection(collection).find(filter).sort(sort).limit(limit).explain('executionStats');
      return {
        index: /"indexName":"([^"]+)"/.exec(JSON.stringify(explained['queryPlanner'].winningPlan))?.[1] ?? 'none',
        documents: Number(explained['executionStats'].totalDocsExamined),
      };
    },
    commands() {
      const seen = commands;
      commands = [];
      return seen;
    },
    async drop() {
      await raw.dropDatabase();
      await Promise.all([client.close(), ...stores.map((store) => store.close())]);
    },
  };
}
