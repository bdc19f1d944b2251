/** People's requests about consumers as one list: pages neither repeat nor skip, and each row shows its outcome. */
import { actionsPageSchema, lifecycleRequests, type AskedAction } from '@platform/contracts-lifecycle-delivery';
import type { RunningDelivery } from './delivery';
import { createFakeWorld, requestedAt, type FakeWorld } from './testing/fake-world';
import { takeUpActions } from './workflows/consumer-worker';

describe('the actions on consumers', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
    world.clock.advance(1_000);
    for (const name of ['storage', 'search-index'])
      await world.register(name, ['suspended'], name, { answersTests: true });
    await act('storage', 'pause', 'a');
    await act('search-index', 'pause', 'a');
    world.clock.advance(1_000);
    await act('storage', 'resume', 'b', 'ben@example.com');
    await act('storage', 'test', 'c');
    world.clock.advance(1_000);
    await act('storage', 'replay', 'd', undefined, { since: requestedAt });
  });
  afterEach(() => running.close());

  const act = (consumer: string, action: string, requestId: string, by = 'ann@example.com', over: object = {}) =>
    world.operator.request(
      lifecycleRequests.act,
      { consumer, action, requestId, by, reason: 'a look', ...over },
      1_000,
    );
  const list = async (query: Record<string, unknown> = {}): Promise<AskedAction[]> =>
    actionsPageSchema.parse(await world.sendRequest(lifecycleRequests.actions, { limit: 100, ...query })).actions;
  const ids = (rows: readonly AskedAction[]) => rows.map(({ id }) => id);
  const newestFirst = ['storage/d', 'storage/c', 'storage/b', 'storage/a', 'search-index/a'];

  it('are in the order of time, those of one instant by their ids', async () => {
    expect(ids(await list())).toEqual(newestFirst);
    expect(ids(await list({ order: 'oldest' }))).toEqual(newestFirst.toReversed());
  });

  it.each(['newest', 'oldest'])('come in pages that neither repeat nor skip, %s first', async (order) => {
    const seen: AskedAction[] = [];
    for (let page = 0; page < 5; page += 1) {
      const last = seen.at(-1);
      seen.push(...(await list({ order, limit: 1, ...(last && { after: { at: last.at, id: last.id } }) })));
    }
    expect(ids(seen)).toEqual(order === 'newest' ? newestFirst : newestFirst.toReversed());
  });

  it('are found by person and by time', async () => {
    expect(ids(await list({ by: 'ben@example.com' }))).toEqual(['storage/b']);
    const [, test] = await list();
    expect(ids(await list({ from: test!.at }))).toEqual(['storage/d', 'storage/c', 'storage/b']);
    expect(ids(await list({ from: test!.at.replace('.000Z', 'Z') }))).toHaveLength(3);
    expect(ids(await list({ to: test!.at }))).toEqual(['storage/a', 'search-index/a']);
  });

  it('say what became of each', async () => {
    const statuses = async () => Object.fromEntries((await list()).map(({ id, status }) => [id, status]));
    expect(await statuses()).toMatchObject({ 'storage/d': 'running', 'storage/c': 'pending', 'storage/b': 'recorded' });
    await world.consumeAll('storage', []);
    await world.consumers.publish({
      ...{ subject: 'tenant.receipt.storage', id: 'answer', type: 'tenant.test_receipt.v1' },
      body: { testId: 'c', receiptId: 'r', effectiveAt: requestedAt },
    });
    await world.broker.settle();
    await takeUpActions(running.ports);
    expect(await statuses()).toMatchObject({ 'storage/d': 'completed', 'storage/c': 'succeeded' });
  });
});
