/**
 * Tables on the official driver. The cursor's first batch contains the whole answer, so a read is exactly one command.
 */
import { MongoBulkWriteError, MongoClient, MongoServerError, type CommandStartedEvent, type Document } from 'mongodb';
import { withPortErrors } from '../adapter/driver-errors';
import { guardConnections } from '../adapter/guard-connections';
import { StoreUnavailableError } from '../port';
import {
  maxTableRows,
  QueryTooSlowError,
  type ReadOptions,
  type RefusedRow,
  type TableRow,
  type Tables,
  type TableStage,
} from './port';
import { storedValues } from './stored-values';
import { watchWrites } from './watch-writes';

export interface TablesOptions {
  /** MongoDB connection string. Never logged. */
  readonly url: string;
  readonly database: string;
  /** Shown in the server's log and in `currentOp`. */
  readonly appName: string;
  /** Most connections. Default 50. */
  readonly maxPoolSize?: number;
  /** To find a server, and to get a connection. Default 2,000. */
  readonly selectMs?: number;
  /** For an answer on an open connection; longer than any query may take. Default 60,000. */
  readonly answerMs?: number;
  /**
   * To count the documents that a query reads, the database runs it once more; a query that takes longer than this is
   * explained without the count. Default 1,000.
   */
  readonly countingMs?: number;
  /** Called with every command that is sent, for tests that count them. */
  readonly onCommand?: (command: { readonly name: string; readonly body: Readonly<Record<string, unknown>> }) => void;
}

const timeIsUp = 50;
const indexExists: ReadonlySet<unknown> = new Set([85, 86]);

async function read<T>(subject: string, { maxTimeMs }: ReadOptions, query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof MongoServerError && error.code === timeIsUp) throw new QueryTooSlowError(maxTimeMs);
    return withPortErrors(subject, () => Promise.reject(error instanceof Error ? error : new Error(String(error))));
  }
}

async function connect({
  url,
  appName,
  maxPoolSize = 50,
  selectMs = 2_000,
  answerMs = 60_000,
  onCommand,
}: TablesOptions): Promise<MongoClient> {
  guardConnections();
  const client = new MongoClient(url, {
    appName,
    maxPoolSize,
    serverSelectionTimeoutMS: selectMs,
    waitQueueTimeoutMS: selectMs,
    connectTimeoutMS: selectMs,
    socketTimeoutMS: answerMs,
    minHeartbeatFrequencyMS: 100,
    retryWrites: false,
    retryReads: false,
    monitorCommands: onCommand !== undefined,
  });
  if (onCommand)
    client.on('commandStarted', (event: CommandStartedEvent) =>
      onCommand({ name: event.commandName, body: event.command }),
    );
  try {
    await withPortErrors('connect', () => client.connect());
  } catch (error) {
    await client.close();
    throw error;
  }
  return client;
}

/** Connects; throws StoreUnavailableError when no server answers. */
export async function openTables(options: TablesOptions): Promise<Tables> {
  const client = await connect(options);
  const db = client.db(options.database, { readPreference: 'primary', writeConcern: { w: 'majority', journal: true } });
  const { countingMs = 1_000 } = options;
  const cursor = (table: string, pipeline: readonly TableStage[], { maxTimeMs, comment, signal }: ReadOptions) =>
    db.collection(table).aggregate<Document>(
      pipeline.map((stage) => storedValues(stage) as Document),
      {
        maxTimeMS: maxTimeMs,
        batchSize: maxTableRows,
        ...(comment !== undefined && { comment }),
        ...(signal && { signal }),
      },
    );
  return {
    aggregate: (table, pipeline, limits) =>
      read(`query on ${table}`, limits, () => cursor(table, pipeline, limits).toArray()),
    explain: (table, pipeline, limits) =>
      read(`explanation of ${table}`, limits, async () => {
        try {
          const maxTimeMS = Math.min(limits.maxTimeMs, countingMs);
          return await cursor(table, pipeline, limits).explain({ verbosity: 'executionStats', maxTimeMS });
        } catch (error) {
          if (!(error instanceof MongoServerError) || error.code !== timeIsUp) throw error;
          return cursor(table, pipeline, limits).explain('queryPlanner');
        }
      }),
    insert: (table, rows) => withPortErrors(`import into ${table}`, () => insertEach(db.collection(table), rows)),
    watch: (onWrite) => watchWrites(db, onWrite),
    indexes: (table) => withPortErrors(`indexes of ${table}`, () => listIndexes(db.collection(table))),
    async createIndex(table, key) {
      await withPortErrors(`index of ${table}`, async () => {
        try {
          await db.collection(table).createIndex({ ...key });
        } catch (error) {
          if (!(error instanceof MongoServerError) || !indexExists.has(error.code)) throw error;
        }
      });
    },
    async ping() {
      await withPortErrors('ping', () => db.command({ ping: 1 }));
    },
    close: () => client.close(),
  };
}

type Collection = ReturnType<ReturnType<MongoClient['db']>['collection']>;

async function insertEach(
  collection: Collection,
  rows: readonly TableRow[],
): Promise<{ inserted: number; refused: RefusedRow[] }> {
  if (rows.length === 0) return { inserted: 0, refused: [] };
  try {
    const { insertedCount } = await collection.insertMany(
      rows.map((row) => storedValues(row) as Document),
      { ordered: false },
    );
    return { inserted: insertedCount, refused: [] };
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    // The driver wraps any other failure of the statement in the same class: it names no row, and nothing is known of one.
    if (failures.length === 0) throw wholeFailure(error);
    return {
      inserted: error.insertedCount,
      refused: failures.map(({ index, code }) => ({
        index,
        reason: code === 11_000 ? 'a row with this key exists' : `refused by the database (code ${String(code)})`,
      })),
    };
  }
}

/** An error of the server has its code; without one, no answer came. */
function wholeFailure(error: MongoBulkWriteError): Error {
  if (typeof error.code === 'number') return error;
  return new StoreUnavailableError(`import: the store did not answer (${error.message})`, { cause: error });
}

async function listIndexes(collection: Collection) {
  try {
    return (await collection.listIndexes().toArray()).map(({ name, key }) => ({
      name: String(name),
      key: key as Readonly<Record<string, unknown>>,
    }));
  } catch (error) {
    // A table without a row does not exist yet.
    if (error instanceof MongoServerError && error.code === 26) return [];
    throw error;
  }
}
