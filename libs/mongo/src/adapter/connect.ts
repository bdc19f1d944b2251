/**
 * Opens the store: one client per process, majority and journal on every write, majority on every read, every wait
 * bounded. The driver's own write retries are off: a lost answer is resolved only by the platform's revision, which
 * works alike on a standalone server, a replica set and a sharded cluster.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  withPatience,
  type Clock,
  type Ids,
  type Log,
  type Patience,
  type Revisioned,
  type Tracing,
} from '@platform/kernel';
import { MongoClient, MongoServerError, ReadConcern, type Db, type Document, type MongoClientOptions } from 'mongodb';
import type { SchemaStep } from '../schema-steps/run-schema-steps';
import { requireSchema } from '../schema-steps/require-schema';
import {
  StoreUnavailableError,
  type CollectionDeclaration,
  type IndexDeclaration,
  type QuarantinedRecord,
  type RevisionedCollection,
  type Store,
} from '../port';
import { checkDeclaration } from '../record/declaration';
import { createQuarantine } from '../record/quarantine';
import { tellSteps } from '../record/tell-steps';
import { createMongoCollection } from './collection';
import { withPortErrors, doubtOf } from './driver-errors';
import { guardConnections } from './guard-connections';
import { ensureIndexes } from './indexes';
import { outboxIndex } from './outbox';
import type { StoredDocument } from './stored-document';
import { traceCollection } from './trace-collection';
import { weaknessOf, WeakWriteConcernError } from './weak-write-concern';

/** The limit of every wait, in milliseconds. */
interface StoreTimeouts {
  /** To find a server for the statement. Default 2,000. */
  readonly selectMs: number;
  /** To open a connection. Default 2,000. */
  readonly connectMs: number;
  /** For an answer on an open connection. Default 5,000. */
  readonly answerMs: number;
  /**
   * For a majority to acknowledge; less than `answerMs`, so that the server's own answer comes first. Default 4,000.
   */
  readonly majorityMs: number;
}

export interface StoreOptions {
  /** MongoDB connection string. Never logged. */
  readonly url: string;
  readonly database: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** The name of this client in the server's log and in `currentOp`. */
  readonly appName: string;
  /** The program's schema steps; with them, a database of another schema version is refused. */
  readonly schemaSteps?: readonly SchemaStep[];
  /** Called once for each unreadable row and for each row that a sweep has set aside. */
  readonly onQuarantined?: (record: QuarantinedRecord) => void;
  /** Records each statement as a step, and stamps messages with the trace of their decision. Default: neither. */
  readonly tracing?: Tracing;
  readonly timeouts?: Partial<StoreTimeouts>;
  /**
   * Milliseconds during which each step of the start (connection, schema versions, indexes) is tried again while the
   * store cannot be asked. Default 0: one try. A service may start together with its store or while the store is busy,
   * so it waits instead of ending.
   */
  readonly startPatienceMs?: number;
  /** Most connections. Default 50. */
  readonly maxPoolSize?: number;
}

const defaultTimeouts: StoreTimeouts = { selectMs: 2_000, connectMs: 2_000, answerMs: 5_000, majorityMs: 4_000 };
const resolutionReads = 3;
const unauthorized = 13;
const commandNotFound = 59;

function clientOptions(
  { appName, maxPoolSize = 50 }: StoreOptions,
  { selectMs, connectMs, answerMs }: StoreTimeouts,
): MongoClientOptions {
  return {
    appName,
    maxPoolSize,
    serverSelectionTimeoutMS: selectMs,
    waitQueueTimeoutMS: selectMs,
    connectTimeoutMS: connectMs,
    socketTimeoutMS: answerMs,
    minHeartbeatFrequencyMS: 100,
    retryWrites: false,
    retryReads: true,
    ignoreUndefined: true,
  };
}

function openDatabase(client: MongoClient, name: string, majorityMs: number): Db {
  return client.db(name, {
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: majorityMs },
    readConcern: new ReadConcern('majority'),
    readPreference: 'primary',
  });
}

/**
 * The deployment's default write concern; null where it has none, does not know the command, or the user may not read
 * it.
 */
async function defaultWriteConcern(
  client: MongoClient,
): Promise<{ readonly w?: unknown; readonly j?: unknown } | null> {
  try {
    const answer = await client.db('admin').command({ getDefaultRWConcern: 1 });
    return (answer['defaultWriteConcern'] as { w?: unknown; j?: unknown } | undefined) ?? null;
  } catch (error) {
    if (error instanceof MongoServerError && (error.code === unauthorized || error.code === commandNotFound))
      return null;
    throw error;
  }
}

