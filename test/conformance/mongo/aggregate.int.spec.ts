import { Decimal128, Double, Int32, Long } from 'mongodb';
import type { Collection, Document } from 'mongodb';
import { onEveryServer } from './support/targets';

interface Thing extends Document {
  _id: number;
}

onEveryServer('aggregate', (target) => {
  let things: Collection<Thing>;
  beforeEach(async () => {
    things = target().client.db('conformance').collection<Thing>('aggregated');
    await things.drop().catch(() => undefined);
  });
  const run = (pipeline: Document[]): Promise<Document[]> => things.aggregate(pipeline).toArray();

  it('widens sums from int to long to double and keeps decimals exact', async () => {
    await things.insertMany([
      { _id: 1, i: new Int32(2147483647), l: Long.MAX_VALUE, x: Decimal128.fromString('0.1') },
      { _id: 2, i: new Int32(1), l: Long.fromNumber(1), x: Decimal128.fromString('0.2') },
    ]);
    const [sums] = await things
      .aggregate([{ $group: { _id: null, i: { $sum: '$i' }, l: { $sum: '$l' }, x: { $sum: '$x' } } }], {
        promoteValues: false,
      })
      .toArray();
    expect(sums?.['i']._bsontype).toBe('Long');
    expect(sums?.['l']._bsontype).toBe('Double');
    expect(sums?.['x'].toString()).toBe('0.3');
  });

  it('compensates sums of doubles', async () => {
    await things.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id, v: new Double(0.1) })));
    expect(await run([{ $group: { _id: null, total: { $sum: '$v' } } }])).toEqual([{ _id: null, total: 1 }]);
  });

  it('joins, unwinds, groups, sorts and counts', async () => {
    const others = target().client.db('conformance').collection<Thing>('joined');
    await others.drop().catch(() => undefined);
    await things.insertMany([{ _id: 1, tags: ['a', 'b'] }, { _id: 2, tags: ['a'] }, { _id: 3 }]);
    await others.insertMany([
      { _id: 1, tag: 'a', weight: 2 },
      { _id: 2, tag: 'b', weight: 5 },
    ]);
    const result = await run([
      { $unwind: '$tags' },
      { $lookup: { from: 'joined', localField: 'tags', foreignField: 'tag', as: 'found' } },
      { $set: { weight: { $first: '$found.weight' } } },
      { $group: { _id: '$tags', n: { $count: {} }, weight: { $sum: '$weight' } } },
      { $sort: { weight: -1 } },
    ]);
    expect(result).toEqual([
      { _id: 'b', n: 1, weight: 5 },
      { _id: 'a', n: 2, weight: 4 },
    ]);
  });

  it('runs several pipelines over one input', async () => {
    await things.insertMany([
      { _id: 1, v: 1 },
      { _id: 2, v: 2 },
    ]);
    expect(await run([{ $facet: { all: [{ $count: 'n' }], top: [{ $sort: { v: -1 } }, { $limit: 1 }] } }])).toEqual([
      { all: [{ n: 2 }], top: [{ _id: 2, v: 2 }] },
    ]);
  });

  it('groups by local days across a change of the clock', async () => {
    await things.insertMany(
      ['2024-03-30T22:59:59Z', '2024-03-30T23:00:00Z', '2024-03-31T21:59:59Z', '2024-03-31T22:00:00Z'].map(
        (at, _id) => ({ _id, at: new Date(at) }),
      ),
    );
    const day = { $dateToString: { date: '$at', timezone: 'Europe/Paris', format: '%Y-%m-%d' } };
    expect(await run([{ $group: { _id: day, n: { $sum: 1 } } }, { $sort: { _id: 1 } }])).toEqual([
      { _id: '2024-03-30', n: 1 },
      { _id: '2024-03-31', n: 2 },
      { _id: '2024-04-01', n: 1 },
    ]);
  });

  it.each<[string, Document[], number]>([
    ['an unknown stage', [{ $frob: {} }], 40324],
    ['an unknown accumulator', [{ $group: { _id: null, n: { $frob: 1 } } }], 15952],
    ['an unknown zone', [{ $project: { y: { $year: { date: new Date(0), timezone: 'Mars/Olympus' } } } }], 40485],
    ['a mix of inclusion and exclusion', [{ $project: { a: 1, b: 0 } }], 31254],
    ['a stage with two fields', [{ $match: {}, $limit: 1 }], 40323],
  ])('refuses %s', async (_what, pipeline, code) => {
    await things.insertOne({ _id: 1 });
    await expect(run(pipeline)).rejects.toMatchObject({ code });
  });
});
