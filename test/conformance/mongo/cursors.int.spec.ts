import type { Long } from 'mongodb';
import type { Collection } from 'mongodb';
import { onEveryServer } from './support/targets';

onEveryServer('cursors', (target) => {
  let things: Collection<{ _id: number }>;
  beforeEach(async () => {
    things = target().client.db('conformance').collection('cursors');
    await things.drop().catch(() => undefined);
    await things.insertMany(Array.from({ length: 20 }, (_, _id) => ({ _id })));
  });
  const open = async (): Promise<Long> => {
    const reply = await target()
      .client.db('conformance')
      .command({ find: 'cursors', batchSize: 5 }, { promoteLongs: false });
    return reply['cursor'].id as Long;
  };

  it('end when they are killed', async () => {
    const id = await open();
    const db = target().client.db('conformance');
    expect(await db.command({ killCursors: 'cursors', cursors: [id] })).toMatchObject({
      cursorsKilled: [expect.anything()],
      cursorsNotFound: [],
    });
    await expect(db.command({ getMore: id, collection: 'cursors' })).rejects.toMatchObject({ code: 43 });
  });

  it('belong to their collection', async () => {
    const id = await open();
    await expect(target().client.db('conformance').command({ getMore: id, collection: 'other' })).rejects.toMatchObject(
      { code: 13 },
    );
  });

  it('go on while documents are added and removed', async () => {
    const seen: number[] = [];
    for await (const { _id } of things.find().batchSize(5)) {
      seen.push(_id);
      if (_id === 3) await things.deleteMany({ _id: { $gte: 10, $lt: 15 } });
      if (_id === 4) await things.insertOne({ _id: 100 });
    }
    expect(seen.filter((id) => id < 10 || (id >= 15 && id < 100))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 18, 19,
    ]);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('end with an error when the index they read is dropped', async () => {
    await things.createIndex({ _id: -1 });
    const cursor = things
      .find({ _id: { $gte: 0 } })
      .hint({ _id: -1 })
      .batchSize(2);
    await cursor.next();
    await things.dropIndex({ _id: -1 } as never);
    await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
  });

  it('end with an error when a collection is dropped that a pipeline reads', async () => {
    const cursor = things.aggregate([{ $match: { _id: { $gte: 0 } } }], { batchSize: 2 });
    await cursor.next();
    await things.drop();
    await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
  });

  it('end with an error when their collection is dropped', async () => {
    const cursor = things.find().batchSize(2);
    await cursor.next();
    await things.drop();
    await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
  });
});
