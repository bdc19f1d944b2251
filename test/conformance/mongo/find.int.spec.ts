import { Decimal128, Double, Int32, Long } from 'mongodb';
import type { Collection, Document } from 'mongodb';
import { onEveryServer } from './support/targets';

interface Thing extends Document {
  _id: number;
}

onEveryServer('find', (target) => {
  let things: Collection<Thing>;
  beforeEach(async () => {
    things = target().client.db('conformance').collection<Thing>('found');
    await things.drop().catch(() => undefined);
  });
  const ids = async (filter: Document, sort: Document = { _id: 1 }): Promise<number[]> =>
    (
      await things
        .find(filter)
        .sort(sort as never)
        .toArray()
    ).map(({ _id }) => _id);

  it('compares numbers of all kinds by their exact value', async () => {
    await things.insertMany([
      { _id: 1, v: new Int32(1) },
      { _id: 2, v: new Double(1) },
      { _id: 3, v: Long.fromNumber(1) },
      { _id: 4, v: Decimal128.fromString('1.0') },
      { _id: 5, v: Long.fromString('9007199254740993') },
      { _id: 6, v: new Double(2 ** 53) },
      { _id: 7, v: Decimal128.fromString('0.1') },
      { _id: 8, v: new Double(0.1) },
    ]);
    expect(await ids({ v: 1 })).toEqual([1, 2, 3, 4]);
    expect(await ids({ v: Long.fromString('9007199254740993') })).toEqual([5]);
    expect(await ids({ v: { $gt: 2 ** 53 } })).toEqual([5]);
    expect(await ids({ v: new Double(0.1) })).toEqual([8]);
  });

  it('keeps comparisons inside the type of their operand', async () => {
    await things.insertMany([
      { _id: 1, v: 5 },
      { _id: 2, v: 'text' },
      { _id: 3, v: null },
      { _id: 4 },
      { _id: 5, v: new Date(0) },
      { _id: 6, v: [1, 'z'] },
    ]);
    expect(await ids({ v: { $gt: 0 } })).toEqual([1, 6]);
    expect(await ids({ v: { $gte: '' } })).toEqual([2, 6]);
    expect(await ids({ v: null })).toEqual([3, 4]);
    expect(await ids({ v: { $ne: null } })).toEqual([1, 2, 5, 6]);
    expect(await ids({ v: { $exists: false } })).toEqual([4]);
  });

  it('sorts all types in BSON order, up and down', async () => {
    const values = ['b', 2, null, undefined, true, new Date(0), {}, [], 'B'];
    await things.insertMany(values.map((v, index) => ({ _id: index + 1, ...(v === undefined ? {} : { v }) })));
    expect(await ids({}, { v: 1, _id: 1 })).toEqual([8, 3, 4, 2, 9, 1, 7, 5, 6]);
    expect(await ids({}, { v: -1, _id: 1 })).toEqual([6, 5, 7, 1, 9, 2, 3, 4, 8]);
  });

  it('looks into arrays and along dotted paths', async () => {
    await things.insertMany([
      {
        _id: 1,
        a: [
          { b: 1, c: 2 },
          { b: 3, c: 4 },
        ],
      },
      { _id: 2, a: { b: 1, c: 4 } },
      { _id: 3, a: [{ b: 1, c: 4 }] },
    ]);
    expect(await ids({ 'a.b': 1, 'a.c': 4 })).toEqual([1, 2, 3]);
    expect(await ids({ a: { $elemMatch: { b: 1, c: 4 } } })).toEqual([3]);
    expect(await ids({ 'a.1.b': 3 })).toEqual([1]);
    expect(await ids({ a: { $size: 1 } })).toEqual([3]);
  });

  it('pages through a cursor and closes it with the last batch', async () => {
    await things.insertMany(Array.from({ length: 250 }, (_, _id) => ({ _id })));
    expect(await things.find().batchSize(100).toArray()).toHaveLength(250);
    expect((await things.find().sort({ _id: -1 }).skip(10).limit(5).toArray()).map(({ _id }) => _id)).toEqual([
      239, 238, 237, 236, 235,
    ]);
    expect(await things.find().limit(3).batchSize(2).toArray()).toHaveLength(3);
  });

  it('projects fields, slices and matched elements', async () => {
    await things.insertOne({ _id: 1, a: { b: 1, c: 2 }, l: [{ x: 1 }, { x: 2 }], s: 'x' });
    const one = async (projection: Document, filter: Document = {}): Promise<unknown> =>
      (await things.find(filter).project(projection).toArray())[0];
    expect(await one({ 'a.b': 1, _id: 0 })).toEqual({ a: { b: 1 } });
    expect(await one({ a: 0, l: 0 })).toEqual({ _id: 1, s: 'x' });
    expect(await one({ l: { $slice: -1 }, s: 1 })).toEqual({ _id: 1, l: [{ x: 2 }], s: 'x' });
    expect(await one({ 'l.$': 1 }, { 'l.x': 2 })).toEqual({ _id: 1, l: [{ x: 2 }] });
  });

  it('ends a read that takes longer than it may', async () => {
    await things.insertMany(Array.from({ length: 5000 }, (_, _id) => ({ _id, v: 'x'.repeat(50) })));
    const slow = {
      $expr: { $gt: [{ $size: { $filter: { input: { $range: [0, 2000] }, cond: { $eq: ['$$this', '$_id'] } } } }, 5] },
    };
    await expect(things.find(slow).maxTimeMS(50).toArray()).rejects.toMatchObject({ code: 50 });
  });

  it.each<[string, Document, number]>([
    ['an unknown operator', { a: { $frob: 1 } }, 2],
    ['an unknown top-level operator', { $frob: [] }, 2],
    ['an unknown expression', { $expr: { $frob: 1 } }, 168],
    ['server-side JavaScript', { $where: 'true' }, 2],
    ['a broken pattern', { a: { $regex: '(' } }, 51091],
    ['$in without a list', { a: { $in: 1 } }, 2],
  ])('refuses %s', async (_what, filter, code) => {
    if (!target().embedded && '$where' in filter) return;
    await expect(things.find(filter).toArray()).rejects.toMatchObject({ code });
  });
});
