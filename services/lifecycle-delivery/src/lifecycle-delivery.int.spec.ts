/** The service, the published interface and a consumer without it, on a real broker (and the document store where there is one). */
import { LIFECYCLE_REQUESTS } from '@platform/contracts-lifecycle-delivery';
import { silentLog } from '@platform/kernel';
import { createGate, eventually } from '@platform/testing';
import { connectWorkspacePlatform, type WorkspacePlatformConnection } from '@platform/workspace-platform/connect';
import {
  createOperationDeduplicator,
  IsTenantProvisioningCommitted,
  RegisterTenantLifecycleConsumer,
  type TenantLifecycleConsumer,
  type TenantLifecycleConsumerReceipt,
} from '@platform/workspace-platform/tenant-lifecycle';
import { openWorld, type OpenWorld } from './testing/open-world';
import { retryDeliveries } from './workflows/retry-deliveries';

const receipt = (operationId: string): TenantLifecycleConsumerReceipt => ({
  receiptId: `did:${operationId}`,
  effectiveAt: new Date(),
});

/** Guests that wait, each at its first arrival, until all have come. */
function createMeeting(guests: number) {
  let missing = guests;
  let open: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (open = resolve));
  return {
    guest() {
      let arrived = false;
      return () => {
        if (!arrived) missing -= 1;
        arrived = true;
        if (missing === 0) open();
        return all;
      };
    },
  };
}

