/** Reconciliation of deliveries on fakes: at start, every five minutes, after the broker lost everything, for deleted tenants. */
import { forged } from '@platform/durable/testing';
import type { MessageRecord } from '../domain/lifecycle-message';
import { lifecycleRequests } from '@platform/contracts-lifecycle-delivery';
import type { InboundMessage } from '@platform/messaging';
import type { RunningDelivery } from '../delivery';
import { createFakeWorld, requestedAt, type FakeWorld } from '../testing/fake-world';
import { retryDeliveries } from './retry-deliveries';

describe('the reconciliation of deliveries', () => {
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

  /** A consumer acknowledges all that the broker holds for it, and no receipt follows. */
  const loseAll = async (durable: string): Promise<void> => {
    const taking = await world.consumers.consume({ stream: 'TENANT_LIFECYCLE', durable }, () =>
      Promise.resolve({ kind: 'ack' as const }),
    );
    await world.broker.settle();
    await taking.close();
  };

  describe('the retry worker', () => {
    it('sends again, under a further id, what has had no receipt for five minutes and is gone from the broker', async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
      const round = () => retryDeliveries(running.ports, world.store, { kind: 'due' });
      expect(await round()).toMatchObject({ published: 0 });
      world.clock.advance(300_000);
      expect(await round()).toMatchObject({ published: 0 });
      world.broker.wipe();
      world.broker.applyTopology();
      expect(await round()).toMatchObject({ published: 1 });
      expect(
        world.broker.published
          .filter(({ subject }) => subject.startsWith('tenant.lifecycle'))
          .map(({ id }) => id.slice(-2)),
      ).toEqual([':1', ':2']);
      expect(await round()).toMatchObject({ published: 0 });
    });

    it('sends at once, due or not, what waits for a consumer whose durable the broker has lost', async () => {
      for (const name of ['storage', 'search-index']) await world.register(name);
      await world.announce('operation-1');
      await world.broker.settle();
      const round = () => retryDeliveries(running.ports, world.store, { kind: 'due' });
      world.broker.removeDurable('TENANT_LIFECYCLE', 'storage');
      expect(await round()).toMatchObject({ published: 1 });
      expect(
        world.broker.published
          .filter(({ subject }) => subject === 'tenant.lifecycle.suspended.storage')
          .map(({ id }) => id.slice(-2)),
      ).toEqual([':1', ':2']);
      expect(await round()).toMatchObject({ published: 0 });
    });

    it('reads none of 1,000 deliveries that the broker holds for a consumer that is unreachable', async () => {
      await world.register('storage');
      for (let count = 0; count < 1_000; count += 1) await world.announce(`operation-${count}`);
      await world.broker.settle();
      world.clock.advance(300_000);
      let read = 0;
      const counted = {
        ...running.ports,
        deliveries: {
          ...running.ports.deliveries,
          find: async (...query: Parameters<typeof running.ports.deliveries.find>) => {
            const found = await running.ports.deliveries.find(...query);
            if (!('operationId' in query[0])) read += found.length;
            return found;
          },
        },
      };
      expect(await retryDeliveries(counted, world.store, { kind: 'due' })).toMatchObject({ published: 0 });
      expect(await retryDeliveries(counted, world.store, { kind: 'everything' })).toMatchObject({ published: 0 });
      expect(read).toBe(0);
    });

    it('sends again after an hour what a consumer that acknowledges without a receipt may have taken', async () => {
      const round = () => retryDeliveries(running.ports, world.store, { kind: 'due' });
      await world.register('storage');
      await world.announce('operation-1');
      await world.announce('operation-2');
      await world.broker.settle();
      world.clock.advance(60_000);
      const taking = await world.consumers.consume(
        { stream: 'TENANT_LIFECYCLE', durable: 'storage' },
        async (message) =>
          (message.body as { operationId: string }).operationId === 'operation-2'
            ? { kind: 'ack' }
            : { kind: 'nak', reason: 'stuck' },
      );
      await world.broker.settle();
      await taking.close();
      world.clock.advance(3_539_000);
      expect(await round()).toMatchObject({ published: 0 });
      world.clock.advance(1_000);
      expect(await round()).toMatchObject({ published: 2 });
      // No acknowledgement has arrived since: the broker holds both.
      world.clock.advance(86_400_000);
      expect(await round()).toMatchObject({ published: 0 });
    });

    it.each([
      ['a clock that jumped ahead', 86_400_000, 1],
      ['a clock that was ahead by eleven minutes', 650_000, 1],
      ['a clock that was ahead by a little, one interval later', 250_000, 2],
    ])('takes what %s has put off', async (_name, ahead, rounds) => {
      await world.register('storage');
      world.clock.advance(ahead);
      await world.announce('operation-1');
      await loseAll('storage');
      world.clock.advance(-ahead);
      const published = [];
      for (let round = 0; round < rounds; round += 1) {
        world.clock.advance(301_000);
        published.push((await retryDeliveries(running.ports, world.store, { kind: 'due' })).published);
      }
      expect(published).toEqual([0, 1].slice(-rounds));
    });

    it('sends again what is due where the broker cannot say what it holds, and says so', async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
      const warn = jest.fn();
      const streamStates = () => Promise.reject(new Error('no answer'));
      const ports = {
        ...running.ports,
        log: { ...running.ports.log, warn },
        broker: { ...running.ports.broker, streamStates },
      };
      expect(await retryDeliveries(ports, world.store, { kind: 'due' })).toMatchObject({ published: 0 });
      world.clock.advance(300_000);
      warn.mockClear();
      expect(await retryDeliveries(ports, world.store, { kind: 'due' })).toMatchObject({ published: 1 });
      expect(warn.mock.calls).toEqual([
        [{ error: 'Error: no answer' }, 'the broker could not say what it holds; due deliveries leave again'],
      ]);
    });

    it('counts an attempt that the broker did not acknowledge', async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
      world.broker.removeDurable('TENANT_LIFECYCLE', 'storage');
      const deaf = { ...running.ports, broker: { ...running.ports.broker, publish: async () => 'unknown' as const } };
      const counts = { messagesCompleted: 0, published: 0, skippedDeleted: 0, unconfirmed: 1 };
      expect(await retryDeliveries(deaf, world.store, { kind: 'due' })).toEqual(counts);
    });

    it('for a consumer that has returned sends its deliveries alone, and reads no messages', async () => {
      for (const name of ['search-index', 'storage']) await world.register(name);
      await world.announce('operation-1');
      await world.broker.settle();
      world.broker.wipe();
      world.broker.applyTopology();
      const find = jest.fn(running.ports.messages.find);
      const ports = { ...running.ports, messages: { ...running.ports.messages, find } };
      const counts = await retryDeliveries(ports, world.store, { kind: 'consumer', name: 'storage' });
      expect(counts).toMatchObject({ messagesCompleted: 0, published: 1 });
      expect(world.sent('tenant.lifecycle.suspended.storage')).toHaveLength(2);
      expect(find).not.toHaveBeenCalled();
    });

    it('leaves a delivery to the publication that is under way since the round began', async () => {
      await world.register('storage');
      const began = world.clock.now();
      world.clock.advance(1_000);
      await world.announce('operation-1');
      await world.broker.settle();
      world.broker.wipe();
      world.broker.applyTopology();
      const round = (now: Date) =>
        retryDeliveries(running.ports, { now: async () => now }, { kind: 'consumer', name: 'storage' });
      expect(await round(began)).toMatchObject({ published: 0 });
      expect(await round(world.clock.now())).toMatchObject({ published: 1 });
    });

    it.each([
      ['that are due', 301_000, () => ({ kind: 'ack' as const })],
      [
        'that the broker may have lost',
        3_600_000,
        (first: boolean) => (first ? { kind: 'ack' as const } : { kind: 'nak' as const, reason: 'stuck' }),
      ],
    ])('sends 230 deliveries again, page by page, %s', async (_what, after, handled) => {
      await world.register('storage');
      for (let number = 0; number < 230; number += 1) {
        await world.announce(`operation-${number}`);
        if (number % 50 === 0) world.clock.advance(1);
      }
      await world.broker.settle();
      world.clock.advance(1_000);
      let taken = 0;
      const durable = { stream: 'TENANT_LIFECYCLE', durable: 'storage' };
      const taking = await world.consumers.consume(durable, async () => handled((taken += 1) === 1));
      await world.broker.settle();
      await taking.close();
      world.clock.advance(after);
      expect(await retryDeliveries(running.ports, world.store, { kind: 'due' })).toMatchObject({ published: 230 });
    });

    it('of two reconcilers at once lets one begin the attempt', async () => {
      await world.register('storage');
      await world.announce('operation-1');
      await world.broker.settle();
      world.broker.wipe();
      world.broker.applyTopology();
      const rounds = await Promise.all(
        [1, 2].map(() => retryDeliveries(world.ports(), world.store, { kind: 'everything' })),
      );
      expect(rounds.map(({ published }) => published).sort()).toEqual([0, 1]);
    });

    it('completes a message whose deliveries a crash left out', async () => {
      await world.register('storage');
      await running.ports.messages.insert(
        forged<MessageRecord>({
          _id: 'operation-1',
          tenantId: 'acme',
          transition: 'suspended',
          requestedAt: new Date(requestedAt),
          required: ['storage'],
          status: 'awaiting_receipts',
        }),
      );
      expect(await retryDeliveries(running.ports, world.store, { kind: 'due' })).toMatchObject({
        messagesCompleted: 1,
      });
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
      expect(await retryDeliveries(running.ports, world.store, { kind: 'everything' })).toMatchObject({
        published: 230,
      });
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
      expect(world.sent('lifecycle.settled').map(({ id }) => id)).toEqual([
        'settled:operation-1',
        'tenant-deleted-settled:delete-acme',
        'settled:operation-2',
      ]);
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
});
