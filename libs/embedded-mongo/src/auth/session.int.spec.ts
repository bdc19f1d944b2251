import { MongoClient } from 'mongodb';
import { openTestStore } from '../testing/open-test-store';
import type { TestStore } from '../testing/open-test-store';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore({
    users: [
      {
        user: 'operator',
        password: 'right horse',
        database: 'admin',
        roles: [
          { role: 'readWrite', database: 'operator' },
          { role: 'read', database: 'shared' },
        ],
      },
      {
        user: 'reader',
        password: 'only,looks=',
        database: 'operator',
        roles: [{ role: 'read', database: 'operator' }],
      },
    ],
  });
});
afterAll(() => test.close());

async function as<T>(
  credentials: string | undefined,
  authSource: string,
  act: (client: MongoClient) => Promise<T>,
): Promise<T> {
  const url = new URL(test.store.url);
  const client = new MongoClient(
    `mongodb://${credentials === undefined ? '' : `${credentials}@`}${url.host}/?authSource=${authSource}`,
    { retryWrites: false },
  );
  try {
    return await act(client);
  } finally {
    await client.close();
  }
}

const operator = 'operator:right%20horse';
const reader = 'reader:only%2Clooks%3D';

describe('a store with users', () => {
  it('lets the official driver log in with SCRAM-SHA-256 and work in its own database', async () => {
    const found = await as(operator, 'admin', async (client) => {
      await client.db('operator').collection<{ _id: number }>('things').insertOne({ _id: 1 });
      return client.db('operator').collection('things').find().toArray();
    });
    expect(found).toEqual([{ _id: 1 }]);
  });

  it('refuses a wrong password, an unknown user and the wrong database alike', async () => {
    for (const [credentials, source] of [
      ['operator:wrong', 'admin'],
      ['stranger:x', 'admin'],
      [operator, 'operator'],
    ] as const) {
      await expect(
        as(credentials, source, (client) => client.db('operator').command({ ping: 1 })),
      ).rejects.toMatchObject({ code: 18 });
    }
  });

  it('refuses everything but the handshake before login', async () => {
    await as(undefined, 'admin', async (client) => {
      expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
      await expect(client.db('operator').collection('things').findOne()).rejects.toMatchObject({ code: 13 });
      await expect(client.db('admin').command({ listDatabases: 1 })).rejects.toMatchObject({ code: 13 });
    });
  });

  it('lets a reader read and refuses its writes', async () => {
    await as(reader, 'operator', async (client) => {
      const things = client.db('operator').collection('things');
      expect(await things.countDocuments()).toBeGreaterThanOrEqual(0);
      await expect(things.insertOne({})).rejects.toMatchObject({ code: 13 });
      await expect(things.drop()).rejects.toMatchObject({ code: 13 });
      await expect(things.createIndex({ a: 1 })).rejects.toMatchObject({ code: 13 });
      await expect(things.findOneAndUpdate({}, { $set: { a: 1 } })).rejects.toMatchObject({ code: 13 });
    });
  });

  it('refuses databases without a role and does not list them', async () => {
    await as(operator, 'admin', async (client) => {
      await expect(client.db('billing').collection('events').findOne()).rejects.toMatchObject({ code: 13 });
      await expect(client.db('shared').collection('x').insertOne({})).rejects.toMatchObject({ code: 13 });
      const { databases } = await client.db('admin').admin().listDatabases();
      expect(databases.map(({ name }) => name)).not.toContain('billing');
    });
  });

  it('explains only what may be read', async () => {
    await as(operator, 'admin', async (client) => {
      await expect(client.db('billing').collection('events').find().explain()).rejects.toMatchObject({ code: 13 });
    });
  });
});
