/** The work queue on a store in memory: its order page by page, its rows against their owners, its notices. */
import fc from 'fast-check';
import type { WorkChange } from '@platform/contracts-operator';
import { createSequentialIds, silentLog } from '@platform/kernel';
import { createFakeStore } from '@platform/mongo/testing';
import { createTickingClock } from '@platform/testing';
import { compareRanked, type QueuePosition } from '../../domain/work/rank';
import { weightOf, workItemOf, type WorkItemFacts } from '../../domain/work/work-item';
import { workItemsCollection } from '../../store/work-items';
import { createCounters } from './count-work';
import { createQueueKeeper } from './keep-queue';
import { createKnownWeights } from './known-weights';
import { listWork } from './list-work';
import { decodeQueueCursor } from './queue-cursor';
import type { OwnerPage, Unavailable, WorkOwner } from './ports';
import { refreshItem } from './refresh-item';
import { walkOwner } from './walk-owner';

const start = Date.parse('2026-01-01T00:00:00.000Z');

function facts(itemId: string, change: Partial<WorkItemFacts> = {}): WorkItemFacts {
  return {
    kind: 'operation',
    itemId,
    tenantId: 'acme',
    state: 'stopped',
    status: 'reconciliation_required',
    title: 'credit_customer',
    money: { amountCents: 500, currency: 'usd' },
    since: new Date(start),
    ids: [itemId, 'acme'],
    ...change,
  };
}

/** An owner whose records are a map; `asked` counts single reads. */
function fakeOwner(records: Map<string, WorkItemFacts>, pageSize = 3) {
  const owner: WorkOwner & { asked: number; away: boolean } = {
    kind: 'operation',
    asked: 0,
    away: false,
    segments: [
      {
        page: async (cursor): Promise<OwnerPage | Unavailable> => {
          if (owner.away) return { unavailable: 'away' };
          const all = [...records.values()].sort(
            (a, b) => a.since.getTime() - b.since.getTime() || (a.itemId < b.itemId ? -1 : 1),
          );
          const from = Number(cursor ?? 0);
          return {
            facts: all.slice(from, from + pageSize),
            ...(all.length > from + pageSize && { nextCursor: String(from + pageSize) }),
          };
        },
      },
    ],
    read: async (itemId) => {
      owner.asked += 1;
      return owner.away ? { unavailable: 'away' } : (records.get(itemId) ?? null);
    },
  };
  return owner;
}

function createWorld(records = new Map<string, WorkItemFacts>(), pageSize?: number) {
  const clock = createTickingClock();
  const store = createFakeStore({ clock, ids: createSequentialIds(1) });
  const items = store.collection(workItemsCollection);
  const changes: WorkChange[] = [];
  const owner = fakeOwner(records, pageSize);
  return {
    items,
    clock,
    records,
    owner,
    changes,
    ports: {
      items,
      owners: [owner],
      clock,
      log: silentLog,
      announce: (change: WorkChange) => void changes.push(change),
    },
  };
}

const amounts = fc.constantFrom(null, 0, 1, 499, 500, 1_900, 4_900, 9_900, 123_456);
const record = fc.record({ itemId: fc.uuid(), amount: amounts, ageMs: fc.integer({ min: 0, max: 60 }) });

