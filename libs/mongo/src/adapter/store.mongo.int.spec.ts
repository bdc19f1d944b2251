import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createIds, createManualClock, silentLog, type Log } from '@platform/kernel';
import { eventually } from '@platform/testing';
import {
  IndexConflictError,
  StoreUnavailableError,
  WeakWriteConcernError,
  connectStore,
  type Store,
  type StoreOptions,
} from '../index';
import { openCuttingProxy, type Cut } from '../features/cutting-proxy';
import { jobsCollection } from '../features/sample';
import { describeStore } from '../features/store.features';
import type { SchemaStep } from '../schema-steps/run-schema-steps';
import { openTestDatabase, type TestDatabase } from '../test-database';

const clock = createManualClock();
let database: TestDatabase;

function options(more: Partial<StoreOptions> = {}): StoreOptions {
  return {
    url: database.url,
    database: database.name,
    clock,
    ids: createIds(),
    log: silentLog,
    appName: 'test',
    startPatienceMs: 120_000,
    ...more,
  };
}

/** Passes bytes both ways between a client and the store. */
const relayTo =
  (port: number, hostname: string) =>
  (client: Socket): void => {
    const server = connect(port, hostname);
    for (const [from, to] of [[client, server] as const, [server, client] as const]) {
      from.pipe(to);
      from.on('error', () => to.destroy());
    }
  };

beforeAll(async () => {
  database = await openTestDatabase('store');
});
afterAll(() => database.drop());

describe('the store on the official driver', () => {
  let store: Store;
  describeStore(
    async () => {
      store = await connectStore(options());
      return {
        store,
        clock,
        put: async (collection, document) => {
          await database.raw.collection(collection).insertOne({ ...document } as never);
        },
      };
    },
    () => store.close(),
  );

  it('answers with the time of the database, not of its own clock', async () => {
    const { localTime } = await database.raw.command({ hello: 1 });
    expect((await store.now()).getTime()).toBeGreaterThanOrEqual((localTime as Date).getTime());
  });

  it('keeps the outbox in an index of announcing records only', async () => {
    const indexes = await database.raw.collection('jobs').listIndexes().toArray();
    expect(indexes).toContainEqual(
      expect.objectContaining({
        name: 'outbox',
        key: { _id: 1, createdAt: 1 },
        partialFilterExpression: { 'outbox.createdAt': { $exists: true } },
      }),
    );
    expect(indexes).toContainEqual(
      expect.objectContaining({
        name: 'reference',
        unique: true,
        partialFilterExpression: { reference: { $exists: true } },
      }),
    );
  });
});

