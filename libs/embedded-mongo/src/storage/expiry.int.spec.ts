import { openStore } from './store';
import { removeExpired } from './expiry';
import { openTestStore } from '../testing/open-test-store';

describe('a TTL index', () => {
  it('removes documents whose date is older than it allows, and no others', async () => {
    const now = Date.UTC(2026, 0, 1);
    const first = await openTestStore();
    const sessions = first.client.db('ttl').collection<{ _id: number; at?: unknown }>('sessions');
    await sessions.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await sessions.insertMany([
      { _id: 1, at: new Date(now - 61_000) },
      { _id: 2, at: new Date(now - 59_000) },
      { _id: 3, at: [new Date(now), new Date(now - 100_000)] },
      { _id: 4, at: 'long ago' },
      { _id: 5 },
      { _id: 6, at: now - 1_000_000 },
    ]);
    await first.client.close();
    await first.store.close();
    const store = openStore(first.folder);
    expect(await removeExpired(store, now)).toBe(2);
    expect(await removeExpired(store, now)).toBe(0);
    await store.engine.close();
    const second = await openTestStore({ dataDir: first.folder });
    const left = await second.client.db('ttl').collection('sessions').find().sort({ _id: 1 }).toArray();
    expect(left.map(({ _id }) => _id as unknown)).toEqual([2, 4, 5, 6]);
    await second.close();
  });
});
