import type { Collection, Document } from 'mongodb';
import { onEveryServer } from './support/targets';

interface Thing extends Document {
  _id: number;
}

onEveryServer('findAndModify', (target) => {
  let things: Collection<Thing>;
  beforeEach(async () => {
    things = target().client.db('conformance').collection<Thing>('claimed');
    await things.drop().catch(() => undefined);
  });

  it('hands every job to exactly one of many claimants', async () => {
    await things.insertMany(Array.from({ length: 20 }, (_, _id) => ({ _id, state: 'due' })));
    const claims = await Promise.all(
      Array.from({ length: 40 }, (_, by) =>
        things.findOneAndUpdate({ state: 'due' }, { $set: { state: 'taken', by } }, { sort: { _id: 1 } }),
      ),
    );
    const taken = claims.filter((claim) => claim !== null).map((claim) => claim._id);
    expect([...taken].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it('gives the document before or after, projected', async () => {
    await things.insertOne({ _id: 1, n: 1, other: true });
    expect(await things.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })).toEqual({ _id: 1, n: 1, other: true });
    expect(
      await things.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after', projection: { n: 1 } }),
    ).toEqual({ _id: 1, n: 3 });
    expect(await things.findOneAndReplace({ _id: 1 }, { z: 1 }, { returnDocument: 'after' })).toEqual({ _id: 1, z: 1 });
    expect(await things.findOneAndDelete({ _id: 1 })).toEqual({ _id: 1, z: 1 });
    expect(await things.findOneAndDelete({ _id: 1 })).toBeNull();
  });

  it('updates by a pipeline that sees the stored fields', async () => {
    await things.insertOne({ _id: 1, price: 10, count: 3 });
    const after = await things.findOneAndUpdate(
      { _id: 1 },
      [{ $set: { total: { $multiply: ['$price', '$count'] } } }],
      { returnDocument: 'after' },
    );
    expect(after).toEqual({ _id: 1, price: 10, count: 3, total: 30 });
  });
});
