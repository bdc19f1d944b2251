import { Long } from 'mongodb';
import type { Collection, Document } from 'mongodb';
import { onEveryServer } from './support/targets';

interface Thing extends Document {
  _id: number | string;
}

onEveryServer('update', (target) => {
  let things: Collection<Thing>;
  beforeEach(async () => {
    things = target().client.db('conformance').collection<Thing>('updated');
    await things.drop().catch(() => undefined);
  });

  it('lets exactly one of many fenced writers win', async () => {
    await things.insertOne({ _id: 1, revision: 1 });
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, writer) =>
        things.updateOne({ _id: 1, revision: 1 }, { $set: { revision: 2, writer } }),
      ),
    );
    expect(results.filter(({ matchedCount }) => matchedCount === 1)).toHaveLength(1);
  });

  it('makes one document of many upserts at once', async () => {
    await things.createIndex({ key: 1 }, { unique: true });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, () =>
        things.updateOne({ key: 'a' }, { $inc: { n: 1 }, $setOnInsert: { first: true } }, { upsert: true }),
      ),
    );
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
    const found = await things.find().toArray();
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ key: 'a', n: done, first: true });
  });

  it('counts every increment of many writers', async () => {
    await things.insertOne({ _id: 1, n: 0 });
    await Promise.all(Array.from({ length: 100 }, () => things.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })));
    expect(await things.findOne({ _id: 1 })).toEqual({ _id: 1, n: 100 });
  });

  it('tells matched from modified', async () => {
    await things.insertOne({ _id: 1, a: 1 });
    expect(await things.updateOne({ _id: 1 }, { $set: { a: 1 } })).toMatchObject({ matchedCount: 1, modifiedCount: 0 });
    expect(await things.updateOne({ _id: 2 }, { $set: { a: 1 } })).toMatchObject({ matchedCount: 0, modifiedCount: 0 });
  });

  it('removes exactly the outbox entry that is named', async () => {
    await things.insertOne({ _id: 1, outbox: [{ id: 'a' }, { id: 'b' }, { id: 'a', copy: true }] });
    await things.updateOne({ _id: 1 }, { $pull: { outbox: { id: 'a' } } } as never);
    expect(await things.findOne({ _id: 1 })).toEqual({ _id: 1, outbox: [{ id: 'b' }] });
  });

  it('changes the elements that array filters choose', async () => {
    await things.insertOne({
      _id: 1,
      items: [
        { s: 'due', n: 1 },
        { s: 'done', n: 1 },
        { s: 'due', n: 5 },
      ],
    });
    await things.updateOne(
      { _id: 1 },
      { $set: { 'items.$[i].s': 'failed' } },
      { arrayFilters: [{ 'i.s': 'due', 'i.n': { $gt: 2 } }] },
    );
    expect((await things.findOne({ _id: 1 }))?.['items'].map((item: Document) => item['s'])).toEqual([
      'due',
      'done',
      'failed',
    ]);
  });

  it('adds new fields in the order of their names', async () => {
    await things.insertOne({ _id: 1 });
    await things.updateOne({ _id: 1 }, { $set: { c: 1, a: 1 }, $inc: { b: 1 } });
    expect(Object.keys((await things.findOne({ _id: 1 })) ?? {})).toEqual(['_id', 'a', 'b', 'c']);
  });

  it('refuses a long that would overflow and leaves the document alone', async () => {
    await things.insertOne({ _id: 1, n: Long.MAX_VALUE });
    await expect(things.updateOne({ _id: 1 }, { $inc: { n: Long.fromNumber(1) } })).rejects.toMatchObject({ code: 2 });
    expect((await things.findOne({ _id: 1 }, { promoteLongs: false }))?.['n'].toString()).toBe(
      Long.MAX_VALUE.toString(),
    );
  });

  it.each<[string, Document, number]>([
    ['conflicting paths', { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    ['a changed _id', { $set: { _id: 2 } }, 66],
    ['a number added to text', { $inc: { s: 1 } }, 14],
    ['a push to text', { $push: { s: 1 } }, 2],
    ['a path through a scalar', { $set: { 's.x': 1 } }, 28],
    ['an unknown operator', { $frob: { a: 1 } }, 9],
  ])('refuses %s', async (_what, change, code) => {
    await things.insertOne({ _id: 1, s: 'text' });
    await expect(things.updateOne({ _id: 1 }, change)).rejects.toMatchObject({ code });
    expect(await things.findOne({ _id: 1 })).toEqual({ _id: 1, s: 'text' });
  });
});
