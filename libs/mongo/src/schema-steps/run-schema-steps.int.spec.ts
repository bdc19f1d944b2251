import { createIds, systemClock } from '@platform/kernel';
import { uniqueName } from '@platform/testing';
import { MongoClient, type Db } from 'mongodb';
import { runSchemaCommand } from './command';
import { runSchemaSteps, type SchemaStep } from './run-schema-steps';

const url = process.env['TEST_MONGODB_URL'] ?? '';
const renamePlan: SchemaStep = {
  collection: 'subscriptions',
  to: 1,
  describe: 'plan becomes planId',
  change: ({ plan, ...rest }) => (plan === undefined ? rest : { ...rest, planId: plan }),
};
const addSeats: SchemaStep = {
  collection: 'subscriptions',
  to: 2,
  describe: 'seats, one by default',
  change: (document) => ({ seats: 1, ...document }),
};

interface Row {
  readonly _id: string;
  readonly revision?: string;
  readonly [field: string]: unknown;
}

describe('a schema step', () => {
  let client: MongoClient;
  let database: Db;
  const ids = createIds(systemClock);
  const options = (schemaSteps: readonly SchemaStep[], apply = true) => ({
    database,
    schemaSteps,
    ids,
    now: () => new Date(0),
    apply,
  });
  const rows = () => database.collection<Row>('subscriptions');
  beforeAll(async () => {
    client = await new MongoClient(url).connect();
  });
  beforeEach(async () => {
    database = client.db(uniqueName('migrate'));
    await rows().insertMany([
      { _id: 'acme', revision: 'r-1', plan: 'pro', outbox: [{ id: 'm-1' }] },
      { _id: 'globex', revision: 'r-2', planId: 'starter' },
    ]);
  });
  afterEach(() => database.dropDatabase());
  afterAll(() => client.close());

  it('leads every document forward, under a fresh revision, and keeps what it is not asked about', async () => {
    expect(await runSchemaSteps(options([renamePlan, addSeats]))).toEqual([
      {
        collection: 'subscriptions',
        version: 2,
        documents: 2,
        changed: 2,
        racing: 0,
        withoutRevision: [],
        withoutRevisionCount: 0,
      },
    ]);
    const acme = await rows().findOne({ _id: 'acme' });
    expect(acme).toMatchObject({ planId: 'pro', seats: 1, outbox: [{ id: 'm-1' }] });
    expect(acme).not.toHaveProperty('plan');
    expect(acme?.revision).not.toBe('r-1');
  });

  it('goes on from the recorded version and does nothing twice', async () => {
    await runSchemaSteps(options([renamePlan]));
    expect((await runSchemaSteps(options([renamePlan, addSeats])))[0]).toMatchObject({ version: 2, changed: 2 });
    expect((await runSchemaSteps(options([renamePlan, addSeats])))[0]).toMatchObject({ version: 2, changed: 0 });
  });

  it('begins again after it was cut off, and ends as if it had not been', async () => {
    const dying = {
      ...addSeats,
      to: 1,
      change: (document: Readonly<Record<string, unknown>>) => {
        if (document['_id'] === 'globex') throw new Error('killed');
        return { seats: 1, ...document };
      },
    };
    await expect(runSchemaSteps(options([dying]))).rejects.toThrow('killed');
    expect((await runSchemaSteps(options([{ ...addSeats, to: 1 }])))[0]).toMatchObject({ version: 1, changed: 1 });
    expect(await rows().countDocuments({ seats: 1 })).toBe(2);
  });

  it('only says what would change until it may apply it', async () => {
    expect((await runSchemaSteps(options([renamePlan], false)))[0]).toMatchObject({ version: 0, changed: 1 });
    expect(await rows().findOne({ _id: 'acme' })).toMatchObject({ plan: 'pro', revision: 'r-1' });
  });

  it('loses to a service that writes meanwhile, and says so', async () => {
    const collection = rows();
    const meddling = {
      ...renamePlan,
      change: (document: Readonly<Record<string, unknown>>) => ({ ...renamePlan.change(document) }),
    };
    const intercepted = new Proxy(database, {
      get: (target, name) =>
        name !== 'collection'
          ? (Reflect.get(target, name, target) as unknown)
          : (subject: string) => {
              const opened = target.collection<Row>(subject);
              if (subject !== 'subscriptions') return opened;
              const write = opened.updateOne.bind(opened);
              opened.updateOne = (async (...call: Parameters<typeof write>) => (
                await collection.findOneAndUpdate({ _id: 'acme' }, { $set: { revision: 'r-9' } }),
                write(...call)
              )) as typeof opened.updateOne;
              return opened;
            },
    });
    expect((await runSchemaSteps({ ...options([meddling]), database: intercepted }))[0]).toMatchObject({
      version: 0,
      changed: 0,
      racing: 1,
    });
    expect(await rows().findOne({ _id: 'acme' })).toMatchObject({ plan: 'pro', revision: 'r-9' });
  });

  it('reports documents without a revision, in collections without schema steps too, and leaves them alone', async () => {
    await rows().insertOne({ _id: 'stray', plan: 'pro' });
    const printed: string[] = [];
    const code = await runSchemaCommand({
      database: database.databaseName,
      schemaSteps: [],
      apply: true,
      url,
      print: (line) => void printed.push(line),
    });
    expect(code).toBe(1);
    expect(printed.join('\n')).toMatch(
      /subscriptions: version 0, 3 documents; 1 WITHOUT A REVISION, left alone: stray/,
    );
    expect((await runSchemaSteps(options([renamePlan])))[0]).toMatchObject({ version: 0, withoutRevision: ['stray'] });
    expect(await rows().findOne({ _id: 'stray' })).toEqual({ _id: 'stray', plan: 'pro' });
  });

  it('refuses a database that is newer than the program, and versions out of order', async () => {
    await runSchemaSteps(options([renamePlan, addSeats]));
    await expect(runSchemaSteps(options([renamePlan]))).rejects.toThrow('version 2, this program knows 1');
    await expect(runSchemaSteps(options([addSeats]))).rejects.toThrow('version 2 comes where 1 should');
  });
});
