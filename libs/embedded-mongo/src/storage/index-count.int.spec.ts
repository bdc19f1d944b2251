import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BsonDate, doc, docOf, int, type Doc, type Value } from '../bson/values';
import { Decimal } from '../bson/decimal';
import { openTestStore, type TestStore } from '../testing/open-test-store';
import { parseFilter } from '../query/compile-filter';
import { matches } from '../query/predicate';
import type { Collection } from './catalog';
import { insertDoc, scanDocs } from './collection-store';
import { countByIndex } from './index-count';
import { openStore, type Store } from './store';

const date = (ms: number): BsonDate => new BsonDate(BigInt(ms));
const values: readonly Value[] = [
  int(1),
  1,
  1n,
  Decimal.fromDoubleExact(1),
  int(2),
  Number.NaN,
  Infinity,
  'a',
  'a\u0000',
  'ab',
  '',
  true,
  false,
  null,
  date(0),
  date(1),
  date(-1),
  date(2 ** 45),
];

describe('counting by an index', () => {
  const folder = mkdtempSync(join(tmpdir(), 'index-count-'));
  let store: Store;
  let collection: Collection;
  const count = (filter: Doc): number | undefined => countByIndex(store.engine, collection, parseFilter(filter));
  const scanned = (filter: Doc): number => {
    const parsed = parseFilter(filter);
    return [...scanDocs(store.engine, collection)].filter(({ document }) => matches(parsed, document)).length;
  };

  beforeAll(async () => {
    // Filled by the server, so that the index is like those of services.
    const test: TestStore = await openTestStore({ dataDir: folder });
    const rows = test.client.db('d').collection('rows');
    await rows.createIndex({ a: 1, b: -1 });
    await rows.createIndex({ tags: 1 });
    await rows.createIndex({ part: 1 }, { partialFilterExpression: { part: { $gt: 5 } } });
    await rows.insertMany([{ tags: ['x', 'y', 'x'] }, { tags: 'x' }, { part: 7 }, { long: 'l'.repeat(3_000) }]);
    await test.close();
    store = openStore(folder);
    collection = store.catalog.collections.get('d')!.get('rows')!;
    await store.engine.write(() => {
      let id = 0;
      for (const a of [...values, undefined])
        for (const b of [...values, undefined])
          insertDoc(store.engine, collection, docOf({ _id: int((id += 1)), a, b }));
    });
    store.engine.refresh();
  });
  afterAll(async () => {
    await store.engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const operators = ['$eq', '$gt', '$gte', '$lt', '$lte'];

  it('answers what a scan finds, or nothing', () => {
    let answered = 0;
    for (const a of values)
      for (const b of values)
        for (const operator of operators) {
          const filter = doc(['a', doc(['$eq', a])], ['b', doc([operator, b])]);
          const found = count(filter);
          if (found === undefined) continue;
          answered += 1;
          expect([filter, found]).toEqual([filter, scanned(filter)]);
        }
    expect(answered).toBeGreaterThan(300);
  });

  it('answers equality of leading fields with a range of dates behind it, and everything', () => {
    expect(count(doc())).toBe(19 * 19 + 4);
    expect(count(doc(['a', 'a']))).toBe(19);
    expect(count(doc(['a', int(1)]))).toBe(4 * 19);
    expect(count(doc(['a', 'a'], ['b', doc(['$gte', date(0)], ['$lt', date(5)])]))).toBe(2);
    expect(count(doc(['$and', [doc(['a', true]), doc(['b', 'ab'])]]))).toBe(1);
  });

  it.each<[string, Doc]>([
    ['a field that is no leading one', doc(['b', 'a'])],
    ['a field beside the index', doc(['a', 'a'], ['c', 1])],
    ['ranges of what is no date', doc(['a', doc(['$lt', int(5)])])],
    ['null, which is a missing field too', doc(['a', null])],
    ['a list of arrays', doc(['tags', 'x'])],
    ['a partial index', doc(['part', int(7)])],
    ['an alternative', doc(['$or', [doc(['a', 'a']), doc(['a', 'ab'])]])],
    ['a negation', doc(['a', doc(['$ne', 'a'])])],
    ['a position in a path', doc(['a.0', 'a'])],
    ['a text that an index may shorten', doc(['a', 'l'.repeat(3_000)])],
  ])('answers nothing for %s', (_name, filter) => {
    expect(count(filter)).toBeUndefined();
  });
});
