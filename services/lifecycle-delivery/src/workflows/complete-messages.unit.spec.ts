/** What a round checks again: the messages since the last one, and whatever the last one could not bring to its end. */
import { forged } from '@platform/durable/testing';
import type { RunningDelivery } from '../delivery';
import type { MessageRecord } from '../domain/lifecycle-message';
import { createFakeWorld, requestedAt, type FakeWorld } from '../testing/fake-world';
import type { DeliveryPorts } from './ports';
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

  it.each(['unknown', 'unavailable'])(
    'checks a message again, a day later too, whose delivery could not be written (%s)',
    async (what) => {
      await leaveIncomplete('operation-1');
      world.clock.advance(fiveMinutes);
      const { deliveries } = running.ports;
      const insert: typeof deliveries.insert = async () => {
        if (what === 'unavailable') throw new Error('the store is away');
        return { outcome: 'unknown', reason: 'the answer was lost' };
      };
      const round1 = round({ ...running.ports, deliveries: { ...deliveries, insert } });
      await (what === 'unknown' ? round1 : expect(round1).rejects.toThrow('the store is away'));
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
    await round({
      ...running.ports,
      ...(name === 'messages' && { messages: { ...messages, mutate: async () => unknown } }),
      ...(name === 'deliveries' && { deliveries: { ...deliveries, mutate: applied } }),
    });
    expect(await statusOf('operation-1')).toBe(before);
    world.clock.advance(day);
    await round();
    expect(await statusOf('operation-1')).toBe('settled');
    expect(memory.owed.size).toBe(0);
  });
});
