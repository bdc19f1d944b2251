/** The service on fakes of store and broker: what consumers, operators and crashes can do to it. */
import { LIFECYCLE_REQUESTS, LIFECYCLE_SUBJECTS, LIFECYCLE_TYPES, lifecycleMessageIds, type LifecycleTransition } from '@platform/contracts-lifecycle-delivery';
import { createManualClock, createSequentialIds, silentLog, type Log } from '@platform/kernel';
import type { InboundMessage, Messaging } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { createFakeStore } from '@platform/mongo/testing';
import { assembleDelivery, startDelivery, type RunningDelivery } from './delivery';
import { retryDeliveries } from './workflows/retry-deliveries';

const requestedAt = '2026-01-01T00:00:00.000Z';

function createWorld() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const broker = createFakeBroker({ clock });
  const operator = broker.connect('operator');
  const consumers = broker.connect('consumers');
  const logged: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, message) => void logged.push(message) };
  const boot = (): Promise<RunningDelivery> => startDelivery({ store, messaging: broker.connect('lifecycle-delivery'), clock, random: () => 0, log });
  const ports = () => assembleDelivery({ store, messaging: broker.connect('probe'), clock, random: () => 0, log }).ports;

  const announce = (operationId: string, transition: LifecycleTransition = 'suspended', tenantId = 'acme') =>
    operator.publish({ subject: LIFECYCLE_SUBJECTS.message(transition), id: lifecycleMessageIds.message(operationId), type: LIFECYCLE_TYPES.message(transition), body: { tenantId, operationId, transition, requestedAt } });
  const announceDeleted = (tenantId: string) =>
    operator.publish({ subject: LIFECYCLE_SUBJECTS.tenantDeleted, id: lifecycleMessageIds.tenantDeleted(tenantId), type: LIFECYCLE_TYPES.tenantDeleted, body: { tenantId, operationId: `delete-${tenantId}`, deletedAt: requestedAt } });
  const register = (name: string, transitions: readonly LifecycleTransition[] = ['suspended'], registeredBy = `${name}-1`) =>
    consumers.request(LIFECYCLE_REQUESTS.register, { name, transitions, registeredBy }, 1_000);
  const receipt = (consumer: string, operationId: string, over: Record<string, unknown> = {}, id = `r:${consumer}:${operationId}`) =>
    consumers.publish({ subject: LIFECYCLE_SUBJECTS.receipt(consumer), id, type: LIFECYCLE_TYPES.receipt, body: { tenantId: 'acme', operationId, transition: 'suspended', receiptId: id, effectiveAt: requestedAt, ...over } });
  const failure = (consumer: string, operationId: string, error: string, id: string) =>
    consumers.publish({ subject: LIFECYCLE_SUBJECTS.receipt(consumer), id, type: LIFECYCLE_TYPES.deliveryFailed, body: { tenantId: 'acme', operationId, transition: 'suspended', error, failedAt: requestedAt } });
  const sent = (prefix: string) => broker.published.filter(({ subject, duplicate, stream }) => subject.startsWith(prefix) && !duplicate && stream !== null);
  const ask = async (messaging: Messaging, subject: string, body: Record<string, unknown> = {}) => {
    const answer = await messaging.request(subject, body, 1_000);
    if (!answer.ok) throw new Error(answer.error.serverCode ?? answer.error.code);
    return answer.value as { deliveries: Record<string, unknown>[]; consumers: Record<string, unknown>[]; message?: Record<string, unknown>; nextCursor?: string };
  };
  const consumeAll = async (consumer: string, seen: InboundMessage[]) =>
    consumers.consume({ stream: 'TENANT_LIFECYCLE', durable: consumer }, async (message) => {
      seen.push(message);
      await receipt(consumer, (message.body as { operationId: string }).operationId);
      return { kind: 'ack' };
    });
  return { clock, store, broker, operator, consumers, logged, boot, ports, announce, announceDeleted, register, receipt, failure, sent, ask, consumeAll };
}

type World = ReturnType<typeof createWorld>;

