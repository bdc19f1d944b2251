/**
 * A team that reports as fast as it can (SEC-13): what it costs the platform, which receipts wait behind it, and that
 * its own valid receipt is not lost permanently.
 */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { reportBurst, reportsPerSecond } from './domain/report-budget';
import type { RunningDelivery } from './delivery';
import type { InboundMessage } from '@platform/messaging';
import { retryDeliveries } from './workflows/retry-deliveries';
import { createFakeWorld, type FakeWorld } from './testing/fake-world';

describe('a team that floods its receipts', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
    for (const name of ['storage', 'search-index']) await world.register(name);
    await world.announce('operation-1');
    await world.broker.settle();
  });
  afterEach(() => running.close());

  const flood = async (count: number, what: (at: number) => Promise<unknown>): Promise<void> => {
    for (let at = 0; at < count; at += 1) await what(at);
    await world.broker.settle();
  };
  const junk = (at: number) => world.receipt('storage', `no-such-operation-${at}`);
  const statuses = async () =>
    (await world.sendRequest(lifecycleRequests.operation, { operationId: 'operation-1' })).deliveries.map(
      ({ consumer, status }) => `${String(consumer)} ${String(status)}`,
    );
  const letters = () => world.sent('dead_letter').length;

  it.each([
    ['with receipts of nothing', (world: FakeWorld, at: number) => world.receipt('storage', `none-${at}`)],
    [
      'with what is not JSON',
      async (world: FakeWorld, at: number) =>
        world.broker.publishRaw('tenant.receipt.storage', Buffer.from('{'), { 'Nats-Msg-Id': `raw-${at}` }),
    ],
    ['with failures', (world: FakeWorld, at: number) => world.failure('storage', 'operation-1', 'no', `f-${at}`)],
    [
      'with one receipt again and again',
      (world: FakeWorld, at: number) => world.receipt('storage', 'operation-1', { receiptId: 'r' }, `again-${at}`),
    ],
  ])('%s is read no more often than it may, and counted', async (_how, what) => {
    const passed = jest.spyOn(running.ports, 'passedOver');
    const read = jest.spyOn(running.ports.deliveries, 'findById');
    await flood(reportBurst + 500, (at) => what(world, at));
    // Reports that raced for one record go back to the broker and are judged again.
    expect(passed.mock.calls.length).toBeGreaterThanOrEqual(400);
    expect(new Set(passed.mock.calls.map(([consumer]) => consumer))).toEqual(new Set(['storage']));
    expect(read.mock.calls.length).toBeLessThan(5 * reportBurst + 50);
  });

  it('holds up no receipt of another team', async () => {
    await flood(reportBurst + 500, junk);
    // Some reports lost the race for the consumer's record, went back to the broker, and cost a second time.
    expect(letters()).toBeLessThanOrEqual(reportBurst);
    await world.receipt('search-index', 'operation-1');
    await world.broker.settle();
    expect(await statuses()).toContain('search-index succeeded');
  });

  it('is read again when it has stopped, and asked again for what was passed over', async () => {
    await flood(reportBurst + 1, junk);
    const seen: InboundMessage[] = [];
    await world.consumeAll('storage', seen);
    await world.broker.settle();
    expect((await statuses()).find((each) => each.startsWith('storage'))).not.toBe('storage succeeded');
    world.clock.advance(1_000);
    const before = letters();
    await flood(reportsPerSecond + 10, (at) => junk(10_000 + at));
    expect(letters() - before).toBeGreaterThan(0);
    expect(letters() - before).toBeLessThanOrEqual(reportsPerSecond);
    world.clock.advance(5 * 60_000);
    await retryDeliveries(running.ports, world.store, { kind: 'due' });
    await world.broker.settle();
    expect(seen).toHaveLength(2);
    expect(await statuses()).toContain('storage succeeded');
  });

  it('is not what a fast team is: first receipts cost nothing', async () => {
    const passed = jest.spyOn(running.ports, 'passedOver');
    const count = reportBurst + 200;
    for (let at = 0; at < count; at += 1) await world.announce(`many-${at}`, 'suspended', `tenant-${at}`);
    await world.broker.settle();
    await flood(count, (at) => world.receipt('storage', `many-${at}`, { tenantId: `tenant-${at}` }));
    expect(passed).not.toHaveBeenCalled();
    const last = await world.sendRequest(lifecycleRequests.operation, { operationId: `many-${count - 1}` });
    expect(last.deliveries.find(({ consumer }) => consumer === 'storage')?.['status']).toBe('succeeded');
  });
});