async function assertMajorityWrites(client: MongoClient): Promise<void> {
  const hello = await withPortErrors('hello', () => client.db('admin').command({ hello: 1 }));
  const concern =
    hello['setName'] || hello['msg'] === 'isdbgrid'
      ? await withPortErrors('default write concern', () => defaultWriteConcern(client))
      : null;
  const weakness = weaknessOf({ address: client.options.writeConcern ?? null, hello, defaultWriteConcern: concern });
  if (weakness) throw new WeakWriteConcernError(`refusing to start: ${weakness}`);
}

/** The patience of a step of the start, while no server is found, none opens a connection, or none answers. */
function patienceOf({ startPatienceMs = 0, log }: StoreOptions): Patience {
  const mayPass = (error: unknown): boolean => error instanceof StoreUnavailableError;
  return { dependency: 'the document store', forMs: startPatienceMs, mayPass, log };
}

/**
 * Index builds may take long on a large collection, so they run on a separate client that waits for the answer; it
 * connects when the first index is missing. All else is answered in time, or asked again: a connection that dies in
 * silence would otherwise hold the start of a service for as long as the system takes to notice it.
 */
async function ensureAll(
  database: Db,
  options: StoreOptions,
  timeouts: StoreTimeouts,
  declarations: Iterable<CollectionDeclaration<Revisioned>>,
): Promise<void> {
  const patient = new MongoClient(options.url, {
    ...clientOptions(options, timeouts),
    socketTimeoutMS: 0,
    maxPoolSize: 2,
  });
  try {
    const builder = openDatabase(patient, options.database, 0);
    for (const { name, indexes, announces } of declarations) {
      const wanted: readonly IndexDeclaration[] = announces ? [...indexes, outboxIndex] : indexes;
      await withPatience(patienceOf(options), () =>
        withPortErrors(`indexes of ${name}`, () => ensureIndexes({ database, builder }, name, wanted)),
      );
    }
  } finally {
    await patient.close();
  }
}

/**
 * Connects and checks the deployment. Throws StoreUnavailableError when no server answers within the bounds,
 * {@link WeakWriteConcernError} when acknowledged writes could be lost, and SchemaVersionError when the documents are of
 * another schema version than `schemaSteps` leads to.
 */
export async function connectStore(options: StoreOptions): Promise<Store> {
  guardConnections();
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const client = new MongoClient(options.url, clientOptions(options, timeouts));
  try {
    await withPatience(patienceOf(options), async () => {
      await withPortErrors('connect', () => client.connect());
      await assertMajorityWrites(client);
    });
    const { schemaSteps, ids, clock } = options;
    const database = openDatabase(client, options.database, timeouts.majorityMs);
    if (schemaSteps)
      await withPatience(patienceOf(options), () =>
        withPortErrors('schema versions', () => requireSchema({ database, schemaSteps, ids, clock })),
      );
  } catch (error) {
    await client.close();
    throw error;
  }
  const database = openDatabase(client, options.database, timeouts.majorityMs);
  const resolution = {
    doubtOf,
    log: options.log,
    readAttempts: resolutionReads,
    wait: async (milliseconds: number) => void (await delay(milliseconds)),
  };
  const run = (command: Document): Promise<Document> => database.command(command, { ignoreUndefined: true });
  const quarantine = createQuarantine(options.onQuarantined);
  const declarations = new Map<string, CollectionDeclaration<Revisioned>>();

  return {
    collection<T extends Revisioned>(declaration: CollectionDeclaration<T>): RevisionedCollection<T> {
      checkDeclaration(declaration);
      const { name, indexes, announces = false } = declaration;
      declarations.set(name, { name, indexes, announces });
      const collection = createMongoCollection(declaration, database.collection<StoredDocument>(name), {
        clock: options.clock,
        ids: options.ids,
        resolution,
        run,
        quarantine,
      });
      const told = tellSteps(collection, declaration, options.log);
      return options.tracing ? traceCollection(told, options.database, options.tracing) : told;
    },
    quarantined: () => quarantine.all(),
    ensureIndexes: () => ensureAll(database, options, timeouts, declarations.values()),
    async now() {
      const hello = await withPortErrors('now', () => database.command({ hello: 1 }));
      return hello['localTime'] as Date;
    },
    async ping() {
      await withPortErrors('ping', () => database.command({ ping: 1 }));
    },
    close: () => client.close(),
  };
}
