/**
 * No query of a service scans. The port refuses, in fake and adapter alike, each list and each count that no declared
 * index narrows down and orders, so a query without an index fails in the first test that makes it. Here what the
 * port admits is held against the plans of a store: for every declared index, queries of every form that can use it.
 */
import { join } from 'node:path';
import type { Revisioned } from '@platform/kernel';
import type { CollectionDeclaration, Condition, Filter, FindOptions } from '@platform/mongo';
import { openTestDatabase, type TestDatabase } from '@platform/mongo/test-database';
import { createFakeStore } from '@platform/mongo/testing';
import { createManualClock, createSequentialIds } from '@platform/kernel';
import { declaredCollections, files, root, text } from './tree';

type Declaration = CollectionDeclaration<Revisioned>;
type Sort = NonNullable<FindOptions['sort']>;

const isDeclaration = (value: unknown): value is Declaration =>
  typeof value === 'object' && value !== null && 'name' in value && 'indexes' in value && Array.isArray(value.indexes);

/** Every declaration of a service or of what stands in all of them, as its file exports it. */
const declarations = files()
  .filter((file) => /^(services|libs\/durable)\/.*\.ts$/.test(file) && !/\.(spec|features|harness)\.ts$/.test(file))
  .filter((file) => text(file).includes(': CollectionDeclaration<') && /\bexport const\b/.test(text(file)))
  .flatMap((file) => Object.values(require(join(root, file)) as object).filter(isDeclaration))
  .map((declaration) => [declaration.name, declaration] as const);

/** One database for each declaration: services have collections of one name. */
let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase('query_plans');
});
afterAll(() => database.drop());

const conditions: readonly Condition[] = ['x', { $in: ['x', 'y'] }, { $gte: 'x' }, { $exists: true }];

interface Asked {
  readonly filter: Filter;
  readonly sort: Sort;
}

/** With each number of keys fixed, in each way, with what the index is limited to, and with a condition beside it. */
function asking({ indexes }: Declaration): (Asked & { readonly by: string })[] {
  const paths = [...new Set(indexes.flatMap(({ key }) => Object.keys(key))), 'unindexed'];
  return indexes.flatMap(({ name, key, only = {} }) =>
    Object.keys(key).flatMap((_path, fixed) => {
      const order = Object.entries(key).slice(fixed);
      const sort = Object.fromEntries(order.some(([path]) => path === '_id') ? order : [...order, ['_id', 1]]) as Sort;
      const leading = Object.keys(key).slice(0, Math.max(fixed, 1));
      const others = [undefined, ...paths.filter((path) => !leading.includes(path) && !(path in only))];
      return (fixed === 0 ? [undefined, ...conditions] : conditions).flatMap((condition) =>
        others.map((other): Asked & { readonly by: string } => ({
          by: name,
          filter: {
            ...only,
            ...(condition !== undefined && Object.fromEntries(leading.map((path) => [path, condition]))),
            ...(other !== undefined && { [other]: 'x' }),
          },
          sort,
        })),
      );
    }),
  );
}

const admits = (query: () => Promise<unknown>) =>
  query().then(
    () => true,
    () => false,
  );

async function planOf(collection: string, filter: Filter, sort?: Sort): Promise<string> {
  const cursor = database.raw.collection(collection).find(filter as never);
  const explained = await (sort ? cursor.sort(new Map(Object.entries(sort))).limit(10) : cursor).explain(
    'queryPlanner',
  );
  return JSON.stringify(explained['queryPlanner'].winningPlan);
}

describe('the declared collections', () => {
  it('are all here', () => {
    const known = declarations.map(([name]) => name);
    expect(declaredCollections().filter(({ collection }) => !known.includes(collection))).toEqual([]);
    expect(declarations.length).toBeGreaterThan(30);
  });
});

describe.each(declarations)('what the port admits of %s', (name, declaration) => {
  const collection = `${name}_${declarations.findIndex(([, each]) => each === declaration)}`;
  const fake = createFakeStore({ clock: createManualClock(), ids: createSequentialIds() }).collection(declaration);
  const queries = asking(declaration);

  beforeAll(async () => {
    for (const { key, unique = false, only, name: index } of declaration.indexes)
      await database.raw.collection(collection).createIndex(key, {
        name: index,
        unique,
        ...(only && { partialFilterExpression: only }),
      });
    await database.raw.collection(collection).insertOne({ _id: 'one' as never });
  });

  it('is listed through an index, and every index serves some list', async () => {
    const serving = new Set<string>();
    const wrong: string[] = [];
    for (const { by, filter, sort } of queries) {
      if (!(await admits(() => fake.find(filter, { sort, limit: 10 })))) continue;
      serving.add(by);
      const plan = await planOf(collection, filter, sort);
      const asked = JSON.stringify({ filter, sort });
      if (plan.includes('COLLSCAN') && Object.keys(filter).length > 0) wrong.push(asked);
    }
    expect(wrong).toEqual([]);
    expect(declaration.indexes.filter(({ name: index }) => !serving.has(index))).toEqual([]);
  });

  it('is counted through an index', async () => {
    const wrong: string[] = [];
    for (const { filter } of queries) {
      if (Object.keys(filter).length === 0 || !(await admits(() => fake.count(filter)))) continue;
      if ((await planOf(collection, filter)).includes('COLLSCAN')) wrong.push(JSON.stringify(filter));
    }
    expect(wrong).toEqual([]);
  });
});
