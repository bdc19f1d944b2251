/** The service, the published interface and a consumer without it, on a real broker (and the document store where there is one). */
import { consumersListSchema, lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { eventually } from '@platform/testing';
import { IsTenantProvisioningCommitted } from '@platform/workspace-platform/tenant-lifecycle';
import { openWorld, type OpenWorld } from './testing/open-world';
import { createConsumers, receipt, type Consumers } from './testing/consumers';

describe('lifecycle delivery on a real broker', () => {
  let world: OpenWorld;
  let consumers: Consumers;
  const seen = (describe: string, look: () => Promise<unknown>) =>
    eventually(async () => (await look(), true), { describe });
  beforeEach(async () => {
    world = await openWorld('delivery');
    consumers = createConsumers(world);
  });
  afterEach(async () => {
    await consumers.close();
    await world.close();
  });

  it('carries a transition to consumers that registered before the platform was there, and settles with their receipts', async () => {
    await world.start();
    consumers.register({
      name: 'storage',
      transitions: ['created', 'suspended'],
      consume: async ({ operationId }) => receipt(operationId),
    });
    consumers.register({
      name: 'search-index',
      transitions: ['suspended'],
      consume: async ({ operationId }) => receipt(operationId),
    });
    const connection = await consumers.attach();
    await connection.ready();
    await world.announce('operation-1');
    await world.announce('operation-2', 'created');
    await world.announce('operation-3', 'reactivation_requested');
    expect((await world.settlementOf('operation-1')).receipts).toMatchObject([
      { consumer: 'search-index', receiptId: 'did:operation-1' },
      { consumer: 'storage', receiptId: 'did:operation-1' },
    ]);
    expect((await world.settlementOf('operation-2')).receipts).toMatchObject([{ consumer: 'storage' }]);
    expect((await world.settlementOf('operation-3')).receipts).toEqual([]);
    expect((await world.operation('operation-1')).deliveries).toMatchObject([
      { attemptCount: 1, failureCount: 0 },
      { attemptCount: 1, failureCount: 0 },
    ]);
  });

  it('keeps a consumer that merely stops required, and makes one that unregisters optional', async () => {
    await world.start();
    const registration = consumers.register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => receipt(operationId),
    });
    const first = await consumers.attach();
    await first.ready();
    await first.close();
    await world.announce('operation-1');
    await seen('delivery waits', async () =>
      expect((await world.operation('operation-1')).deliveries).toMatchObject([{ status: 'pending' }]),
    );
    await (await consumers.attach()).ready();
    await world.settlementOf('operation-1');
    await registration.unregister();
    await world.announce('operation-2');
    expect((await world.settlementOf('operation-2')).receipts).toEqual([]);
  });

  it('sends a test to a consumer, whose own check answers it, and settles nothing by it', async () => {
    await world.start();
    const consumed: string[] = [];
    consumers.register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => (consumed.push(operationId), receipt(operationId)),
      answerTest: async ({ testId }) => ({ receiptId: `disk:${testId}`, effectiveAt: new Date() }),
    });
    await (await consumers.attach()).ready();
    const asked = { requestId: 'test-1', action: 'test', reason: 'a look', by: 'ann@example.com', consumer: 'storage' };
    const operator = await world.connect('operator');
    expect((await operator.request(lifecycleRequests.act, asked, 60_000)).ok).toBe(true);
    await seen('the receipt of the test', async () => {
      const answer = await operator.request(lifecycleRequests.consumers, {}, 60_000);
      const [consumer] = consumersListSchema.parse(answer.ok && answer.value).consumers;
      expect(consumer?.tests).toMatchObject([{ testId: 'test-1', receipt: { receiptId: 'disk:test-1' } }]);
    });
    expect(consumed).toEqual([]);
  });

  it('replays to a process that still runs: it runs again, its receipt changes nothing', async () => {
    await world.start();
    const consumed: string[] = [];
    consumers.register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => (consumed.push(operationId), receipt(`${operationId}:${consumed.length}`)),
    });
    await (await consumers.attach()).ready();
    const since = new Date(Date.now() - 60_000).toISOString();
    await world.announce('operation-1');
    await world.settlementOf('operation-1');
    const before = await world.operation('operation-1');
    const by = { reason: 'a restore', by: 'ann@example.com', consumer: 'storage' };
    const asked = { ...by, requestId: 'replay-1', action: 'replay', since };
    const operator = await world.connect('operator');
    await seen('the replay on record', async () =>
      expect((await operator.request(lifecycleRequests.act, asked, 60_000)).ok).toBe(true),
    );
    await seen('the second run', async () => expect(consumed).toEqual(['operation-1', 'operation-1']));
    await seen('the end of the replay', async () => {
      const answer = await operator.request(lifecycleRequests.consumers, {}, 60_000);
      const [consumer] = consumersListSchema.parse(answer.ok && answer.value).consumers;
      expect(consumer?.replay).toMatchObject({ status: 'completed', received: 1 });
    });
    expect(await world.operation('operation-1')).toEqual(before);
  });

  it('answers the commit gate, and throws when no service does', async () => {
    await consumers.attach();
    await expect(IsTenantProvisioningCommitted('acme')).rejects.toMatchObject({ code: 'gate_unavailable' });
    const provisioning = await world.connect('provisioning');
    await provisioning.serve({ name: 'gate', version: '1.0.0', description: 'test' }, [
      {
        name: 'is-committed',
        subject: 'provisioning.gate.is_committed',
        answer: async (body) => ({
          ok: true,
          value: { committed: (body as { tenantId: string }).tenantId === 'acme' },
        }),
      },
    ]);
    await expect(IsTenantProvisioningCommitted('acme')).resolves.toBe(true);
    await expect(IsTenantProvisioningCommitted('globex')).resolves.toBe(false);
  });
});
