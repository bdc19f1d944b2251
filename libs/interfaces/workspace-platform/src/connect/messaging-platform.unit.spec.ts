/** Registration, renewal and the gate on a broker in memory, with time that the test controls. */
import { setMaxListeners } from 'node:events';
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import { createManualClock, createSequentialIds, ok, refused, silentLog } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { eventually } from '@platform/testing';
import { createMessagingPlatform } from './messaging-platform';

const consumer = {
  name: 'storage',
  transitions: ['suspended'] as const,
  consume: async () => ({ receiptId: 'r', effectiveAt: new Date(0) }),
};

function createWorld() {
  const clock = createManualClock();
  const broker = createFakeBroker({ clock });
  const requests: { subject: string; body: Record<string, unknown> }[] = [];
  let answers = true;
  let refusedReceipts: object | undefined;
  let interruption: (() => void) | undefined;
  const logged: { readonly fields: Readonly<Record<string, unknown>>; readonly text: string }[] = [];
  /** Pauses of the platform that the test can end. */
  const pauses: (() => void)[] = [];
  const wait = (_milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      setMaxListeners(0, signal);
      pauses.push(resolve);
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  const platform = createMessagingPlatform({
    messaging: broker.connect('storage-1'),
    instance: 'storage-1',
    clock,
    monotonic: () => 0,
    ids: createSequentialIds(),
    log: { ...silentLog, warn: (fields, text) => void logged.push({ fields, text }) },
    wait,
    limits: { consumeTimeoutMs: 1_000, runsMax: 8 },
    stopGraceMs: 0,
  });
  const service = broker.connect('lifecycle-delivery');
  const serve = () =>
    service.serve(
      { name: 'lifecycle-delivery', version: '1.0.0', description: 'test' },
      [lifecycleRequests.register('storage'), lifecycleRequests.unregister('storage')].map((subject) => ({
        name: subject.replaceAll('.', '-'),
        subject,
        answer: async (body) => {
          requests.push({ subject, body: body as Record<string, unknown> });
          interruption?.();
          interruption = undefined;
          if (!answers) return refused({ code: 'store_unavailable', message: 'later' });
          if (subject === lifecycleRequests.unregister('storage')) return ok({ name: 'storage', removed: true });
          await service.ensureDurable({
            stream: 'TENANT_LIFECYCLE',
            durable: 'storage',
            filterSubjects: ['tenant.lifecycle.*.storage'],
            ackWaitMs: 1_000,
            maxAckPending: 10,
          });
          return ok({
            name: 'storage',
            stream: 'TENANT_LIFECYCLE',
            durable: 'storage',
            replaced: false,
            ...(refusedReceipts && { refusedReceipts }),
          });
        },
      })),
    );
  const endPause = () => eventually(() => pauses.shift(), { describe: 'a pause' }).then((end) => end());
  return {
    broker,
    platform,
    requests,
    logged,
    serve,
    endPause,
    setAnswers: (to: boolean) => (answers = to),
    /** Happens while the next request is answered. */
    during: (what: () => void) => (interruption = what),
    refuseReceipts: (to: object) => (refusedReceipts = to),
  };
}

describe('the platform over a broker', () => {
  it('says in the log of the consumer, once, that a receipt of it was refused, and why', async () => {
    const world = createWorld();
    await world.serve();
    const last = { at: '2026-01-01T00:00:00.000Z', reason: 'effectiveAt: Invalid ISO datetime', operationId: 'op-1' };
    world.platform.connectConsumer(consumer);
    await world.platform.ready();
    expect(world.logged).toEqual([]);
    world.refuseReceipts({ count: 3, last });
    const renewals = async (count: number): Promise<void> => {
      const wanted = world.requests.length + count;
      while (world.requests.length < wanted) await world.endPause();
    };
    await renewals(3);
    expect(world.logged).toEqual([
      { fields: { consumer: 'storage', refused: 3, ...last }, text: expect.stringContaining('was refused') },
    ]);
    world.platform.close();
  });

  it('asks to register until it is answered, then renews without taking the name from another', async () => {
    const world = createWorld();
    const connection = world.platform.connectConsumer(consumer);
    await world.endPause();
    world.setAnswers(false);
    await world.serve();
    await world.endPause();
    await eventually(() => world.requests.length >= 1, { describe: 'the first question' });
    world.setAnswers(true);
    await world.endPause();
    await world.platform.ready();
    const before = world.requests.length;
    expect(world.requests.every(({ body }) => body['renew'] === false)).toBe(true);
    await world.endPause();
    await eventually(() => world.requests.length > before, { describe: 'the renewal' });
    expect(world.requests.at(-1)!.body).toMatchObject({
      name: 'storage',
      transitions: ['suspended'],
      registeredBy: 'storage-1',
      renew: true,
    });
    await connection.detach();
  });

  it('renews as soon as a lost connection is back', async () => {
    const world = createWorld();
    await world.serve();
    const connection = world.platform.connectConsumer(consumer);
    await world.platform.ready();
    const interrupt = () => {
      world.broker.disconnect('storage-1');
      world.broker.reconnect('storage-1');
    };
    interrupt();
    await eventually(() => world.requests.length === 2, { describe: 'the renewal' });
    world.during(interrupt);
    interrupt();
    await eventually(() => world.requests.length === 4, { describe: 'the renewal after an interrupted one' });
    await connection.detach();
  });

  it('delivers once connected and no more once detached', async () => {
    const world = createWorld();
    await world.serve();
    const runs: string[] = [];
    const connection = world.platform.connectConsumer({
      ...consumer,
      consume: async ({ operationId }) => (
        runs.push(operationId),
        { receiptId: operationId, effectiveAt: new Date(0) }
      ),
    });
    await world.platform.ready();
    const operator = world.broker.connect('lifecycle-delivery');
    const deliver = (operationId: string) =>
      operator.publish({
        subject: 'tenant.lifecycle.suspended.storage',
        id: operationId,
        type: 'tenant.lifecycle.v1',
        body: { tenantId: 'acme', operationId, transition: 'suspended', requestedAt: '2026-01-01T00:00:00.000Z' },
      });
    await deliver('operation-1');
    await world.broker.settle();
    await connection.detach();
    await deliver('operation-2');
    await world.broker.settle();
    expect(runs).toEqual(['operation-1']);
    expect(world.broker.published.filter(({ subject }) => subject === 'tenant.receipt.storage')).toHaveLength(1);
  });

  it('asks to be removed until it is answered, and gives up only when it is closed', async () => {
    const world = createWorld();
    const removal = world.platform.removeConsumer('storage');
    await world.serve();
    await world.endPause();
    await removal;
    expect(world.requests).toEqual([
      { subject: lifecycleRequests.unregister('storage'), body: { name: 'storage', registeredBy: 'storage-1' } },
    ]);
    world.broker.disconnect('storage-1');
    const hopeless = world.platform.removeConsumer('storage');
    world.platform.close();
    await expect(hopeless).rejects.toThrow('was not confirmed');
  });

  it('throws when the gate does not answer or answers what it cannot read', async () => {
    const world = createWorld();
    await expect(world.platform.isProvisioningCommitted('acme')).rejects.toMatchObject({ code: 'gate_unavailable' });
    let answer: Record<string, unknown> = { committed: 'yes' };
    await world.broker
      .connect('provisioning')
      .serve({ name: 'gate', version: '1.0.0', description: 'test' }, [
        { name: 'gate', subject: 'provisioning.gate.is_committed', answer: async () => ok(answer) },
      ]);
    await expect(world.platform.isProvisioningCommitted('acme')).rejects.toMatchObject({ code: 'gate_unavailable' });
    answer = { committed: false };
    await expect(world.platform.isProvisioningCommitted('acme')).resolves.toBe(false);
  });
});
