import type { Collection, Document } from 'mongodb';
import { onEveryServer } from './support/targets';

interface Thing extends Document {
  _id: number;
}

onEveryServer('indexes', (target) => {
  let things: Collection<Thing>;
  beforeEach(async () => {
    things = target().client.db('conformance').collection<Thing>('indexed');
    await things.drop().catch(() => undefined);
  });

  it('reports a duplicate with its key pattern and value', async () => {
    await things.createIndex({ tenant: 1, name: 1 }, { unique: true });
    await things.insertOne({ _id: 1, tenant: 'a', name: 'x' });
    await expect(things.insertOne({ _id: 2, tenant: 'a', name: 'x' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { tenant: 1, name: 1 },
      keyValue: { tenant: 'a', name: 'x' },
    });
    await things.insertOne({ _id: 2, tenant: 'b', name: 'x' });
  });

  it('lets one of many concurrent inserts of a unique value in', async () => {
    await things.createIndex({ k: 1 }, { unique: true });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, _id) => things.insertOne({ _id, k: 'same' })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('counts a missing field as null in a unique index, but not in a sparse or partial one', async () => {
    await things.createIndexes([
      { key: { plain: 1 }, unique: true },
      { key: { sparse: 1 }, unique: true, sparse: true },
      { key: { partial: 1 }, unique: true, partialFilterExpression: { active: true } },
    ]);
    await things.insertOne({ _id: 1, plain: 1, partial: 1, active: false });
    await things.insertOne({ _id: 2, plain: 2, partial: 1, active: true });
    await things.insertOne({ _id: 3, partial: 1 });
    await expect(things.insertOne({ _id: 4 })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { plain: 1 },
      keyValue: { plain: null },
    });
    await expect(things.updateOne({ _id: 1 }, { $set: { active: true } })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { partial: 1 },
    });
  });

  it('builds a unique index only over unique values', async () => {
    await things.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
    ]);
    await expect(things.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
    expect((await things.indexes()).map(({ name }) => name)).toEqual(['_id_']);
  });

  it('names its indexes and drops them', async () => {
    expect(await things.createIndex({ a: 1, b: -1 })).toBe('a_1_b_-1');
    expect(await things.createIndex({ a: 1, b: -1 })).toBe('a_1_b_-1');
    await expect(things.createIndex({ a: 1, b: -1 }, { name: 'other' })).rejects.toMatchObject({ code: 85 });
    await things.dropIndex('a_1_b_-1');
    await expect(things.dropIndex('a_1_b_-1')).rejects.toMatchObject({ code: 27 });
  });

  it('serves reads while an index is being built and finds the same afterwards', async () => {
    await things.insertMany(Array.from({ length: 2000 }, (_, _id) => ({ _id, v: _id % 10 })));
    const building = things.createIndex({ v: 1 });
    const during = await Promise.all(Array.from({ length: 20 }, () => things.countDocuments({ v: 3 })));
    await building;
    expect(new Set([...during, await things.countDocuments({ v: 3 })])).toEqual(new Set([200]));
  });
});