describe('starting on a database', () => {
  it('names an index that exists with another definition', async () => {
    await database.raw.collection('clashing').createIndex({ tenantId: 1 }, { name: 'by_tenant' });
    const store = await connectStore(options());
    store.collection({ ...jobsCollection, name: 'clashing' });
    const ensured = store.ensureIndexes();
    await expect(ensured).rejects.toThrow(IndexConflictError);
    await expect(ensured).rejects.toThrow('clashing: index "by_tenant" ({"tenantId":1}) conflicts with');
    await store.close();
  });

  it('creates missing indexes once when several replicas start together', async () => {
    const stores = await Promise.all(Array.from({ length: 3 }, () => connectStore(options())));
    for (const store of stores) store.collection({ ...jobsCollection, name: 'started_together' });
    await Promise.all(stores.map((store) => store.ensureIndexes()));
    expect(await database.raw.collection('started_together').listIndexes().toArray()).toHaveLength(
      jobsCollection.indexes.length + 2,
    );
    await Promise.all(stores.map((store) => store.close()));
  });

  it.each(['w=1', 'w=0', 'journal=false'])('refuses an address that asks for %s', async (parameter) => {
    const url = new URL(database.url);
    if (url.pathname === '') url.pathname = '/';
    const [name, value] = parameter.split('=') as [string, string];
    url.searchParams.set(name, value);
    await expect(connectStore(options({ url: url.href }))).rejects.toThrow(WeakWriteConcernError);
  });

  it('says that no server answers, without the address or its secrets', async () => {
    const more = { timeouts: { selectMs: 200 }, startPatienceMs: 0 };
    const refused: unknown = await connectStore(
      options({ url: 'mongodb://writer:s3cret@127.0.0.1:1/', ...more }),
    ).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreUnavailableError);
    expect(String(refused)).not.toContain('s3cret');
  });

  it('waits at the start for a store that answers later, and says so', async () => {
    // A free port from the system, closed again until the store uses it.
    const placeholder = createServer().listen(0, '127.0.0.1');
    await once(placeholder, 'listening');
    const { port } = placeholder.address() as AddressInfo;
    placeholder.close();
    const said: string[] = [];
    const warn: Log['warn'] = (_fields, message) => void said.push(String(message));
    const { hostname, port: target } = new URL(database.url);
    const connecting = connectStore(
      options({
        url: `mongodb://127.0.0.1:${port}/?directConnection=true`,
        log: { ...silentLog, warn },
        timeouts: { selectMs: 200 },
        startPatienceMs: 600_000,
      }),
    );
    await eventually(() => said.length > 0, { describe: 'a first try that reached no server' });
    const relay = createServer(relayTo(Number(target), hostname)).listen(port, '127.0.0.1');
    try {
      await (await connecting).close();
    } finally {
      relay.close();
    }
    expect(said[0]).toContain('does not answer yet');
  });

  it('waits at the start for a server that is found and opens no further connection yet', async () => {
    const { hostname, port } = new URL(database.url);
    const pass = relayTo(Number(port), hostname);
    const held: Socket[] = [];
    let found = 0;
    const relay = createServer((client) => {
      found += 1;
      // The driver's monitor connects first and finds the server.
      if (found === 1 || said.length > 0) pass(client);
      else held.push(client);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const said: string[] = [];
    const warn: Log['warn'] = (_fields, message) => {
      said.push(String(message));
      held.splice(0).forEach(pass);
    };
    try {
      const store = await connectStore(
        options({
          url: `mongodb://127.0.0.1:${(relay.address() as AddressInfo).port}/?directConnection=true`,
          log: { ...silentLog, warn },
          timeouts: { selectMs: 1_000 },
          startPatienceMs: 600_000,
        }),
      );
      await store.close();
    } finally {
      relay.close();
    }
    expect(said[0]).toContain('does not answer yet');
  });

  // The driver asks a second time for what it reads, and not for what it writes.
  it.each<[string, readonly Cut['command'][]]>([
    ['which schema versions there are', ['find', 'find']],
    ['which indexes there are', ['listIndexes', 'listIndexes']],
    ['for an index', ['createIndexes']],
  ])('waits at the start for a store that loses the connection when it is asked %s', async (_what, commands) => {
    const network = await openCuttingProxy(database.url);
    const said: string[] = [];
    const warn: Log['warn'] = (_fields, message) => void said.push(String(message));
    const more = { url: network.url, log: { ...silentLog, warn }, startPatienceMs: 600_000 };
    const step: SchemaStep = { collection: 'asked_at_start', to: 1, describe: 'none', change: (document) => document };
    network.cut(...commands.map((command): Cut => ({ command, when: 'before' })));
    try {
      const store = await connectStore(options({ ...more, schemaSteps: [step] }));
      store.collection({ ...jobsCollection, name: `asked_${commands[0]!.toLowerCase()}` });
      await store.ensureIndexes();
      await store.close();
      expect({ uncut: network.uncut(), said }).toEqual({ uncut: 0, said: [expect.stringContaining('asked again')] });
    } finally {
      await network.close();
    }
  });

  it('logs nothing of the address', async () => {
    const lines: string[] = [];
    const record = (fields: unknown, message: string): void => void lines.push(JSON.stringify([fields, message]));
    const log: Log = { debug: record, info: record, warn: record, error: record };
    const store = await connectStore(options({ log }));
    await store.close();
    expect(lines.join()).not.toContain('mongodb://');
  });
});
