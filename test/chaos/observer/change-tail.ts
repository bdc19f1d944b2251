/**
 * Reads the store's own log of changes as it grows: every version of every record in the order of the commits, with the
 * filter with which its writer selected it. The services do not know of it.
 */
import { MongoClient } from 'mongodb';

export interface StoredChange {
  /** Place in the order of all commits of the store. */
  readonly place: number;
  readonly database: string;
  readonly collection: string;
  readonly kind: 'inserted' | 'replaced' | 'removed';
  readonly id: string;
  /** Milliseconds since 1970, different for every change. */
  readonly at: number;
  readonly record?: StoredVersion;
  readonly asked?: Readonly<Record<string, unknown>>;
}

export interface StoredVersion extends Readonly<Record<string, unknown>> {
  readonly _id: string;
  readonly revision: string;
}

interface Row {
  readonly _id: number;
  readonly at: Date;
  readonly ns: string;
  readonly kind: StoredChange['kind'];
  readonly id: unknown;
  readonly document?: StoredVersion;
  readonly asked?: Readonly<Record<string, unknown>>;
}

export interface ChangeTail {
  readonly changes: readonly StoredChange[];
  /** Rejects when it can read no more, so that a run which could not be judged ends; never resolves. */
  readonly failed: Promise<never>;
  /** Resolves when everything committed so far was read. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

const pageSize = 500;
const lookEveryMs = 200;
/** The least difference between instants within one millisecond. */
const tick = 0.001;

/** The store is killed sometimes; its committed changes are read when it is back. */
const isUnreachable = (error: Error): boolean =>
  /^Mongo(Network|ServerSelection|NotConnected|PoolCleared|Topology)/.test(error.name);

export async function openChangeTail(mongodbUrl: string): Promise<ChangeTail> {
  const client = await new MongoClient(mongodbUrl, { retryWrites: false, serverSelectionTimeoutMS: 20_000 }).connect();
  const log = client.db('local').collection<Row>('changes');
  const changes: StoredChange[] = [];
  let ending = false;
  let reading = Promise.resolve();

  function add({ _id, at, ns, kind, id, document, asked }: Row): void {
    const last = changes.at(-1);
    if (last && _id !== last.place + 1) throw new Error(`the log of changes goes from ${last.place} to ${_id}`);
    const [database = '', ...rest] = ns.split('.');
    changes.push({
      place: _id,
      database,
      collection: rest.join('.'),
      kind,
      id: String(id),
      at: Math.max(at.getTime(), (last?.at ?? 0) + tick),
      ...(document && { record: document }),
      ...(asked && { asked }),
    });
  }
  async function read(): Promise<void> {
    for (;;) {
      const rows = await log
        .find({ _id: { $gt: changes.at(-1)?.place ?? 0 } })
        .sort({ _id: 1 })
        .limit(pageSize)
        .toArray();
      rows.forEach(add);
      if (rows.length < pageSize) return;
    }
  }
  const inTurn = (): Promise<void> => (reading = reading.catch(() => undefined).then(read));
  async function watch(): Promise<void> {
    while (!ending) {
      await inTurn().catch((error: Error) => (isUnreachable(error) ? undefined : Promise.reject(error)));
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }
  const watching = watch();
  const failed = watching.then(() => new Promise<never>(() => undefined));
  // The promise may reject while no caller waits for it, which must not end the process.
  failed.catch(() => undefined);
  return {
    changes,
    failed,
    catchUp: inTurn,
    async close() {
      ending = true;
      await watching.catch(() => undefined);
      await client.close();
    },
  };
}
