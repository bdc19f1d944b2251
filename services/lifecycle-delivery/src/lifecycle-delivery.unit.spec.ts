/** The service on fakes of store and broker, under the actions of consumers and operators and under crashes. */
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import type { InboundMessage } from '@platform/messaging';
import type { RunningDelivery } from './delivery';
import { createFakeWorld, requestedAt, type FakeWorld } from './testing/fake-world';
import { retryDeliveries } from './workflows/retry-deliveries';

describe('lifecycle delivery', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
  });
  afterEach(() => running.close());

  const statusOf = async (operationId: string) =>
    (await world.sendRequest(lifecycleRequests.operation, { operationId })).deliveries.map(
      ({ consumer, status }) => `${String(consumer)} ${String(status)}`,
    );

  it('delivers to every consumer of the transition and settles when the last receipt is durable', async () => {
    await world.register('storage', ['created', 'suspended', 'reactivation_requested']);
    await world.register('search-index', ['suspended']);
    await world.register('billing', ['created']);
    await world.announce('operation-1');
    await world.broker.settle();
    expect(
      world
        .sent('tenant.lifecycle')
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual(['tenant.lifecycle.suspended.search-index', 'tenant.lifecycle.suspended.storage']);
    await world.receipt('storage', 'operation-1');
    await world.broker.settle();
    expect(world.sent('lifecycle.settled')).toEqual([]);
    await world.receipt('search-index', 'operation-1');
    await world.broker.settle();
    expect(world.sent('lifecycle.settled')).toMatchObject([
      {
        subject: 'lifecycle.settled.suspended',
        id: 'settled:operation-1',
        body: { tenantId: 'acme', receipts: [{ consumer: 'search-index' }, { consumer: 'storage' }] },
      },
    ]);
  });

  it('carries the trace context of the message on to its deliveries, and drops one that is malformed', async () => {
    await world.register('storage');
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const body = (operationId: string) => ({ tenantId: 'acme', operationId, transition: 'suspended', requestedAt });
    await world.operator.publish({
      subject: 'lifecycle.message.suspended',
      id: 'm-1',
      type: 'lifecycle.message.suspended.v1',
      body: body('operation-1'),
      traceparent,
    });
    await world.operator.publish({
      subject: 'lifecycle.message.suspended',
      id: 'm-2',
      type: 'lifecycle.message.suspended.v1',
      body: body('operation-2'),
      traceparent: 'nonsense',
    });
    await world.broker.settle();
    expect(world.sent('tenant.lifecycle').map(({ headers }) => headers['traceparent'])).toEqual([
      traceparent,
      undefined,
    ]);
  });

  it('settles at once when no consumer is required', async () => {
    await world.announce('operation-1');
    await world.broker.settle();
    expect(world.sent('lifecycle.settled')).toMatchObject([{ body: { receipts: [] } }]);
  });

  it('lets exactly one of two receipts at once announce the settlement', async () => {
    await world.register('storage');
    await world.register('search-index');
    await world.announce('operation-1');
    await world.broker.settle();
    await Promise.all([world.receipt('storage', 'operation-1'), world.receipt('search-index', 'operation-1')]);
    await world.broker.settle();
    expect(world.broker.published.filter(({ subject }) => subject.startsWith('lifecycle.settled'))).toHaveLength(1);
  });

  it('does not require a consumer that registers after the message was accepted, nor forgets one that unregisters', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    await world.register('search-index');
    await world.consumers.request(
      lifecycleRequests.unregister('storage'),
      { name: 'storage', registeredBy: 'storage-1' },
      1_000,
    );
    expect(await statusOf('operation-1')).toEqual(['storage pending']);
    const { deliveries } = await world.sendRequest(lifecycleRequests.deliveries);
    expect(deliveries).toMatchObject([{ consumer: 'storage', waitingFor: 'consumer_unregistered' }]);
    const { consumers } = await world.sendRequest(lifecycleRequests.consumers);
    expect(consumers).toMatchObject([
      { name: 'search-index', waitingDeliveries: 0 },
      { name: 'storage', status: 'unregistered', waitingDeliveries: 1 },
    ]);
  });

  it('brings what waited to a consumer that comes back', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    await world.consumers.request(
      lifecycleRequests.unregister('storage'),
      { name: 'storage', registeredBy: 'storage-1' },
      1_000,
    );
    await retryDeliveries(running.ports, world.store, { kind: 'everything' });
    expect(world.sent('tenant.lifecycle')).toHaveLength(1);
    world.broker.wipe();
    world.broker.applyTopology();
    const seen: InboundMessage[] = [];
    await world.register('storage');
    await world.consumeAll('storage', seen);
    await running.close();
    await world.broker.settle();
    running = await world.boot();
    await world.broker.settle();
    expect(seen).toHaveLength(1);
    expect(await statusOf('operation-1')).toEqual(['storage succeeded']);
  });

  it('announces the settlement again when the settled message is announced again', async () => {
    await world.announce('operation-1');
    await world.broker.settle();
    world.clock.advance(121_000);
    await world.announce('operation-1');
    await world.broker.settle();
    const [first, second] = world.sent('lifecycle.settled');
    expect(second).toMatchObject({ id: first!.id, body: first!.body });
  });

  it('publishes an unanswered delivery again under the same id when its message comes again', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    world.broker.redeliverAll();
    await world.broker.settle();
    const ids = world.broker.published
      .filter(({ subject }) => subject.startsWith('tenant.lifecycle'))
      .map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('adds no copy for a consumer that is unreachable, however often its message is announced again', async () => {
    await world.register('storage');
    for (let minute = 0; minute < 30; minute += 3) {
      await world.announce('operation-1');
      await world.broker.settle();
      world.clock.advance(180_000);
    }
    expect(world.sent('tenant.lifecycle')).toHaveLength(1);
  });

  it('replaces a registration by a later one and logs it, and ignores the removal by the former holder', async () => {
    await world.register('storage', ['suspended'], 'storage-1');
    expect(await world.register('storage', ['created', 'suspended'], 'storage-2')).toMatchObject({
      ok: true,
      value: { replaced: true, durable: 'storage' },
    });
    expect(world.logged).toContain('lifecycle consumer registration replaced by a later one');
    expect(
      await world.consumers.request(
        lifecycleRequests.unregister('storage'),
        { name: 'storage', registeredBy: 'storage-1' },
        1_000,
      ),
    ).toMatchObject({ value: { removed: false } });
    expect((await world.sendRequest(lifecycleRequests.consumers)).consumers).toMatchObject([
      { status: 'registered', registeredBy: 'storage-2', transitions: ['created', 'suspended'] },
    ]);
  });

  it.each([
    ['oldest', ['operation-0', 'operation-1', 'operation-2', 'operation-3', 'operation-4']],
    ['newest', ['operation-4', 'operation-3', 'operation-2', 'operation-1', 'operation-0']],
  ])('pages deliveries %s first without repeating or skipping one', async (order, expected) => {
    await world.register('storage');
    for (let number = 0; number < 5; number += 1) {
      await world.announce(`operation-${number}`);
      await world.broker.settle();
      world.clock.advance(1_000);
    }
    const seen: unknown[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await world.sendRequest(lifecycleRequests.deliveries, {
        ...{ consumer: 'storage', limit: 2, order },
        ...(cursor && { cursor }),
      });
      seen.push(...page.deliveries.map(({ operationId }) => operationId));
      cursor = page.nextCursor;
      if (!cursor) break;
    }
    expect(seen).toEqual(expected);
  });
});
