/** Consumers that throw, hang, answer nonsense or crash after their effect, on a real broker. */
import { createLatch, eventually } from '@platform/testing';
import {
  createOperationDeduplicator,
  type TenantLifecycleConsumerReceipt,
} from '@platform/workspace-platform/tenant-lifecycle';
import { openWorld, type OpenWorld } from './testing/open-world';
import { createConsumers, receipt, type Consumers } from './testing/consumers';

describe('a consumer that fails on a real broker', () => {
  let world: OpenWorld;
  let consumers: Consumers;
  const seen = (describe: string, look: () => Promise<unknown>) =>
    eventually(async () => (await look(), true), { describe });
  beforeEach(async () => {
    world = await openWorld('failing');
    consumers = createConsumers(world);
  });
  afterEach(async () => {
    await consumers.close();
    await world.close();
  });

  it('by throwing or by a malformed receipt is shown as failed, and settles when it has recovered', async () => {
    await world.start();
    let calls = 0;
    const answers: (() => unknown)[] = [
      () => {
        throw new Error('disk full');
      },
      () => ({ receiptId: '', effectiveAt: 'yesterday' }),
    ];
    const repaired = createLatch();
    consumers.register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => {
        const answer = answers[calls++];
        if (answer) return answer() as TenantLifecycleConsumerReceipt;
        await repaired.wait();
        return receipt(operationId);
      },
    });
    await (await consumers.attach()).ready();
    await world.announce('operation-1');
    await repaired.reached();
    await seen('two failures shown', async () =>
      expect((await world.operation('operation-1')).deliveries).toMatchObject([
        {
          status: 'failed',
          failureCount: 2,
          lastError: expect.stringContaining('malformed receipt: receiptId'),
          waitingFor: 'retry',
        },
      ]),
    );
    repaired.open();
    await world.settlementOf('operation-1');
    expect((await world.operation('operation-1')).deliveries).toMatchObject([{ status: 'succeeded', failureCount: 2 }]);
  });

  it('by a run that hangs is reported, runs again, and its late receipt does no harm', async () => {
    await world.start();
    const hanging = createLatch();
    let runs = 0;
    consumers.register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => {
        runs += 1;
        if (runs === 1) await hanging.wait();
        return receipt(`${operationId}:${runs}`);
      },
    });
    await (await consumers.attach('consumers-1', 200)).ready();
    await world.announce('operation-1');
    expect((await world.settlementOf('operation-1')).receipts).toMatchObject([{ receiptId: 'did:operation-1:2' }]);
    expect((await world.operation('operation-1')).deliveries).toMatchObject([{ failureCount: 1 }]);
    hanging.open();
    await world.announce('operation-2');
    await world.settlementOf('operation-2');
    expect((await world.operation('operation-1')).deliveries).toMatchObject([
      { status: 'succeeded', receipt: { receiptId: 'did:operation-1:2' } },
    ]);
  });

  it('by a crash after its effect still gives its receipt, with one effect', async () => {
    await world.start();
    const effects: string[] = [];
    const deduplicator = createOperationDeduplicator();
    const crashing = createLatch();
    const registration = consumers.register({
      name: 'storage',
      transitions: ['suspended'],
      consume: (message) =>
        deduplicator
          .once(message, async () => {
            effects.push(message.operationId);
            return receipt(message.operationId);
          })
          .then(async (done) => {
            await crashing.wait();
            return done;
          }),
    });
    const first = await consumers.attach('storage-1');
    await first.ready();
    await world.announce('operation-1');
    await crashing.reached();
    await first.close();
    expect((await world.operation('operation-1')).deliveries).toMatchObject([
      { status: 'pending', waitingFor: 'receipt' },
    ]);
    crashing.open();
    await (await consumers.attach('storage-1')).ready();
    await world.settlementOf('operation-1');
    expect(effects).toEqual(['operation-1']);
    expect(registration.name).toBe('storage');
  });
});
