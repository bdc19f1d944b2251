import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import fc from 'fast-check';
import {
  connectStore,
  type Condition,
  type Draft,
  type Filter,
  type FindOptions,
  type RevisionedCollection,
  type Scalar,
  type Store,
} from '../index';
import { announcement, jobsCollection, waiting, type Job } from '../features/sample';
import { createFakeStore } from '../testing';
import { openTestDatabase, type TestDatabase } from '../test-database';

/** One call on a collection; `stale` mutations name a revision that was read earlier. */
type Call =
  | {
      readonly call: 'insert';
      readonly id: string;
      readonly reference?: string;
      readonly rank: number | null;
      readonly tags: readonly string[];
      readonly steps: readonly { readonly name?: string }[] | null;
      readonly messages: number;
    }
  | {
      readonly call: 'mutate';
      readonly id: string;
      readonly reference?: string;
      readonly rank: number | null;
      readonly stale: boolean;
      readonly messages: number;
    }
  | { readonly call: 'confirm'; readonly id: string; readonly message: string }
  | {
      readonly call: 'find';
      readonly filter: Filter;
      readonly sort: NonNullable<FindOptions['sort']>;
      readonly limit: number;
      readonly after?: readonly Scalar[];
    }
  | { readonly call: 'pending'; readonly limit: number; readonly after?: string };

const id = fc.constantFrom('a', 'b', 'c', 'ä', 'B');
const rank = fc.option(fc.integer({ min: 0, max: 3 }), { nil: null });
const reference = fc.option(fc.constantFrom('R1', 'R2'), { nil: undefined });
const steps = fc.option(
  fc.array(fc.record({ name: fc.constantFrom('x', 'y') }, { requiredKeys: [] }), { maxLength: 3 }),
  { nil: null },
);
const messages = fc.integer({ min: 0, max: 2 });
const bound = fc.oneof(rank, fc.constantFrom<Scalar>('x', true, new Date(0)));
const condition: fc.Arbitrary<Condition> = fc.oneof(
  bound,
  fc.record({ $in: fc.array(bound, { maxLength: 3 }) }),
  fc.record({ $gt: bound, $lte: bound, $ne: bound }, { requiredKeys: ['$ne'] }),
  fc.record({ $gte: bound }),
  fc.record({ $exists: fc.boolean() }),
);
const filter: fc.Arbitrary<Filter> = fc.record(
  {
    tenantId: fc.constant('tenant'),
    rank: condition,
    reference: condition,
    tags: condition,
    'executor.steps.name': condition,
    'executor.instance': condition,
  },
  { requiredKeys: ['tenantId'] },
);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const rising = fc.record({
  call: fc.constant('find' as const),
  filter,
  sort: fc.constant({ rank: 1, _id: 1 } as const),
  limit: fc.integer({ min: 1, max: 5 }),
  after: optional(fc.tuple(rank, id)),
});
const falling = fc.record({
  call: fc.constant('find' as const),
  filter,
  sort: fc.constant({ rank: -1, createdAt: 1, _id: -1 } as const),
  limit: fc.integer({ min: 1, max: 5 }),
  after: optional(fc.tuple(rank, fc.constant(new Date('2026-01-01T00:00:00.005Z')), id)),
});
const call = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      call: fc.constant('insert' as const),
      id,
      reference,
      rank,
      tags: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
      steps,
      messages,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ call: fc.constant('mutate' as const), id, reference, rank, stale: fc.boolean(), messages }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      call: fc.constant('confirm' as const),
      id,
      message: fc.constantFrom('a-0', 'b-0', 'c-1', 'ä-0', 'B-1'),
    }),
  },
  { weight: 3, arbitrary: rising },
  { weight: 2, arbitrary: falling },
  {
    weight: 1,
    arbitrary: fc.record({
      call: fc.constant('pending' as const),
      limit: fc.integer({ min: 1, max: 3 }),
      after: optional(id),
    }),
  },
) as fc.Arbitrary<Call>;

function draftOf({
  id: _id,
  rank: wanted,
  tags,
  reference: key,
  steps,
}: Extract<Call, { call: 'insert' }>): Draft<Job> {
  const { dueAt, status, ...shared } = waiting(_id, { rank: wanted, tags, ...(key ? { reference: key } : {}) });
  if (!steps) return { ...shared, status, dueAt };
  return { ...shared, status: 'running', executor: { instance: 'one', steps: steps as { name: string; at: Date }[] } };
}

/** Makes the calls one by one and lists every answer, including errors. */
async function answersOf(
  collection: RevisionedCollection<Job>,
  clock: { advance(milliseconds: number): void },
  calls: readonly Call[],
): Promise<unknown[]> {
  const read = new Map<string, Job>();
  const announce = (of: string, count: number) => Array.from({ length: count }, (_, at) => announcement(`${of}-${at}`));
  const carryOut = async (one: Call): Promise<unknown> => {
    switch (one.call) {
      case 'insert':
        return collection.insert(draftOf(one), announce(one.id, one.messages));
      case 'mutate': {
        const current = one.stale && read.has(one.id) ? read.get(one.id)! : await collection.findById(one.id);
        if (!current) return null;
        read.set(one.id, current);
        return collection.mutate(
          current,
          waiting(one.id, { rank: one.rank, ...(one.reference ? { reference: one.reference } : {}) }),
          announce(one.id, one.messages),
        );
      }
      case 'confirm':
        return collection.outbox.confirm(one.id, one.message);
      case 'find':
        return [
          await collection.find(one.filter, {
            sort: one.sort,
            limit: one.limit,
            ...(one.after ? { after: one.after } : {}),
          }),
          await collection.count(one.filter),
        ];
      case 'pending':
        return [await collection.outbox.pending(one.limit, one.after), await collection.outbox.backlog()];
    }
  };
  const answers: unknown[] = [];
  for (const one of calls) {
    clock.advance(1);
    answers.push(await carryOut(one).catch((error: unknown) => String(error)));
  }
  return answers;
}

let database: TestDatabase;
let store: Store;
let real: RevisionedCollection<Job>;
let sequence = createSequentialIds();
const clock = createManualClock();

beforeAll(async () => {
  database = await openTestDatabase('same_answers');
  store = await connectStore({
    url: database.url,
    database: database.name,
    clock,
    ids: { next: () => sequence.next() },
    log: silentLog,
    appName: 'test',
    startPatienceMs: 120_000,
  });
  real = store.collection(jobsCollection);
  await store.ensureIndexes();
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

describe('the store in memory and the one on the driver', () => {
  it('give the same answers to any sequence of calls', async () => {
    const start = clock.now();
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 25 }), async (calls) => {
        await database.raw.collection('jobs').deleteMany({});
        clock.set(start);
        const expected = await answersOf(
          createFakeStore({ clock, ids: createSequentialIds() }).collection(jobsCollection),
          clock,
          calls,
        );
        clock.set(start);
        sequence = createSequentialIds();
        expect(await answersOf(real, clock, calls)).toEqual(expected);
      }),
      { numRuns: 80 },
    );
  });
});
