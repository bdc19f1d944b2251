/**
 * A consumer that is unreachable for days (PRV-01): counts what the broker holds and what senders and worker do
 * meanwhile, on fakes with simulated time.
 */
import {
  lifecycleMessageIds,
  lifecycleSubjects,
  lifecycleTypes,
  receivedByDelivery,
} from '@platform/contracts-lifecycle-delivery';
import { silentLog, type OutboxEntry, type Revisioned } from '@platform/kernel';
import type { InboundMessage } from '@platform/messaging';
import { createOutboxRelay } from '@platform/outbox';
import { createFakeWorld, requestedAt } from './testing/fake-world';
import { retryDeliveries } from './workflows/retry-deliveries';

const operations = 60;
const minuteMs = 60_000;

interface Sender extends Revisioned {
  readonly said: true;
}

function messageOf(operationId: string, createdAt: Date): OutboxEntry {
  return {
    id: lifecycleMessageIds.message(operationId),
    subject: lifecycleSubjects.message('suspended'),
    type: lifecycleTypes.message('suspended'),
    body: { tenantId: 'acme', operationId, transition: 'suspended', requestedAt },
    closesOn: 'receiver_record',
    createdAt,
  };
}

/** A sender with its records and its relay, like the gateway. */
function openSender(world: ReturnType<typeof createFakeWorld>) {
  const records = world.store.collection<Sender>({ name: 'senders', announces: true, indexes: [] });
  const relay = createOutboxRelay({
    sources: { senders: records.outbox },
    publish: (message) => world.operator.publish(message),
    received: receivedByDelivery((...question) => world.operator.request(...question)),
    clock: world.clock,
    log: silentLog,
  });
  return {
    relay,
    say: (operationId: string) =>
      records.insert({ _id: operationId, said: true }, [messageOf(operationId, world.clock.now())]),
    waiting: async () => (await records.outbox.backlog()).count,
  };
}

const idOf = (at: number): string => `operation-${String(at).padStart(3, '0')}`;

async function stored(world: ReturnType<typeof createFakeWorld>): Promise<Record<string, number | undefined>> {
  const states = await world.operator.streamStates(['LIFECYCLE', 'TENANT_LIFECYCLE']);
  return Object.fromEntries(states.map(({ stream, messages }) => [stream, messages]));
}

describe('a required consumer that is unreachable', () => {
  it('leaves one message and one delivery of each operation in the broker, after two days as after a minute', async () => {
    const world = createFakeWorld();
    const running = await world.boot();
    const sender = openSender(world);
    await world.register('storage');
    for (let at = 0; at < operations; at += 1) await sender.say(idOf(at));
    await sender.relay.sweep();
    await world.broker.settle();
    await sender.relay.sweep();
    expect(await sender.waiting()).toBe(0);
    for (let minute = 0; minute < 2 * 1_440; minute += 1) {
      world.clock.advance(minuteMs);
      await sender.relay.sweep();
      if (minute % 5 === 0) await retryDeliveries(running.ports, world.store, { kind: 'due' });
      // A replica that starts checks every delivery.
      if (minute % 720 === 0) await retryDeliveries(running.ports, world.store, { kind: 'everything' });
    }
    expect(await stored(world)).toEqual({ LIFECYCLE: operations, TENANT_LIFECYCLE: operations });
    const seen: InboundMessage[] = [];
    await world.consumeAll('storage', seen);
    await world.broker.settle();
    expect(seen).toHaveLength(operations);
    expect(await running.ports.messages.count({ status: 'awaiting_receipts' })).toBe(0);
    await running.close();
  });

  it('keeps what delivery itself has not taken yet with its sender, and says it ever more rarely', async () => {
    const world = createFakeWorld();
    const sender = openSender(world);
    await sender.say(idOf(0));
    for (let minute = 0; minute < 1_440; minute += 1) {
      await sender.relay.sweep();
      world.clock.advance(minuteMs);
    }
    expect(await sender.waiting()).toBe(1);
    const copies = (await stored(world))['LIFECYCLE']!;
    expect(copies).toBeGreaterThan(10);
    expect(copies).toBeLessThan(100);
    const running = await world.boot();
    await world.broker.settle();
    await sender.relay.sweep();
    expect(await sender.waiting()).toBe(0);
    await running.close();
  });

  it('ends nothing of the sender for a message that differs from the recorded one', async () => {
    const world = createFakeWorld();
    const running = await world.boot();
    const sender = openSender(world);
    await world.register('storage');
    await world.announce(idOf(0), 'suspended', 'globex');
    await world.broker.settle();
    await sender.say(idOf(0));
    await sender.relay.sweep();
    await world.broker.settle();
    await sender.relay.sweep();
    expect(await sender.waiting()).toBe(1);
    await running.close();
  });
});
