import { Double, Int32 } from 'mongodb';
import type { Collection, Document } from 'mongodb';
import { onEveryServer } from './support/targets';

interface Thing extends Document {
  _id: number;
}

onEveryServer('delete, count and distinct', (target) => {
  let things: Collection<Thing>;
  beforeEach(async () => {
    things = target().client.db('conformance').collection<Thing>('counted');
    await things.drop().catch(() => undefined);
    await things.insertMany([
      { _id: 1, k: 'a', l: [1, 2] },
      { _id: 2, k: 'b', l: [2, 3] },
      { _id: 3, k: 'a' },
      { _id: 4 },
    ]);
  });

  it('removes one match or all', async () => {
    expect(await things.deleteOne({ k: 'a' })).toMatchObject({ deletedCount: 1 });
    expect(await things.deleteMany({ k: { $in: ['a', 'b'] } })).toMatchObject({ deletedCount: 2 });
    expect((await things.find().toArray()).map(({ _id }) => _id)).toEqual([4]);
  });

  it('removes a document for exactly one of many', async () => {
    const removed = await Promise.all(Array.from({ length: 20 }, () => things.deleteOne({ _id: 1 })));
    expect(removed.reduce((sum, { deletedCount }) => sum + deletedCount, 0)).toBe(1);
  });

  it('counts matches, with skip and limit', async () => {
    expect(await things.countDocuments({ k: 'a' })).toBe(2);
    expect(await things.estimatedDocumentCount()).toBe(4);
    expect(await things.countDocuments({}, { skip: 1, limit: 2 })).toBe(2);
  });

  it('gives every value once, array elements on their own, equal numbers as one', async () => {
    await things.insertMany([
      { _id: 5, l: new Double(2) },
      { _id: 6, l: new Int32(9) },
    ] as never);
    expect([...(await things.distinct('l'))].sort()).toEqual([1, 2, 3, 9]);
    expect([...(await things.distinct('k'))].sort()).toEqual(['a', 'b']);
    expect(await things.distinct('k', { _id: 2 })).toEqual(['b']);
  });
});
