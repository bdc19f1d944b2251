import { createManualClock, createSequentialIds } from '@platform/kernel';
import { applied, jobsCollection, waiting } from './features/sample';
import { describeStore } from './features/store.features';
import { StoreUnavailableError } from './port';
import { createFakeStore } from './testing';

describe('the store in memory', () => {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  describeStore(
    async () => ({
      store,
      clock,
      put: async (collection, document) => store.collection({ name: collection, indexes: [] }).put(document),
    }),
    async () => store.close(),
  );

  describe('told to be unreachable', () => {
    it('throws on reads and answers unknown to writes, which have no effect', async () => {
      const away = createFakeStore({ clock });
      const collection = away.collection(jobsCollection);
      const record = applied(await collection.insert(waiting('a')));
      away.setAvailable(false);
      await expect(collection.findById('a')).rejects.toThrow(StoreUnavailableError);
      await expect(away.now()).rejects.toThrow(StoreUnavailableError);
      await expect(collection.outbox.confirm('a', 'x')).rejects.toThrow(StoreUnavailableError);
      expect(await collection.insert(waiting('b'))).toMatchObject({ outcome: 'unknown' });
      expect(await collection.mutate(record, waiting('a', { rank: 7 }))).toMatchObject({ outcome: 'unknown' });
      away.setAvailable(true);
      expect(collection.all()).toEqual([record]);
    });
  });

  describe('told to lose an answer', () => {
    it.each([
      ['before', 1],
      ['after', 7],
    ] as const)('%s the effect, answers unknown once', async (when, rank) => {
      const lossy = createFakeStore({ clock });
      const collection = lossy.collection(jobsCollection);
      const record = applied(await collection.insert(waiting('a')));
      lossy.loseNextWrite(when);
      expect(await collection.mutate(record, waiting('a', { rank: 7 }))).toMatchObject({ outcome: 'unknown' });
      expect(await collection.findById('a')).toMatchObject({ rank });
    });
  });

  it('keeps its records when a restarted service declares the collection again', async () => {
    const durable = createFakeStore({ clock });
    applied(await durable.collection(jobsCollection).insert(waiting('a')));
    expect(durable.collection(jobsCollection).all()).toHaveLength(1);
  });
});
