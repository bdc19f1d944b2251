import type { Collection, Document, Filter } from 'mongodb';
import { openTestStore } from '../testing/open-test-store';
import type { TestStore } from '../testing/open-test-store';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

const collection = (name: string): Collection => test.client.db('planner').collection(name);

async function planOf(
  name: string,
  filter: Filter<Document>,
  sort?: Document,
): Promise<{ index: string | undefined; sorts: boolean }> {
  const found = collection(name).find(filter);
  const explained = await (sort ? found.sort(sort as never) : found).explain('queryPlanner');
  const text = JSON.stringify(explained['queryPlanner'].winningPlan);
  return { index: /"indexName":"([^"]+)"/.exec(text)?.[1], sorts: text.includes('"SORT"') };
}

describe('the planner', () => {
  beforeAll(async () => {
    const things = collection('things');
    await things.insertMany(
      Array.from({ length: 200 }, (_, n) => ({
        _id: n as never,
        a: n % 10,
        b: n % 7,
        c: n,
        tags: [n % 3, n % 5],
        s: `s${n % 20}`,
      })),
    );
    await things.createIndex({ a: 1, b: -1, c: 1 }, { name: 'abc' });
    await things.createIndex({ tags: 1 }, { name: 'tags' });
    await things.createIndex({ tags: 1, c: 1 }, { name: 'tags_c' });
    await things.createIndex({ s: 1 }, { name: 'sparse', sparse: true });
    await things.createIndex({ c: 1 }, { name: 'partial', partialFilterExpression: { c: { $gt: 150 } } });
  });

  it.each<[string, Filter<Document>, Document | undefined, string | undefined, boolean]>([
    ['equality on _id', { _id: 5 as never }, undefined, '_id_', false],
    ['equality on a leading field', { a: 5 }, undefined, 'abc', false],
    ['a compound prefix and a range', { a: 5, b: { $gt: 2 } }, undefined, 'abc', false],
    ['a list of values', { a: { $in: [1, 2] } }, undefined, 'abc', false],
    ['a range', { a: { $gte: 3, $lt: 5 } }, undefined, 'abc', false],
    ['an element of an array', { tags: 4 }, undefined, 'tags', false],
    ['a sort after an element of an array', { tags: 4 }, { c: -1 }, 'tags_c', false],
    ['a sort after two elements of an array', { tags: { $in: [1, 4] } }, { c: 1 }, 'tags', true],
    ['a sort by an array itself', { tags: 4 }, { tags: 1 }, 'tags', true],
    ['a sort in index order', {}, { a: 1, b: -1 }, 'abc', false],
    ['a sort against index order', {}, { a: -1, b: 1 }, 'abc', false],
    ['a sort after an equality', { a: 5 }, { b: 1 }, 'abc', false],
    ['a sort that no index gives', { a: 5 }, { c: 1 }, 'abc', true],
    ['a sparse index for a value', { s: 's1' }, undefined, 'sparse', false],
    ['a partial index that covers the filter', { c: { $gt: 160 } }, undefined, 'partial', false],
    ['each alternative of $or by an index', { $or: [{ a: 3 }, { s: 's1' }] }, undefined, 'abc', false],
    ['no index when one alternative has none', { $or: [{ a: 3 }, { z: 1 }] }, undefined, undefined, false],
    ['$elemMatch over values', { tags: { $elemMatch: { $gte: 3 } } }, undefined, 'tags', false],
    ['no partial index for a wider filter', { c: { $gt: 140 } }, undefined, undefined, false],
    ['no sparse index for missing fields', { s: null }, undefined, undefined, false],
    ['no index for a field without one', { z: 1 }, undefined, undefined, false],
  ])('serves %s', async (_what, filter, sort, index, sorts) => {
    expect(await planOf('things', filter, sort)).toEqual({ index, sorts });
  });

  it('looks at no more documents than the index gives', async () => {
    const explained = await collection('things').find({ a: 5, b: 3 }).explain('executionStats');
    const { totalDocsExamined, nReturned } = explained['executionStats'];
    expect(nReturned).toBeGreaterThan(0);
    expect(totalDocsExamined).toBe(nReturned);
  });

  it('serves the leading match and sort of a pipeline', async () => {
    const explained = await collection('things')
      .aggregate([{ $match: { a: 5 } }, { $sort: { b: -1 } }])
      .explain('queryPlanner');
    expect(JSON.stringify(explained)).toContain('"indexName":"abc"');
  });

  it('finds the same documents with and without indexes', async () => {
    const values = [
      null,
      0,
      1,
      1.5,
      -1,
      '',
      'a',
      'b',
      true,
      new Date(5),
      [],
      [1],
      [1, 'a'],
      [[1]],
      { x: 1 },
      { x: [1, 2] },
      undefined,
    ];
    const documents = values.flatMap((a, i) =>
      values.map((b, j) => ({
        _id: i * 100 + j,
        ...(a === undefined ? {} : { a }),
        ...(b === undefined || Array.isArray(a) ? {} : { b }),
      })),
    );
    await collection('plain').insertMany(documents as never);
    await collection('indexed').insertMany(documents as never);
    await collection('indexed').createIndexes([
      { key: { a: 1, b: -1 } },
      { key: { b: 1 } },
      { key: { 'a.x': 1 } },
      { key: { a: -1 }, sparse: true, name: 'sparse' },
    ]);
    const operands = [null, 1, 'a', true, new Date(5), { x: 1 }, [1]];
    const conditions: Document[] = [
      ...operands.map((value) => ({ $eq: value })),
      ...['$gt', '$gte', '$lt', '$lte', '$ne'].flatMap((op) => operands.map((value) => ({ [op]: value }))),
      { $in: [1, null, 'a'] },
      { $exists: true },
      { $exists: false },
      { $gt: 0, $lt: 2 },
      { $elemMatch: { $gte: 1 } },
      { $type: 'string' },
      { $elemMatch: { x: 1 } },
      { $elemMatch: { $gt: 0, $lt: 2 } },
    ];
    const ids = async (name: string, filter: Document): Promise<unknown[]> =>
      (await collection(name).find(filter).sort({ _id: 1 }).project({ _id: 1 }).toArray()).map((found) => found['_id']);
    for (const field of ['a', 'b', 'a.x']) {
      for (const condition of conditions) {
        // As on the server, a sparse index answers these two without documents that lack the field.
        if (field === 'a' && (condition['$gte'] === null || condition['$lte'] === null)) continue;
        const filter = { [field]: condition };
        const either = { $or: [filter, { b: 'a' }] };
        if (field === 'a')
          expect({ either, ids: await ids('indexed', either) }).toEqual({ either, ids: await ids('plain', either) });
        expect({ filter, ids: await ids('indexed', filter) }).toEqual({ filter, ids: await ids('plain', filter) });
      }
    }
  });

  it('finds and orders strings that are too long for an index key', async () => {
    const long = collection('long');
    const texts = ['x', 'y', 'z'].map((end) => 'p'.repeat(5000) + end);
    await long.createIndex({ t: 1 }, { unique: true });
    await long.insertMany([texts[2], texts[0], texts[1], 'abc'].map((t) => ({ t })));
    expect(await long.countDocuments({ t: texts[1] as string })).toBe(1);
    expect(
      (
        await long
          .find({ t: { $gt: texts[0] as string } })
          .sort({ t: 1 })
          .toArray()
      ).map((found) => found['t']),
    ).toEqual([texts[1], texts[2]]);
    await expect(long.insertOne({ t: texts[0] })).rejects.toMatchObject({ code: 11000 });
  });
});
