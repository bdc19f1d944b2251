/**
 * Injects every fault at every port call of recording a waiver and settling by it, in the tool and then in the service.
 */
import {
  lifecycleMessageIds,
  lifecycleRequests,
  lifecycleSubjects,
  lifecycleTypes,
  type SettledMessage,
} from '@platform/contracts-lifecycle-delivery';
import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import { createFakeBroker } from '@platform/messaging/testing';
import { StoreUnavailableError, type Store } from '@platform/mongo';
import { createFakeStore } from '@platform/mongo/testing';
import {
  assertNoViolations,
  combineFaults,
  formatSweep,
  instrument,
  messagingFaults,
  runSweep,
  storeFaults,
  type Scenario,
} from '@platform/testing';
import { waivePortsOf } from './cli/delivery-commands';
import { assembleDelivery, startDelivery, type Relay } from './delivery';
import type { Delivery, WaivedDelivery } from './domain/delivery';
import { deliveriesCollection } from './store/deliveries';
import { messagesCollection } from './store/messages';
import { waiverOf } from './testing/waivers';
import type { DeliveryPorts } from './workflows/ports';
import { retryDeliveries } from './workflows/retry-deliveries';
import { settleMessage } from './workflows/settle-message';
import { deliveryWaiver, type WaivePorts } from './workflows/waive-delivery';

const operationId = 'operation-1';
const consumer = 'storage';
const requestedAt = '2026-01-01T00:00:00.000Z';
const request = waiverOf(operationId, consumer);

/** A message that waits for a consumer that no longer exists; the service that accepted it has ended. */
async function createWorld() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const broker = createFakeBroker({ clock });
  const outside = broker.connect('outside');
  const deliveries = store.collection(deliveriesCollection);
  const messages = store.collection(messagesCollection);
  const settled: SettledMessage[] = [];
  const violations = new Set<string>();
  const first = await startDelivery({
    store,
    messaging: broker.connect('lifecycle-delivery'),
    clock,
    random: () => 0,
    log: silentLog,
  });
  const named = { name: consumer, registeredBy: 'storage-1' };
  await outside.request(lifecycleRequests.register(consumer), { ...named, transitions: ['suspended'] }, 1_000);
  await outside.publish({
    subject: lifecycleSubjects.message('suspended'),
    id: lifecycleMessageIds.message(operationId),
    type: lifecycleTypes.message('suspended'),
    body: { tenantId: 'acme', operationId, transition: 'suspended', requestedAt },
  });
  await broker.settle();
  await outside.request(lifecycleRequests.unregister(consumer), named, 1_000);
  await first.close();
  await outside.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator' }, async ({ body }) => {
    settled.push(body as SettledMessage);
    const [delivery] = deliveries.all();
    if (delivery?.status !== 'waived') violations.add('it was settled without a record of the waiver');
    return { kind: 'ack' };
  });
  // Rounds always check recent messages, so the test makes this one older.
  clock.advance(7_200_000);
  let recorded: string | null = null;

  return {
    clock,
    store,
    broker,
    /** The invariant at each moment: a waiver that was seen stays unchanged. */
    look(): void {
      const [delivery] = deliveries.all() as [Delivery];
      const now = delivery.status === 'waived' ? JSON.stringify((delivery as WaivedDelivery).resolution) : null;
      if (recorded !== null && now !== recorded) violations.add(`the waiver ${recorded} became ${String(now)}`);
      recorded ??= now;
    },
    check(): string[] {
      this.look();
      const [message] = messages.all();
      const bodies = new Set(settled.map((each) => JSON.stringify(each)));
      return [
        ...violations,
        ...(recorded === null ? ['the waiver was never recorded'] : []),
        ...(message?.status === 'settled' ? [] : ['the message was never settled']),
        ...(bodies.size === 1 ? [] : [`it was announced as settled with ${bodies.size} bodies`]),
        ...(settled.every(({ waived }) => waived?.[0]?.consumer === consumer) ? [] : ['a settlement names no waiver']),
      ];
    },
  };
}

type World = Awaited<ReturnType<typeof createWorld>>;
interface Life {
  readonly tool: WaivePorts;
  readonly ports: DeliveryPorts;
  readonly relay: Relay;
  readonly store: Store;
}

const faultsFor = combineFaults<World>(
  storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
  messagingFaults({ port: 'messaging' }),
);

/** Records a waiver as the tool does; `true` when the waiver is recorded, now or earlier. */
async function record({ tool }: Life): Promise<boolean> {
  const planned = await deliveryWaiver.plan(tool, request);
  return planned.ok ? (await deliveryWaiver.record(tool, planned.value)).ok : planned.error.includes('waived before');
}

function scenario(waive: (life: Life) => Promise<unknown> = record): Scenario<World, Life> {
  return {
    name: 'a waiver',
    createWorld,
    async boot(world, { tape }) {
      const store = instrument('store', world.store, tape);
      const messaging = instrument('messaging', world.broker.connect('lifecycle-delivery'), tape);
      const tool = { ...waivePortsOf(store, world.clock), retryPolicy: { tries: 1, pause: async () => {} } };
      const assembled = assembleDelivery({ store, messaging, clock: world.clock, random: () => 0, log: silentLog });
      return { tool, store, ports: assembled.ports, relay: assembled.relay };
    },
    async act(life, world) {
      await waive(life).catch(() => undefined);
      world.look();
      await life.relay.sweep();
      await world.broker.settle();
    },
    async recover(life, world) {
      // A person without an answer reads the record again, and records the waiver if it is missing.
      for (let again = 0; again < 3 && !(await record(life)); again += 1);
      world.look();
      for (let round = 0; round < 2; round += 1) {
        world.clock.advance(301_000);
        await retryDeliveries(life.ports, life.store, { kind: 'due' }).catch(() => undefined);
        await life.relay.sweep();
        await world.broker.settle();
      }
    },
    check: (world) => world.check(),
    faultsFor,
  };
}

describe('the crash sweep of waivers', () => {
  it('finds no violation for any fault at any port call', async () => {
    const result = await runSweep(scenario(), {});
    process.stdout.write(`${formatSweep([result])}\n`);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(8);
  });

  it('fails when access opens by a waiver that has no record', async () => {
    const open = async ({ tool, ports }: Life): Promise<void> => {
      const claimed = async (): Promise<Delivery[]> =>
        (await ports.deliveries.find({ operationId }, { limit: 10 })).map(
          (delivery) =>
            ({
              ...delivery,
              status: 'waived',
              resolution: { ...request, outcome: 'waived', at: delivery.createdAt },
            }) as never,
        );
      await settleMessage(
        { ...tool, hasOpenDelivery: async () => false, deliveries: { ...tool.deliveries, find: claimed } },
        operationId,
      );
    };
    const result = await runSweep(scenario(open), { only: { k: 0, fault: 'none' } });
    expect(formatSweep([result])).toContain('without a record of the waiver');
    expect(() => assertNoViolations(result)).toThrow('violations');
  });
});
