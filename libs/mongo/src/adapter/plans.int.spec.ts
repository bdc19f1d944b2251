import { createIds, createManualClock, silentLog } from '@platform/kernel';
import type { Document } from 'mongodb';
import { connectStore, type Filter, type FindOptions, type Scalar } from '../index';
import { applied, jobsCollection, waiting, announcement } from '../features/sample';
import { strictlyAfter } from '../record/keyset';
import { listQuery } from '../record/query';
import { announcing } from './outbox';
import { openTestDatabase, type TestDatabase } from '../test-database';

let database: TestDatabase;

/** The stages of the plan that the database chose, from the result inwards, with the index of each scan. */
function stagesOf(plan: Document | undefined): string[] {
  if (!plan) return [];
  const inner: Document[] = [
    plan['inputStage'],
    plan['queryPlan'],
    ...((plan['inputStages'] as Document[] | undefined) ?? []),
  ].filter(Boolean);
  return [
    plan['stage'] === 'IXSCAN' ? `IXSCAN ${plan['indexName']}` : String(plan['stage']),
    ...inner.flatMap(stagesOf),
  ];
}

beforeAll(async () => {
  database = await openTestDatabase('plans');
  const store = await connectStore({
    url: database.url,
    database: database.name,
    clock: createManualClock(),
    ids: createIds(),
    log: silentLog,
    appName: 'test',
    startPatienceMs: 120_000,
  });
  const collection = store.collection(jobsCollection);
  await store.ensureIndexes();
  await Promise.all(
    Array.from({ length: 60 }, async (_, at) =>
      applied(
        await collection.insert(
          waiting(`job ${at}`, { rank: at % 7, tenantId: `tenant ${at % 3}` }),
          at % 20 === 0 ? [announcement(`m${at}`)] : [],
        ),
      ),
    ),
  );
  await store.close();
});
afterAll(() => database.drop());

describe('a list that passes the check of declared indexes', () => {
  it.each<[string, Filter, NonNullable<FindOptions['sort']>, readonly Scalar[]]>([
    ['by_tenant', { tenantId: 'tenant 1' }, { rank: 1, _id: 1 }, [3, 'job 10']],
    ['by_tenant', { tenantId: 'tenant 1', status: 'waiting' }, { rank: 1, _id: 1 }, [null, 'job 10']],
    ['by_tenant_falling', { tenantId: 'tenant 1' }, { rank: -1, createdAt: 1, _id: -1 }, [3, new Date(0), 'job 10']],
    ['due', { status: 'waiting', dueAt: { $lte: new Date() } }, { dueAt: 1, _id: 1 }, [new Date(0), 'job 10']],
    ['reference', { reference: 'R-1' }, { _id: 1 }, ['job 10']],
  ])(
    'is read through the index "%s", without a sort in memory, from the start and from a position',
    async (index, filter, sort, after) => {
      const query = listQuery(jobsCollection, filter, { sort, limit: 10, after });
      const predicates = [query.filter, { $and: [query.filter, ...strictlyAfter(query.sort, after)!] }];
      for (const predicate of predicates) {
        const explained = await database.raw
          .collection('jobs')
          .find(predicate as never)
          .sort(new Map(query.sort))
          .limit(10)
          .explain('queryPlanner');
        const stages = stagesOf(explained['queryPlanner'].winningPlan as Document);
        expect(stages.filter((stage) => stage.startsWith('IXSCAN'))).toContain(`IXSCAN ${index}`);
        expect(stages).not.toContain('COLLSCAN');
        if (index !== 'reference') expect(stages).not.toContain('SORT');
      }
    },
  );
});

describe('a sweep of the outbox', () => {
  it('reads announcing records only, through their index', async () => {
    const explained = await database.raw
      .collection('jobs')
      .find(announcing('') as never)
      .sort({ _id: 1 })
      .limit(10)
      .hint('outbox')
      .explain('executionStats');
    expect(stagesOf(explained['queryPlanner'].winningPlan as Document)).not.toContain('SORT');
    expect(explained['executionStats']).toMatchObject({ nReturned: 3, totalDocsExamined: 3 });
  });
});