describe('the list', () => {
  it('is, page after page, everything in the order of money at risk × age, once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(record, { maxLength: 60, selector: ({ itemId }) => itemId }),
        fc.integer({ min: 1, max: 20 }),
        async (all, limit) => {
          const { items, clock } = createWorld();
          const now = new Date(start + 60);
          for (const { itemId, amount, ageMs } of all)
            await items.insert(
              workItemOf(
                facts(itemId, {
                  money: amount === null ? null : { amountCents: amount, currency: 'usd' },
                  since: new Date(now.getTime() - ageMs),
                }),
                now,
              ),
            );
          const rows = items.all();
          const seen: string[] = [];
          let position: QueuePosition | null = null;
          do {
            const page = await listWork(items, createKnownWeights(items, clock), {}, position, limit, now);
            seen.push(...page.items.map(({ _id }) => _id));
            position = page.nextCursor === undefined ? null : decodeQueueCursor(page.nextCursor);
          } while (position);
          expect(seen).toEqual([...rows].sort((a, b) => compareRanked(a, b, now)).map(({ _id }) => _id));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('takes filters together', async () => {
    const { items, clock } = createWorld();
    for (const [itemId, change] of [
      ['a', {}],
      ['b', { state: 'waiting' }],
      ['c', { tenantId: 'globex' }],
      ['d', { kind: 'delivery', state: 'waiting' }],
    ] as const)
      await items.insert(workItemOf(facts(itemId, change), clock.now()));
    const ids = async (filter: Parameters<typeof listWork>[2]) =>
      (await listWork(items, createKnownWeights(items, clock), filter, null, 10, clock.now())).items
        .map(({ itemId }) => itemId)
        .sort();
    expect(await ids({ state: 'waiting' })).toEqual(['b', 'd']);
    expect(await ids({ state: 'waiting', kind: 'delivery' })).toEqual(['d']);
    expect(await ids({ tenantId: 'globex' })).toEqual(['c']);
  });

  it('keeps its instant: what comes meanwhile neither moves nor repeats a row', async () => {
    const { items, clock } = createWorld();
    const now = new Date(start + 1_000);
    for (let at = 0; at < 6; at += 1)
      await items.insert(workItemOf(facts(`old-${at}`, { since: new Date(start + at) }), now));
    const first = await listWork(items, createKnownWeights(items, clock), {}, null, 3, now);
    await items.insert(
      workItemOf(
        facts('later', { money: { amountCents: 900_000, currency: 'usd' }, since: new Date(start + 999) }),
        now,
      ),
    );
    const second = await listWork(
      items,
      createKnownWeights(items, clock),
      {},
      decodeQueueCursor(first.nextCursor!),
      3,
      new Date(start + 5_000),
    );
    expect(second.asOf).toEqual(now);
    expect([...first.items, ...second.items].map(({ itemId }) => itemId)).toEqual([
      'old-0',
      'old-1',
      'old-2',
      'old-3',
      'old-4',
      'old-5',
    ]);
  });
});

describe('the weight of money', () => {
  it('is at face value, whatever the minor unit, to two digits', () => {
    expect([
      weightOf({ amountCents: 4_950, currency: 'usd' }),
      weightOf({ amountCents: 50, currency: 'jpy' }),
      weightOf({ amountCents: 49_500, currency: 'kwd' }),
    ]).toEqual([5_000, 5_000, 5_000]);
    expect([
      weightOf(null),
      weightOf({ amountCents: 0, currency: 'usd' }),
      weightOf({ amountCents: -500, currency: 'usd' }),
    ]).toEqual([0, 0, 500]);
  });
});

describe('a walk', () => {
  it('leaves exactly what the owner has, whatever stood before, and asks for single records only where they differ', async () => {
    const owned = fc.uniqueArray(
      fc.record({
        itemId: fc.constantFrom(...'abcdefghijkl'),
        since: fc.integer({ min: 0, max: 4 }),
        status: fc.constantFrom('running', 'reconciliation_required'),
      }),
      { selector: ({ itemId }) => itemId },
    );
    await fc.assert(
      fc.asyncProperty(owned, owned, async (before, now) => {
        const toMap = (all: typeof before) =>
          new Map(
            all.map(({ itemId, since, status }) => [itemId, facts(itemId, { since: new Date(start + since), status })]),
          );
        const world = createWorld(toMap(now));
        for (const each of toMap(before).values()) await world.items.insert(workItemOf(each, world.clock.now()));
        await walkOwner(world.ports, world.owner);
        expect(
          world.items
            .all()
            .map(({ itemId, status, since }) => ({ itemId, status, since: since.getTime() - start }))
            .sort((a, b) => (a.itemId < b.itemId ? -1 : 1)),
        ).toEqual([...now].sort((a, b) => (a.itemId < b.itemId ? -1 : 1)));
        world.owner.asked = 0;
        expect(await walkOwner(world.ports, world.owner)).toEqual({ seen: now.length, mended: 0 });
        expect(world.owner.asked).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('that cannot read its owner removes nothing and says so', async () => {
    const world = createWorld(new Map([['a', facts('a')]]));
    const keeper = createQueueKeeper(world.ports, 0);
    expect(keeper.sources()).toMatchObject([{ state: 'reading' }]);
    await keeper.turn(() => false);
    expect(keeper.sources()).toMatchObject([{ state: 'current', walkedAt: expect.any(String) }]);
    world.owner.away = true;
    world.clock.advance(60_000);
    await keeper.turn(() => false);
    expect(keeper.sources()).toMatchObject([{ state: 'unavailable', problem: 'away' }]);
    expect(world.items.all()).toHaveLength(1);
  });
});

describe('a look at one item', () => {
  it('brings, changes and removes its row, and tells of each', async () => {
    const world = createWorld();
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('absent');
    world.records.set('a', facts('a'));
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('changed');
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('unchanged');
    world.records.set('a', facts('a', { state: 'waiting', status: 'awaiting_receipts' }));
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('changed');
    world.records.delete('a');
    expect(await refreshItem(world.ports, 'operation', 'a')).toBe('removed');
    expect(world.changes.map(({ state }) => state)).toEqual(['stopped', 'waiting', null]);
    expect(await refreshItem(world.ports, 'delivery', 'a')).toMatchObject({ unavailable: expect.any(String) });
  });

  it('by two at once ends as the owner says, also when one of them has read earlier', async () => {
    const world = createWorld();
    world.records.set('a', facts('a'));
    const slow = refreshItem(world.ports, 'operation', 'a');
    world.records.set('a', facts('a', { status: 'running', state: 'running' }));
    await Promise.all([slow, refreshItem(world.ports, 'operation', 'a')]);
    await refreshItem(world.ports, 'operation', 'a');
    expect(world.items.all()).toMatchObject([{ status: 'running' }]);
  });
});

describe('the counters', () => {
  it('are exact by kind and state', async () => {
    const { items, clock } = createWorld();
    for (let at = 0; at < 7; at += 1)
      await items.insert(workItemOf(facts(`op-${at}`, { state: at < 3 ? 'stopped' : 'waiting' }), clock.now()));
    await items.insert(workItemOf(facts('evt_1', { kind: 'webhook_event', state: 'running' }), clock.now()));
    expect(await createCounters(items, createKnownWeights(items, clock), clock).read()).toMatchObject({
      total: 8,
      counts: [
        { kind: 'operation', state: 'stopped', count: 3 },
        { kind: 'operation', state: 'waiting', count: 4 },
        { kind: 'webhook_event', state: 'running', count: 1 },
      ],
    });
  });

  it('stand until something changes, and are counted anew then', async () => {
    const { items, clock } = createWorld();
    const counters = createCounters(items, createKnownWeights(items, clock), clock);
    await items.insert(workItemOf(facts('a'), clock.now()));
    expect((await counters.read()).total).toBe(1);
    await items.insert(workItemOf(facts('b'), clock.now()));
    counters.forget();
    clock.advance(60_000);
    expect((await counters.read()).total).toBe(2);
  });
});

describe('the known weights', () => {
  it('are asked for once by many pages, and anew when something has changed', async () => {
    const { items, clock } = createWorld();
    let asked = 0;
    const counted = { find: (...given: Parameters<typeof items.find>) => ((asked += 1), items.find(...given)) };
    const known = createKnownWeights(counted, clock);
    for (const [at, amountCents] of [100, 200, 300].entries())
      await items.insert(workItemOf(facts(`w-${at}`, { money: { amountCents, currency: 'usd' } }), clock.now()));
    expect(await Promise.all([known.batch({}, 0), known.batch({}, 0)])).toEqual([
      [300, 200, 100],
      [300, 200, 100],
    ]);
    expect(asked).toBe(4);
    await items.insert(workItemOf(facts('w-3', { money: { amountCents: 400, currency: 'usd' } }), clock.now()));
    known.forget();
    expect(await known.batch({}, 0)).toEqual([400, 300, 200, 100]);
  });
});
