/** What the work queue caches: its counters and the weights of its rows. */
import { workItemOf } from '../domain/work-item';
import { createCounters } from './count-work';
import { createKnownWeights } from './known-weights';
import { createQueueWorld, workFacts } from '../testing/work-queue-world';

describe('the counters', () => {
  it('are exact by kind and state', async () => {
    const { items, clock } = createQueueWorld();
    for (let at = 0; at < 7; at += 1)
      await items.insert(workItemOf(workFacts(`op-${at}`, { state: at < 3 ? 'stopped' : 'waiting' }), clock.now()));
    await items.insert(workItemOf(workFacts('evt_1', { kind: 'webhook_event', state: 'running' }), clock.now()));
    expect(await createCounters(items, createKnownWeights(items, clock), clock).read()).toMatchObject({
      total: 8,
      counts: [
        { kind: 'operation', state: 'stopped', count: 3 },
        { kind: 'operation', state: 'waiting', count: 4 },
        { kind: 'webhook_event', state: 'running', count: 1 },
      ],
    });
  });

  it('are kept until something changes, and are counted again then', async () => {
    const { items, clock } = createQueueWorld();
    const counters = createCounters(items, createKnownWeights(items, clock), clock);
    await items.insert(workItemOf(workFacts('a'), clock.now()));
    expect((await counters.read()).total).toBe(1);
    await items.insert(workItemOf(workFacts('b'), clock.now()));
    counters.forget();
    clock.advance(60_000);
    expect((await counters.read()).total).toBe(2);
  });
});

describe('the known weights', () => {
  it('are asked for once by many pages, and again when something has changed', async () => {
    const { items, clock } = createQueueWorld();
    let calls = 0;
    const counted = { find: (...given: Parameters<typeof items.find>) => ((calls += 1), items.find(...given)) };
    const known = createKnownWeights(counted, clock);
    for (const [at, amountCents] of [100, 200, 300].entries())
      await items.insert(workItemOf(workFacts(`w-${at}`, { money: { amountCents, currency: 'usd' } }), clock.now()));
    expect(await Promise.all([known.batch({}, 0), known.batch({}, 0)])).toEqual([
      [300, 200, 100],
      [300, 200, 100],
    ]);
    expect(calls).toBe(4);
    await items.insert(workItemOf(workFacts('w-3', { money: { amountCents: 400, currency: 'usd' } }), clock.now()));
    known.forget();
    expect(await known.batch({}, 0)).toEqual([400, 300, 200, 100]);
  });
});
