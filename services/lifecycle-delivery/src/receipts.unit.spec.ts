/** Receipts and failures that consumers report: which one counts, and where the others go. */
import { LIFECYCLE_REQUESTS } from '@platform/contracts-lifecycle-delivery';
import type { RunningDelivery } from './delivery';
import { createFakeWorld, type FakeWorld } from './testing/fake-world';

describe('a receipt', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
  });
  afterEach(() => running.close());

  const statusOf = async (operationId: string) =>
    (await world.ask(LIFECYCLE_REQUESTS.operation, { operationId })).deliveries.map(
      ({ consumer, status }) => `${String(consumer)} ${String(status)}`,
    );

  const deadLetters = () => world.sent('dead_letter').map(({ headers }) => headers['dead-letter-reason']);
  beforeEach(async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
  });

  it('of an unknown operation, a foreign consumer or another tenant goes to the dead letters with the reason', async () => {
    await world.receipt('storage', 'operation-9');
    await world.receipt('search-index', 'operation-1');
    await world.receipt('storage', 'operation-1', { tenantId: 'globex' }, 'r-tenant');
    await world.receipt('storage', 'operation-1', { receiptId: '' }, 'r-malformed');
    await world.consumers.publish({
      subject: 'tenant.receipt.storage',
      id: 'r-type',
      type: 'tenant.receipt.v9',
      body: {},
    });
    world.broker.publishRaw('tenant.receipt.storage', Buffer.from('not json'));
    world.broker.publishRaw('tenant.receipt.X', Buffer.from('{}'), { 'ce-type': 'tenant.receipt.v1' });
    await world.broker.settle();
    expect(deadLetters()).toHaveLength(7);
    for (const reason of [
      'no delivery of this operation',
      'globex',
      'receiptId: Too small',
      'tenant.receipt.v9',
      'not JSON',
      'names no consumer',
    ]) {
      expect(deadLetters().join('\n')).toContain(reason);
    }
    expect(await statusOf('operation-1')).toEqual(['storage pending']);
  });

  it('that competes with an earlier one is accepted silently, the first one stays, and a late failure changes nothing', async () => {
    await world.receipt('storage', 'operation-1', {}, 'first');
    await world.broker.settle();
    await world.receipt('storage', 'operation-1', {}, 'second');
    await world.failure('storage', 'operation-1', 'too late', 'f-late');
    await world.broker.settle();
    const { deliveries } = await world.ask(LIFECYCLE_REQUESTS.operation, { operationId: 'operation-1' });
    expect(deliveries).toMatchObject([{ status: 'succeeded', failureCount: 0, receipt: { receiptId: 'first' } }]);
    expect(deadLetters()).toEqual([]);
    expect(world.broker.published.filter(({ subject }) => subject.startsWith('lifecycle.settled'))).toHaveLength(1);
  });

  it('after failures ends what was visibly failed and due', async () => {
    await world.failure('storage', 'operation-1', 'Error: disk full', 'f-1');
    await world.broker.settle();
    world.broker.redeliverAll();
    await world.broker.settle();
    expect((await world.ask(LIFECYCLE_REQUESTS.deliveries, { status: 'failed' })).deliveries).toMatchObject([
      { lastError: 'Error: disk full', failureCount: 1, waitingFor: 'retry' },
    ]);
    await world.receipt('storage', 'operation-1');
    await world.broker.settle();
    expect(await statusOf('operation-1')).toEqual(['storage succeeded']);
    expect(world.sent('lifecycle.settled')).toHaveLength(1);
  });
});
