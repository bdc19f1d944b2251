import { createIds, createManualClock, silentLog, systemClock } from '@platform/kernel';
import { uniqueName } from '@platform/testing';
import { MongoClient, type Db } from 'mongodb';
import { connectStore } from '../adapter/connect';
import { runSchemaCommand } from './command';
import type { SchemaStep } from './run-schema-steps';
import { schemaRefusal, SchemaVersionError } from './require-schema';

const url = process.env['TEST_MONGODB_URL'] ?? '';
const first: SchemaStep = {
  collection: 'subscriptions',
  to: 1,
  describe: 'plan becomes planId',
  change: ({ plan, ...rest }) => (plan === undefined ? rest : { ...rest, planId: plan }),
};
const second: SchemaStep = {
  collection: 'subscriptions',
  to: 2,
  describe: 'seats, one by default',
  change: (document) => ({ seats: 1, ...document }),
};

describe('a program and the documents that it finds', () => {
  let client: MongoClient;
  let database: Db;
  const start = async (schemaSteps: readonly SchemaStep[]): Promise<void> => {
    const clock = createManualClock();
    const store = await connectStore({
      url,
      database: database.databaseName,
      schemaSteps,
      clock,
      ids: createIds(systemClock),
      log: silentLog,
      appName: 'schema-test',
      startPatienceMs: 120_000,
    });
    await store.close();
  };
  const addDocument = () =>
    database
      .collection<{ _id: string; revision: string; plan: string }>('subscriptions')
      .insertOne({ _id: 'acme', revision: 'r-1', plan: 'pro' });
  const leadTo = (schemaSteps: readonly SchemaStep[]) =>
    runSchemaCommand({ database: database.databaseName, schemaSteps, apply: true, url, print: () => undefined });
  beforeAll(async () => {
    client = await new MongoClient(url).connect();
  });
  beforeEach(() => {
    database = client.db(uniqueName('schema'));
  });
  afterEach(() => database.dropDatabase());
  afterAll(() => client.close());

  it('go together when no version was ever needed, and when they are at the same one', async () => {
    await addDocument();
    await start([]);
    await leadTo([first, second]);
    await start([first, second]);
  });

  it('do not when the documents are newer: it does not start, and names both versions', async () => {
    await addDocument();
    await leadTo([first, second]);
    for (const older of [[first], []]) {
      await expect(start(older)).rejects.toThrow(SchemaVersionError);
      await expect(start(older)).rejects.toThrow(
        `refusing to start: the documents are newer than this program (subscriptions is at version 2, this program knows ${older.length})`,
      );
    }
  });

  it('do not when the documents wait for a schema step: it does not start, and says how to run it', async () => {
    await addDocument();
    await expect(start([first])).rejects.toThrow(
      'refusing to start: the documents are older than this program (subscriptions is at version 0, this program needs 1). Run: npm run ops -- migrate --apply',
    );
    await leadTo([first]);
    await start([first]);
    await expect(start([first, second])).rejects.toThrow('subscriptions is at version 1, this program needs 2');
  });

  it('begin together on an empty database, also when replicas start at the same time', async () => {
    await Promise.all([1, 2, 3].map(() => start([first, second])));
    await addDocument();
    await start([first, second]);
    await expect(start([first])).rejects.toThrow('newer than this program');
  });
});

describe('the refusal', () => {
  it('names every collection that keeps the program from starting, the newer ones first', () => {
    const known = new Map([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
    expect(
      schemaRefusal(
        known,
        new Map([
          ['a', 1],
          ['b', 2],
          ['c', 3],
        ]),
      ),
    ).toBeNull();
    expect(
      schemaRefusal(
        known,
        new Map([
          ['a', 2],
          ['c', 1],
          ['d', 1],
        ]),
      ),
    ).toMatch(/newer .*a is at version 2, this program knows 1; d is at version 1, this program knows 0/);
    expect(
      schemaRefusal(
        known,
        new Map([
          ['a', 1],
          ['c', 1],
        ]),
      ),
    ).toMatch(/older .*b is at version 0, this program needs 2; c is at version 1, this program needs 3/);
  });
});
