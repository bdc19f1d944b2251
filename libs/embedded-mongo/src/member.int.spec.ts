/** The store as the only member of a replica set, for deployments whose connection strings name a set. */
import { freePort } from '@platform/testing';
import { MongoClient } from 'mongodb';
import { openTestStore } from './testing/open-test-store';

describe('a store that serves as a member of a set', () => {
  it('is found by the name of its set, and by no other name', async () => {
    const port = await freePort();
    const test = await openTestStore({ port, member: { set: 'rs0', address: `localhost:${port}` } });
    const named = (set: string, serverSelectionTimeoutMS: number) =>
      new MongoClient(`mongodb://127.0.0.1:${port}/?replicaSet=${set}`, {
        retryWrites: false,
        serverSelectionTimeoutMS,
      });
    const [client, stranger] = [named('rs0', 60_000), named('another', 2_000)];
    try {
      await client.db('a').collection('b').insertOne({ x: 1 });
      expect(await client.db('a').collection('b').countDocuments()).toBe(1);
      await expect(stranger.connect()).rejects.toThrow(/Server selection timed out/);
    } finally {
      await client.close();
      await stranger.close();
      await test.close();
    }
  });
});