describe('lifecycle delivery', () => {
  let world: World;
  let running: RunningDelivery;
  beforeEach(async () => {
    world = createWorld();
    running = await world.boot();
  });
  afterEach(() => running.close());

  const statusOf = async (operationId: string) => (await world.ask(world.operator, LIFECYCLE_REQUESTS.operation, { operationId })).deliveries.map(({ consumer, status }) => `${String(consumer)} ${String(status)}`);

  it('delivers to every consumer of the transition and settles when the last receipt is durable', async () => {
    await world.register('storage', ['created', 'suspended', 'reactivation_requested']);
    await world.register('search-index', ['suspended']);
    await world.register('billing', ['created']);
    await world.announce('operation-1');
    await world.broker.settle();
    expect(world.sent('tenant.lifecycle').map(({ subject }) => subject).sort()).toEqual(['tenant.lifecycle.suspended.search-index', 'tenant.lifecycle.suspended.storage']);
    await world.receipt('storage', 'operation-1');
    await world.broker.settle();
    expect(world.sent('lifecycle.settled')).toEqual([]);
    await world.receipt('search-index', 'operation-1');
    await world.broker.settle();
    expect(world.sent('lifecycle.settled')).toMatchObject([{ subject: 'lifecycle.settled.suspended', id: 'settled:operation-1', body: { tenantId: 'acme', receipts: [{ consumer: 'search-index' }, { consumer: 'storage' }] } }]);
  });

  it('settles at once when nobody is required', async () => {
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
    await world.consumers.request(LIFECYCLE_REQUESTS.unregister, { name: 'storage', registeredBy: 'storage-1' }, 1_000);
    expect(await statusOf('operation-1')).toEqual(['storage pending']);
    const { deliveries } = await world.ask(world.operator, LIFECYCLE_REQUESTS.deliveries);
    expect(deliveries).toMatchObject([{ consumer: 'storage', waitingFor: 'consumer_unregistered' }]);
    const { consumers } = await world.ask(world.operator, LIFECYCLE_REQUESTS.consumers);
    expect(consumers).toMatchObject([{ name: 'search-index', waitingDeliveries: 0 }, { name: 'storage', status: 'unregistered', waitingDeliveries: 1 }]);
  });

  it('brings what waited to a consumer that comes back', async () => {
    await world.register('storage');
    await world.announce('operation-1');
    await world.broker.settle();
    await world.consumers.request(LIFECYCLE_REQUESTS.unregister, { name: 'storage', registeredBy: 'storage-1' }, 1_000);
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
    const ids = world.broker.published.filter(({ subject }) => subject.startsWith('tenant.lifecycle')).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  describe('receipts', () => {
    const deadLetters = () => world.sent('dead_letter').map(({ headers }) => headers['dead-letter-reason']);
    beforeEach(async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
    });

    it('of unknown operations, foreign consumers and other tenants go to the dead letters with the reason', async () => {
      await world.receipt('storage', 'operation-9');
      await world.receipt('search-index', 'operation-1');
      await world.receipt('storage', 'operation-1', { tenantId: 'globex' }, 'r-tenant');
      await world.receipt('storage', 'operation-1', { receiptId: '' }, 'r-malformed');
      await world.consumers.publish({ subject: 'tenant.receipt.storage', id: 'r-type', type: 'tenant.receipt.v9', body: {} });
      world.broker.publishRaw('tenant.receipt.storage', Buffer.from('not json'));
      world.broker.publishRaw('tenant.receipt.X', Buffer.from('{}'), { 'ce-type': 'tenant.receipt.v1' });
      await world.broker.settle();
      expect(deadLetters()).toHaveLength(7);
      for (const reason of ['no delivery of this operation', 'globex', 'receiptId: Too small', 'tenant.receipt.v9', 'not JSON', 'names no consumer']) {
        expect(deadLetters().join('\n')).toContain(reason);
      }
      expect(await statusOf('operation-1')).toEqual(['storage pending']);
    });

    it('that compete are accepted silently, the first one stays, and a late failure changes nothing', async () => {
      await world.receipt('storage', 'operation-1', {}, 'first');
      await world.broker.settle();
      await world.receipt('storage', 'operation-1', {}, 'second');
      await world.failure('storage', 'operation-1', 'too late', 'f-late');
      await world.broker.settle();
      const { deliveries } = await world.ask(world.operator, LIFECYCLE_REQUESTS.operation, { operationId: 'operation-1' });
      expect(deliveries).toMatchObject([{ status: 'succeeded', failureCount: 0, receipt: { receiptId: 'first' } }]);
      expect(deadLetters()).toEqual([]);
      expect(world.broker.published.filter(({ subject }) => subject.startsWith('lifecycle.settled'))).toHaveLength(1);
    });

    it('after failures end what was visibly failed and due', async () => {
      await world.failure('storage', 'operation-1', 'Error: disk full', 'f-1');
      await world.broker.settle();
      world.broker.redeliverAll();
      await world.broker.settle();
      expect((await world.ask(world.operator, LIFECYCLE_REQUESTS.deliveries, { status: 'failed' })).deliveries).toMatchObject([{ lastError: 'Error: disk full', failureCount: 1, waitingFor: 'retry' }]);
      await world.receipt('storage', 'operation-1');
      await world.broker.settle();
      expect(await statusOf('operation-1')).toEqual(['storage succeeded']);
      expect(world.sent('lifecycle.settled')).toHaveLength(1);
    });
  });

  describe('the retry worker', () => {
    it('sends again, under a further id, what has had no receipt for five minutes and is gone from the broker', async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
      const round = () => retryDeliveries(running.ports, world.store, { kind: 'due' });
      expect(await round()).toMatchObject({ published: 0 });
      world.clock.advance(300_000);
      expect(await round()).toMatchObject({ published: 0, trusted: 1 });
      world.broker.wipe();
      world.broker.applyTopology();
      expect(await round()).toMatchObject({ published: 1 });
      expect(world.broker.published.filter(({ subject }) => subject.startsWith('tenant.lifecycle')).map(({ id }) => id.slice(-2))).toEqual([':1', ':2']);
      expect(await round()).toMatchObject({ published: 0 });
    });

    it('sends again at least hourly, whatever the broker holds', async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
      world.clock.advance(3_899_000);
      expect(await retryDeliveries(running.ports, world.store, { kind: 'due' })).toMatchObject({ trusted: 1 });
      world.clock.advance(1_000);
      expect(await retryDeliveries(running.ports, world.store, { kind: 'due' })).toMatchObject({ published: 1 });
    });

    it('takes what a clock that jumped ahead has put off', async () => {
      await world.register('storage');
      world.clock.advance(86_400_000);
      await world.announce('operation-1');
      await world.broker.settle();
      world.clock.advance(-86_400_000);
      world.broker.wipe();
      world.broker.applyTopology();
      expect(await retryDeliveries(running.ports, world.store, { kind: 'due' })).toMatchObject({ published: 1 });
    });

    it('of two reconcilers at once lets one begin the attempt', async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
      world.broker.wipe();
      world.broker.applyTopology();
      const rounds = await Promise.all([1, 2].map(() => retryDeliveries(world.ports(), world.store, { kind: 'everything' })));
      expect(rounds.map(({ published }) => published).sort()).toEqual([0, 1]);
    });

    it('completes a message whose deliveries a crash left out', async () => {
      await world.register('storage');
      await running.ports.messages.insert({ _id: 'operation-1', tenantId: 'acme', transition: 'suspended', requestedAt: new Date(requestedAt), required: ['storage'], status: 'awaiting_receipts' });
      expect(await retryDeliveries(running.ports, world.store, { kind: 'due' })).toMatchObject({ messagesCompleted: 1 });
      expect(await statusOf('operation-1')).toEqual(['storage pending']);
    });

    it('brings 230 deliveries back from the database after the broker has lost everything', async () => {
      await world.register('storage');
      for (let number = 0; number < 230; number += 1) await world.announce(`operation-${number}`);
      await world.broker.settle();
      world.broker.wipe();
      world.broker.applyTopology();
      const seen: InboundMessage[] = [];
      await world.consumeAll('storage', seen);
      expect(await retryDeliveries(running.ports, world.store, { kind: 'everything' })).toMatchObject({ published: 230 });
      await world.broker.settle();
      expect(new Set(seen.map(({ body }) => (body as { operationId: string }).operationId)).size).toBe(230);
      expect(seen).toHaveLength(230);
      expect(world.sent('lifecycle.settled')).toHaveLength(230);
    });
  });

  describe('deleted tenants', () => {
    it('are skipped when the attempt starts, and what waited for them settles', async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
      await world.announceDeleted('acme');
      await world.broker.settle();
      expect(await statusOf('operation-1')).toEqual(['storage skipped_deleted']);
      await world.announce('operation-2');
      await world.broker.settle();
      expect(await statusOf('operation-2')).toEqual(['storage skipped_deleted']);
      expect(world.sent('tenant.lifecycle')).toHaveLength(1);
      expect(world.sent('lifecycle.settled').map(({ id }) => id)).toEqual(['settled:operation-1', 'settled:operation-2']);
    });

    it('may still be answered by an attempt in flight, which changes nothing', async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
      await world.announceDeleted('acme');
      await world.broker.settle();
      await world.receipt('storage', 'operation-1');
      await world.broker.settle();
      expect(await statusOf('operation-1')).toEqual(['storage skipped_deleted']);
      expect(world.sent('dead_letter')).toEqual([]);
    });
  });

  describe('bad input', () => {
    it('goes to the dead letters: malformed messages, wrong types, an operationId that is taken', async () => {
      await world.announce('operation-1');
      await world.broker.settle();
      world.clock.advance(121_000);
      await world.announce('operation-1', 'suspended', 'globex');
      await world.operator.publish({ subject: 'lifecycle.message.suspended', id: 'm-2', type: 'lifecycle.message.created.v1', body: { tenantId: 'acme', operationId: 'operation-2', transition: 'suspended', requestedAt } });
      await world.operator.publish({ subject: 'lifecycle.message.created', id: 'm-3', type: 'lifecycle.message.suspended.v1', body: { tenantId: 'acme', operationId: 'operation-3', transition: 'suspended', requestedAt } });
      await world.operator.publish({ subject: 'lifecycle.message.suspended', id: 'm-4', type: 'lifecycle.message.suspended.v1', body: { tenantId: 'a.b' } });
      await world.operator.publish({ subject: 'lifecycle.message.tenant_deleted', id: 'm-5', type: 'lifecycle.message.tenant_deleted.v1', body: {} });
      await world.broker.settle();
      expect(world.sent('dead_letter')).toHaveLength(5);
    });

    it('is refused by the questions with a stable code', async () => {
      const code = async (subject: string, body: Record<string, unknown>) => {
        const answer = await world.consumers.request(subject, body, 1_000);
        return answer.ok ? 'ok' : answer.error.serverCode;
      };
      expect(await code(LIFECYCLE_REQUESTS.register, { name: 'X', transitions: ['suspended'], registeredBy: 'x' })).toBe('invalid_request');
      expect(await code(LIFECYCLE_REQUESTS.register, { name: 'storage', transitions: [], registeredBy: 'x' })).toBe('invalid_request');
      expect(await code(LIFECYCLE_REQUESTS.register, { name: 'storage', transitions: ['suspended', 'suspended'], registeredBy: 'x' })).toBe('invalid_request');
      expect(await code(LIFECYCLE_REQUESTS.deliveries, { cursor: 'nonsense' })).toBe('invalid_request');
      world.store.setAvailable(false);
      expect(await code(LIFECYCLE_REQUESTS.register, { name: 'storage', transitions: ['suspended'], registeredBy: 'x' })).toBe('store_unavailable');
      world.store.setAvailable(true);
    });
  });

  it('replaces a registration by a later one and logs it, and ignores the removal by the former holder', async () => {
    await world.register('storage', ['suspended'], 'storage-1');
    expect(await world.register('storage', ['created', 'suspended'], 'storage-2')).toMatchObject({ ok: true, value: { replaced: true, durable: 'storage' } });
    expect(world.logged).toContain('lifecycle consumer registration replaced by a later one');
    expect(await world.consumers.request(LIFECYCLE_REQUESTS.unregister, { name: 'storage', registeredBy: 'storage-1' }, 1_000)).toMatchObject({ value: { removed: false } });
    expect((await world.ask(world.operator, LIFECYCLE_REQUESTS.consumers)).consumers).toMatchObject([{ status: 'registered', registeredBy: 'storage-2', transitions: ['created', 'suspended'] }]);
  });

  it('pages deliveries oldest first without repeating or skipping one', async () => {
    await world.register('storage');
    for (let number = 0; number < 5; number += 1) {
      await world.announce(`operation-${number}`);
      await world.broker.settle();
      world.clock.advance(1_000);
    }
    const seen: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await world.ask(world.operator, LIFECYCLE_REQUESTS.deliveries, { consumer: 'storage', limit: 2, ...(cursor && { cursor }) });
      seen.push(...page.deliveries.map(({ operationId }) => operationId));
      cursor = page.nextCursor;
      if (!cursor) break;
    }
    expect(seen).toEqual(['operation-0', 'operation-1', 'operation-2', 'operation-3', 'operation-4']);
  });
});
