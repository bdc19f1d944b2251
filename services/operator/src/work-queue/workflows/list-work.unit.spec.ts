/** The order of the work queue, page by page, and the weight of money in it. */
import fc from 'fast-check';
import { compareRanked, type QueuePosition } from '../domain/rank';
import { weightOf, workItemOf } from '../domain/work-item';
import { createKnownWeights } from './known-weights';
import { listWork } from './list-work';
import { decodeQueueCursor } from './queue-cursor';
import { createQueueWorld, queueStart, workFacts } from '../testing/work-queue-world';

const amounts = fc.constantFrom(null, 0, 1, 499, 500, 1_900, 4_900, 9_900, 123_456);
const record = fc.record({ itemId: fc.uuid(), amount: amounts, ageMs: fc.integer({ min: 0, max: 60 }) });

describe('the list', () => {
  it('is, page after page, everything in the order of money at risk × age, once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(record, { maxLength: 60, selector: ({ itemId }) => itemId }),
        fc.integer({ min: 1, max: 20 }),
        async (all, limit) => {
          const { items, clock } = createQueueWorld();
          const now = new Date(queueStart + 60);
          for (const { itemId, amount, ageMs } of all)
            await items.insert(
              workItemOf(
                workFacts(itemId, {
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
    const { items, clock } = createQueueWorld();
    for (const [itemId, change] of [
      ['a', {}],
      ['b', { state: 'waiting' }],
      ['c', { tenantId: 'globex' }],
      ['d', { kind: 'delivery', state: 'waiting' }],
    ] as const)
      await items.insert(workItemOf(workFacts(itemId, change), clock.now()));
    const ids = async (filter: Parameters<typeof listWork>[2]) =>
      (await listWork(items, createKnownWeights(items, clock), filter, null, 10, clock.now())).items
        .map(({ itemId }) => itemId)
        .sort();
    expect(await ids({ state: 'waiting' })).toEqual(['b', 'd']);
    expect(await ids({ state: 'waiting', kind: 'delivery' })).toEqual(['d']);
    expect(await ids({ tenantId: 'globex' })).toEqual(['c']);
  });

  it('keeps its instant: what comes meanwhile neither moves nor repeats a row', async () => {
    const { items, clock } = createQueueWorld();
    const now = new Date(queueStart + 1_000);
    for (let at = 0; at < 6; at += 1)
      await items.insert(workItemOf(workFacts(`old-${at}`, { since: new Date(queueStart + at) }), now));
    const first = await listWork(items, createKnownWeights(items, clock), {}, null, 3, now);
    await items.insert(
      workItemOf(
        workFacts('later', { money: { amountCents: 900_000, currency: 'usd' }, since: new Date(queueStart + 999) }),
        now,
      ),
    );
    const second = await listWork(
      items,
      createKnownWeights(items, clock),
      {},
      decodeQueueCursor(first.nextCursor!),
      3,
      new Date(queueStart + 5_000),
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
