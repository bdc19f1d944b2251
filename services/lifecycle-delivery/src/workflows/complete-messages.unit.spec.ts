/** What a round checks again: the messages since the last one, and whatever the last one could not bring to its end. */
import { forged, losingWrites } from '@platform/durable/testing';
import { createLatch, settle as turns } from '@platform/testing';
import type { RunningDelivery } from '../delivery';
import type { WaivedDelivery } from '../domain/delivery';
import type { AwaitingMessage, MessageRecord } from '../domain/lifecycle-message';
import { answering } from '../testing/answering';
import { createFakeWorld, requestedAt, type FakeWorld } from '../testing/fake-world';
import { completeMessages, settleWaived } from './complete-messages';
import type { DeliveryPorts } from './ports';
import { recordReceipt } from './record-receipt';
import { newRoundMemory, retryDeliveries, type RoundMemory } from './retry-deliveries';

const fiveMinutes = 300_000;
const day = 86_400_000;

describe('a round of the reconciliation', () => {
  let world: FakeWorld;
  let running: RunningDelivery;
  let memory: RoundMemory;
  beforeEach(async () => {
    world = createFakeWorld();
    running = await world.boot();
    memory = newRoundMemory();
    await world.register('storage');
  });
  afterEach(() => running.close());

  const round = (ports: DeliveryPorts = running.ports) => retryDeliveries(ports, world.store, { kind: 'due' }, memory);
  const statusOf = async (operationId: string) => (await running.ports.messages.findById(operationId))?.status;
  /** A message whose process died before it wrote a delivery, and whose announcement does not come again. */
  const leaveIncomplete = (operationId: string) =>
    running.ports.messages.insert(
      forged<MessageRecord>({
        ...{ _id: operationId, tenantId: 'acme', transition: 'suspended', required: ['storage'] },
        ...{ requestedAt: new Date(requestedAt), status: 'awaiting_receipts' },
      }),
    );

  it('reads, beside 500 messages that wait, only those that came since the last round', async () => {
    for (let count = 0; count < 500; count += 1) await world.announce(`operation-${count}`);
    await world.broker.settle();
    world.clock.advance(fiveMinutes);
    let read = 0;
    const { messages } = running.ports;
    const find: typeof messages.find = async (...query) => {
      const found = await messages.find(...query);
      read += found.length;
      return found;
    };
    const counted = { ...running.ports, messages: { ...messages, find } };
    await round(counted);
    expect(read).toBe(500);
    for (const count of [1, 2]) {
      await world.announce(`operation-since-${count}`);
      await world.broker.settle();
      world.clock.advance(fiveMinutes);
      read = 0;
      await round(counted);
      expect(read).toBe(1);
    }
  });

  it('finds a message that appears two minutes after it was accepted, and was accepted before the last round', async () => {
    world.clock.advance(fiveMinutes);
    await round();
    world.clock.advance(-119_000);
    await leaveIncomplete('operation-slow');
    world.clock.advance(fiveMinutes);
    expect(await round()).toMatchObject({ messagesCompleted: 1 });
  });

  it.each([
    ['what is due passes over', 'due', 0],
    ['everything completes', 'everything', 1],
  ] as const)('over %s a message that an earlier round took as complete', async (_what, kind, messagesCompleted) => {
    await leaveIncomplete('operation-1');
    memory.completeUpTo = world.clock.now();
    world.clock.advance(fiveMinutes);
    const counts = await retryDeliveries(running.ports, world.store, { kind }, memory);
    expect(counts).toMatchObject({ messagesCompleted });
  });

  it.each(['unknown', 'unavailable'])(
    'checks a message again, a day later too, whose delivery could not be written (%s)',
    async (what) => {
      await leaveIncomplete('operation-1');
      world.clock.advance(fiveMinutes);
      const deliveries = losingWrites(running.ports.deliveries, () => {
        if (what === 'unavailable') throw new Error('the store is unreachable');
        return true;
      });
      const round1 = round({ ...running.ports, deliveries });
      await (what === 'unknown' ? round1 : expect(round1).rejects.toThrow('the store is unreachable'));
      world.clock.advance(day);
      expect(await round()).toMatchObject({ messagesCompleted: 1 });
      expect(await running.ports.deliveries.count({ status: 'pending' })).toBe(1);
    },
  );

  it.each([
    ['the settlement', 'messages', 'awaiting_receipts'],
    ['the end of the delivery', 'deliveries', 'settled'],
  ] as const)('settles what ended for a deleted tenant when the answer of %s was lost', async (_what, name, before) => {
    await world.announce('operation-1');
    await world.broker.settle();
    // As when the deletion is recorded between the read of the mark and the delivery.
    await running.ports.deletedTenants.insert({ _id: 'acme', operationId: 'delete-acme', deletedAt: new Date(0) });
    world.broker.wipe();
    world.broker.applyTopology();
    world.clock.advance(fiveMinutes);
    const unknown = { outcome: 'unknown', reason: 'the answer was lost' } as const;
    const { messages, deliveries } = running.ports;
    const applied: typeof deliveries.mutate = (...write) => deliveries.mutate(...write).then(() => unknown);
    const counts = await round({
      ...running.ports,
      ...(name === 'messages' && { messages: { ...messages, mutate: async () => unknown } }),
      ...(name === 'deliveries' && { deliveries: { ...deliveries, mutate: applied } }),
    });
    const ended = { skippedDeleted: 1, unconfirmed: 0 };
    expect(counts).toMatchObject(name === 'messages' ? ended : { skippedDeleted: 0, unconfirmed: 1 });
    expect(await statusOf('operation-1')).toBe(before);
    world.clock.advance(day);
    await round();
    expect(await statusOf('operation-1')).toBe('settled');
    expect(memory.owed.size).toBe(0);
  });

  it('counts a message that it completed, and neither one that waits nor one that it could not complete', async () => {
    await world.announce('operation-1');
    await world.broker.settle();
    expect(await completeMessages(running.ports, null)).toEqual({ completed: 0, incompleteSince: null });
    await leaveIncomplete('operation-2');
    const { createdAt } = (await running.ports.messages.findById('operation-2'))!;
    const failing = { ...running.ports, deliveries: losingWrites(running.ports.deliveries) };
    expect(await completeMessages(failing, null)).toEqual({ completed: 0, incompleteSince: createdAt });
    expect(await completeMessages(running.ports, null)).toEqual({ completed: 1, incompleteSince: null });
  });

  it('does not count a message that waits for one of its receipts only', async () => {
    await world.register('search-index');
    await world.announce('operation-1');
    await world.broker.settle();
    await world.receipt('storage', 'operation-1');
    await world.broker.settle();
    expect(await completeMessages(running.ports, null)).toEqual({ completed: 0, incompleteSince: null });
  });

  it('goes back to a message that lacks only its settlement, until that one is known', async () => {
    await world.announce('operation-1');
    await world.broker.settle();
    const { createdAt } = (await running.ports.messages.findById('operation-1'))!;
    const lost = answering(running.ports, 'messages', 'unknown');
    await recordReceipt(lost, 'storage', {
      ...{ tenantId: 'acme', operationId: 'operation-1', transition: 'suspended', receiptId: 'r-1' },
      effectiveAt: requestedAt,
    });
    expect(await completeMessages(lost, null)).toEqual({ completed: 0, incompleteSince: createdAt });
    expect(await completeMessages(running.ports, null)).toEqual({ completed: 1, incompleteSince: null });
    expect(await statusOf('operation-1')).toBe('settled');
  });

  it.each([
    ['first', ['operation-1', 'operation-2', 'operation-3']],
    ['last', ['operation-3', 'operation-2', 'operation-1']],
  ])(
    'goes back to the earliest message that it could not complete, also where that one ends %s',
    async (_at, order) => {
      const accepted: Date[] = [];
      for (const operationId of ['operation-1', 'operation-2', 'operation-3']) {
        await leaveIncomplete(operationId);
        accepted.push((await running.ports.messages.findById(operationId))!.createdAt);
        world.clock.advance(1_000);
      }
      const ended = new Map(order.map((operationId) => [operationId, createLatch()]));
      ended.get(order[0]!)!.open();
      const hasOpenDelivery = async (operationId: string): Promise<boolean> => {
        await ended.get(operationId)!.wait();
        // The next one ends once the result of this one is counted.
        void turns(10).then(() => ended.get(order[order.indexOf(operationId) + 1] ?? '')?.open());
        return true;
      };
      const failing = { ...running.ports, hasOpenDelivery, deliveries: losingWrites(running.ports.deliveries) };
      expect(await completeMessages(failing, null)).toEqual({ completed: 0, incompleteSince: accepted[0] });
    },
  );

  describe('reads page by page', () => {
    /** Reads of a list in pages: what each one asked for. */
    function pagesOf<T extends { readonly _id: string }>(all: readonly T[]) {
      const asked: unknown[] = [];
      const find = async (_filter: object, { limit, after }: { limit: number; after?: readonly unknown[] }) => {
        asked.push(after);
        const from = after ? all.findIndex(({ _id }) => _id === after.at(-1)) + 1 : 0;
        return all.slice(from, from + limit);
      };
      return { asked, find: find as never };
    }
    const idOf = (index: number) => `id-${String(index).padStart(3, '0')}`;
    const at = new Date(0);

    it.each([
      [0, [undefined]],
      [199, [undefined]],
      [200, [undefined, [at, idOf(199)]]],
      [201, [undefined, [at, idOf(199)]]],
    ])('settles each of %i waived deliveries, and reads no page beyond the last', async (count, pages) => {
      const all = Array.from({ length: count }, (_, index) =>
        forged<WaivedDelivery>({ _id: idOf(index), operationId: idOf(index), resolution: { at } } as never),
      );
      const { asked, find } = pagesOf(all as unknown as WaivedDelivery[]);
      const hasOpenDelivery = jest.fn(async (_operationId: string) => true);
      const deliveries = { ...running.ports.deliveries, find };
      await settleWaived({ ...running.ports, deliveries, hasOpenDelivery }, at);
      expect(hasOpenDelivery.mock.calls.flat().toSorted()).toEqual(all.map((one) => one._id));
      expect(asked).toEqual(pages);
    });

    it.each([
      [0, [undefined]],
      [199, [undefined]],
      [200, [undefined, [at, idOf(199)]]],
      [201, [undefined, [at, idOf(199)]]],
    ])('checks each of %i messages, and reads no page beyond the last', async (count, pages) => {
      const all = Array.from({ length: count }, (_, index) =>
        forged<AwaitingMessage>({ _id: idOf(index), createdAt: at, required: ['storage'] } as never),
      );
      const { asked, find } = pagesOf(all as unknown as AwaitingMessage[]);
      const hasOpenDelivery = jest.fn(async (_operationId: string) => true);
      const messages = { ...running.ports.messages, find };
      const succeeded = async ({ operationId: { $in } }: { operationId: { $in: string[] } }) =>
        $in.map((operationId) => ({ operationId, status: 'succeeded' }));
      const deliveries = { ...running.ports.deliveries, find: succeeded as never };
      const checked = await completeMessages({ ...running.ports, messages, deliveries, hasOpenDelivery }, null);
      expect(checked).toEqual({ completed: count, incompleteSince: null });
      expect(asked).toEqual(pages);
    });

    it.each([
      [1, [200]],
      [5, [1_000]],
      [6, [996, 204]],
    ])('reads the deliveries of a page of messages with %i each in as few queries as fit', async (each, limits) => {
      const required = Array.from({ length: each }, (_, index) => `consumer-${index}`);
      const all = Array.from({ length: 200 }, (_, index) =>
        forged<AwaitingMessage>({ _id: idOf(index), createdAt: at, required } as never),
      );
      const { find } = pagesOf(all as unknown as AwaitingMessage[]);
      const asked: number[] = [];
      const pending = async ({ operationId }: { operationId: { $in: string[] } }, { limit }: { limit: number }) => {
        asked.push(limit);
        return operationId.$in.flatMap((id) => required.map(() => ({ operationId: id, status: 'pending' })));
      };
      const deliveries = { ...running.ports.deliveries, find: pending as never };
      const messages = { ...running.ports.messages, find };
      const checked = await completeMessages({ ...running.ports, messages, deliveries }, null);
      expect(checked).toEqual({ completed: 0, incompleteSince: null });
      expect(asked).toEqual(limits);
    });
  });
});