describe('lifecycle delivery on a real broker', () => {
  let world: OpenWorld;
  let connections: WorkspacePlatformConnection[];
  const registered: (() => Promise<void>)[] = [];
  const seen = (describe: string, look: () => Promise<unknown>) =>
    eventually(async () => (await look(), true), { describe, deadlineMs: 20_000 });
  beforeEach(async () => {
    world = await openWorld('delivery');
    connections = [];
  });
  afterEach(async () => {
    for (const unregister of registered.splice(0)) await unregister();
    for (const connection of connections) await connection.close();
    await world.close();
  });

  const attach = async (instance = 'consumers-1', consumeTimeoutMs = 5_000): Promise<WorkspacePlatformConnection> => {
    const connection = await connectWorkspacePlatform({
      natsUrl: world.natsUrl,
      namespace: world.namespace,
      instance,
      log: silentLog,
      consumeTimeoutMs,
      stopGraceMs: 100,
    });
    connections.push(connection);
    return connection;
  };
  const register = (consumer: TenantLifecycleConsumer) => {
    const registration = RegisterTenantLifecycleConsumer(consumer);
    registered.push(() => registration.unregister());
    return registration;
  };
  it('carries a transition to consumers that registered before the platform was there, and settles with their receipts', async () => {
    await world.start();
    register({
      name: 'storage',
      transitions: ['created', 'suspended'],
      consume: async ({ operationId }) => receipt(operationId),
    });
    register({
      name: 'search-index',
      transitions: ['suspended'],
      consume: async ({ operationId }) => receipt(operationId),
    });
    const connection = await attach();
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

  it('shows a consumer that throws or returns a malformed receipt as failed, and settles when it has mended', async () => {
    await world.start();
    let calls = 0;
    const answers: (() => unknown)[] = [
      () => {
        throw new Error('disk full');
      },
      () => ({ receiptId: '', effectiveAt: 'yesterday' }),
    ];
    const mended = createGate();
    register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => {
        const answer = answers[calls++];
        if (answer) return answer() as TenantLifecycleConsumerReceipt;
        await mended.wait();
        return receipt(operationId);
      },
    });
    await (await attach()).ready();
    await world.announce('operation-1');
    await mended.reached();
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
    mended.open();
    await world.settlementOf('operation-1');
    expect((await world.operation('operation-1')).deliveries).toMatchObject([{ status: 'succeeded', failureCount: 2 }]);
  });

  it('reports a run that hangs, runs again, and takes the late receipt without harm', async () => {
    await world.start();
    const hanging = createGate();
    let runs = 0;
    register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => {
        runs += 1;
        if (runs === 1) await hanging.wait();
        return receipt(`${operationId}:${runs}`);
      },
    });
    await (await attach('consumers-1', 200)).ready();
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

  it('gets the receipt of a consumer that crashed after its effect, with one effect', async () => {
    await world.start();
    const effects: string[] = [];
    const deduplicator = createOperationDeduplicator();
    const crashing = createGate();
    const registration = register({
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
    const first = await attach('storage-1');
    await first.ready();
    await world.announce('operation-1');
    await crashing.reached();
    await first.close();
    expect((await world.operation('operation-1')).deliveries).toMatchObject([
      { status: 'pending', waitingFor: 'receipt' },
    ]);
    crashing.open();
    await (await attach('storage-1')).ready();
    await world.settlementOf('operation-1');
    expect(effects).toEqual(['operation-1']);
    expect(registration.name).toBe('storage');
  });

  it('brings everything undelivered back after the broker lost its data', async () => {
    const running = await world.start();
    const opened = createGate();
    const runs: string[] = [];
    register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => {
        await opened.wait();
        runs.push(operationId);
        return receipt(operationId);
      },
    });
    await (await attach()).ready();
    const operations = Array.from({ length: 20 }, (_, number) => `operation-${number}`);
    for (const operationId of operations) await world.announce(operationId);
    await eventually(async () => (await running.ports.deliveries.count({})) === 20, {
      describe: 'deliveries recorded',
    });
    await world.wipeBroker();
    opened.open();
    await retryDeliveries(running.ports, world.store, { kind: 'everything' });
    for (const operationId of operations) await world.settlementOf(operationId);
    expect(await running.ports.deliveries.count({ status: 'succeeded' })).toBe(20);
    expect(new Set(runs).size).toBe(20);
  });

  it('lets two reconcilers at once deliver each attempt once', async () => {
    const [one, two] = [await world.start(), await world.start()];
    const runs: string[] = [];
    await world.operator.request(
      LIFECYCLE_REQUESTS.register('storage'),
      { name: 'storage', transitions: ['suspended'], registeredBy: 'storage-1' },
      5_000,
    );
    for (let number = 0; number < 10; number += 1) await world.announce(`operation-${number}`);
    await eventually(async () => (await one.ports.deliveries.count({ status: 'pending' })) === 10, {
      describe: 'deliveries recorded',
    });
    await world.wipeBroker();
    const bothHaveRead = createMeeting(2);
    const rounds = await Promise.all(
      [one, two].map(({ ports }) => {
        const arrive = bothHaveRead.guest();
        const mutate: typeof ports.deliveries.mutate = async (...call) =>
          arrive().then(() => ports.deliveries.mutate(...call));
        return retryDeliveries({ ...ports, deliveries: { ...ports.deliveries, mutate } }, world.store, {
          kind: 'everything',
        });
      }),
    );
    expect(rounds[0]!.published + rounds[1]!.published).toBe(10);
    register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => {
        runs.push(operationId);
        return receipt(operationId);
      },
    });
    await (await attach()).ready();
    for (let number = 0; number < 10; number += 1) await world.settlementOf(`operation-${number}`);
    expect([...runs].sort()).toEqual([...new Set(runs)].sort());
  });

  it('keeps a consumer that merely stops required, and makes one that unregisters optional', async () => {
    await world.start();
    const registration = register({
      name: 'storage',
      transitions: ['suspended'],
      consume: async ({ operationId }) => receipt(operationId),
    });
    const first = await attach();
    await first.ready();
    await first.close();
    await world.announce('operation-1');
    await seen('delivery waits', async () =>
      expect((await world.operation('operation-1')).deliveries).toMatchObject([{ status: 'pending' }]),
    );
    await (await attach()).ready();
    await world.settlementOf('operation-1');
    await registration.unregister();
    await world.announce('operation-2');
    expect((await world.settlementOf('operation-2')).receipts).toEqual([]);
  });

  it('answers the commit gate, and throws when nobody does', async () => {
    await attach();
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
