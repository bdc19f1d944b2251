/** Receipts and failures that consumers report: which one counts, and what happens to the others. */
import { lifecycleRequests, settledMessageSchema } from '@platform/contracts-lifecycle-delivery';
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
    (await world.sendRequest(lifecycleRequests.operation, { operationId })).deliveries.map(
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
    expect(await statusOf('operation-1')).toEqual(['storage failed']);
  });

  it('with another offset than that of UTC is recorded as its instant', async () => {
    await world.receipt('storage', 'operation-1', { effectiveAt: '2026-01-01T02:00:00+02:00' }, 'r-offset');
    await world.broker.settle();
    const [delivery] = (await world.sendRequest(lifecycleRequests.operation, { operationId: 'operation-1' }))
      .deliveries;
    expect(delivery).toMatchObject({ receipt: { effectiveAt: '2026-01-01T00:00:00.000Z' } });
  });

  it.each(['9999-12-31T23:59:59-14:00', '0000-01-01T00:00:00+14:00'])(
    'effective at %s, which no reader of the settlement could read, is refused and holds up no right one',
    async (effectiveAt) => {
      await world.receipt('storage', 'operation-1', { effectiveAt }, 'r-beyond');
      await world.broker.settle();
      expect(await statusOf('operation-1')).toEqual(['storage failed']);
      await world.receipt('storage', 'operation-1', {}, 'r-right');
      await world.broker.settle();
      const [settled] = world.sent('lifecycle.settled.');
      expect(settledMessageSchema.safeParse(settled?.body)).toMatchObject({ success: true });
    },
  );

  describe('that is refused', () => {
    const delivery = async () =>
      (await world.sendRequest(lifecycleRequests.operation, { operationId: 'operation-1' })).deliveries[0]!;
    const registration = async () => {
      const request = { name: 'storage', transitions: ['suspended'], registeredBy: 'storage-1', renew: true };
      const answer = await world.consumers.request(lifecycleRequests.register('storage'), request, 1_000);
      if (!answer.ok) throw new Error(answer.error.message);
      return answer.value as { refusedReceipts?: { count: number; last: Record<string, unknown> } };
    };

    it.each([
      ['names another tenant', { tenantId: 'globex' }, "tenantId globex is not the delivery's acme"],
      ['is malformed', { effectiveAt: 'yesterday' }, '/effectiveAt: Invalid ISO datetime'],
    ])(
      'because it %s is the last error of its delivery, which stays due, and is sent to its consumer',
      async (_what, over, reason) => {
        const before = await delivery();
        await world.receipt('storage', 'operation-1', over, 'r-wrong');
        await world.broker.settle();
        expect(await delivery()).toMatchObject({
          status: 'failed',
          lastError: `receipt refused: ${reason}`,
          failureCount: 1,
          nextAttemptAt: before['nextAttemptAt'],
        });
        expect(await registration()).toMatchObject({
          refusedReceipts: { count: 1, last: { reason, operationId: 'operation-1' } },
        });
        expect((await world.sendRequest(lifecycleRequests.consumers)).consumers).toMatchObject([
          { name: 'storage', refusedReceipts: { count: 1 } },
        ]);
        expect(world.logged).toContain('a report of a lifecycle consumer is refused');
      },
    );

    it('because it is not JSON reaches its consumer with the next registration', async () => {
      world.broker.publishRaw('tenant.receipt.storage', Buffer.from('{"operationId":'));
      await world.broker.settle();
      const reason = 'The body is not JSON in UTF-8';
      expect(await registration()).toMatchObject({ refusedReceipts: { count: 1, last: { reason } } });
      expect(deadLetters()).toEqual([reason]);
    });

    it('is counted once however often its message comes, and a right one ends the delivery', async () => {
      await world.receipt('storage', 'operation-1', { tenantId: 'globex' }, 'r-wrong');
      await world.broker.settle();
      world.broker.redeliverAll();
      await world.broker.settle();
      expect(await registration()).toMatchObject({ refusedReceipts: { count: 1 } });
      await world.receipt('storage', 'operation-1', {}, 'r-right');
      await world.broker.settle();
      expect(await statusOf('operation-1')).toEqual(['storage succeeded']);
    });

    it('for an operation that is not known is answered all the same', async () => {
      await world.receipt('storage', 'operation-9');
      await world.broker.settle();
      expect(await registration()).toMatchObject({
        refusedReceipts: {
          count: 1,
          last: { operationId: 'operation-9', reason: expect.stringContaining('no delivery') },
        },
      });
    });

    it('never changes a delivery that has its receipt', async () => {
      await world.receipt('storage', 'operation-1');
      await world.broker.settle();
      await world.receipt('storage', 'operation-1', { tenantId: 'globex' }, 'r-wrong');
      await world.broker.settle();
      expect(await statusOf('operation-1')).toEqual(['storage succeeded']);
    });

    it('waits for the store, and nothing is put aside while it is unreachable', async () => {
      world.store.setAvailable(false);
      await world.receipt('storage', 'operation-1', { effectiveAt: 'yesterday' }, 'r-wrong');
      await world.broker.settle();
      expect(deadLetters()).toEqual([]);
      world.store.setAvailable(true);
    });
  });

  it('that competes with an earlier one is accepted silently, the first one stays, and a late failure changes nothing', async () => {
    await world.receipt('storage', 'operation-1', {}, 'first');
    await world.broker.settle();
    await world.receipt('storage', 'operation-1', {}, 'second');
    await world.failure('storage', 'operation-1', 'too late', 'f-late');
    await world.broker.settle();
    const { deliveries } = await world.sendRequest(lifecycleRequests.operation, { operationId: 'operation-1' });
    expect(deliveries).toMatchObject([{ status: 'succeeded', failureCount: 0, receipt: { receiptId: 'first' } }]);
    expect(deadLetters()).toEqual([]);
    expect(world.broker.published.filter(({ subject }) => subject.startsWith('lifecycle.settled'))).toHaveLength(1);
  });

  it('after failures ends what was visibly failed and due', async () => {
    await world.failure('storage', 'operation-1', 'Error: disk full', 'f-1');
    await world.broker.settle();
    world.broker.redeliverAll();
    await world.broker.settle();
    expect((await world.sendRequest(lifecycleRequests.deliveries, { status: 'failed' })).deliveries).toMatchObject([
      { lastError: 'Error: disk full', failureCount: 1, waitingFor: 'retry' },
    ]);
    await world.receipt('storage', 'operation-1');
    await world.broker.settle();
    expect(await statusOf('operation-1')).toEqual(['storage succeeded']);
    expect(world.sent('lifecycle.settled')).toHaveLength(1);
  });
});
