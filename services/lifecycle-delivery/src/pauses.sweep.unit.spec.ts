/** Every fault at every port call of a pause, of a message that comes meanwhile, and of the resumption: nothing is lost. */
import {
  lifecycleMessageIds,
  lifecycleRequests,
  lifecycleStreams,
  lifecycleSubjects,
  lifecycleTypes,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { StoreUnavailableError } from '@platform/mongo';
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
import { assembleDelivery, startDelivery, type Relay } from './delivery';
import { onLifecycleMessage } from './messages/on-lifecycle-message';
import { onReceipt } from './messages/on-receipt';
import { registrationEndpoints } from './messages/serve-registration';
import { consumersCollection } from './store/consumers';
import { deletedTenantsCollection } from './store/deleted-tenants';
import { deliveriesCollection } from './store/deliveries';
import { messagesCollection } from './store/messages';
import type { DeliveryPorts } from './workflows/ports';
import { retryDeliveries } from './workflows/retry-deliveries';

const consumer = 'storage';
const operations = ['operation-before', 'operation-meanwhile'];
const requestedAt = '2026-01-01T00:00:00.000Z';

async function createWorld() {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const broker = createFakeBroker({ clock });
  const outside = broker.connect('outside');
  const [deliveries, messages, consumers] = [
    store.collection(deliveriesCollection),
    store.collection(messagesCollection),
    store.collection(consumersCollection),
  ];
  const effects = new Set<string>();
  const violations = new Set<string>();
  const registration = { name: consumer, registeredBy: 'storage-1', transitions: ['suspended'] };
  let current: Messaging | null = null;
  const connect = async (): Promise<Messaging> => {
    await current?.close();
    current = broker.connect('lifecycle-delivery');
    return current;
  };
  const first = await startDelivery({
    ...{ store, clock, random: () => 0, log: silentLog },
    messaging: await connect(),
  });
  await outside.request(lifecycleRequests.register(consumer), registration, 1_000);
  await first.close();
  await outside.consume({ stream: 'TENANT_LIFECYCLE', durable: consumer }, async ({ body }) => {
    const { operationId } = body as LifecycleMessage;
    if (operationId === 'operation-meanwhile' && consumers.all()[0]?.paused)
      violations.add(`${operationId} was sent while its consumer was paused`);
    effects.add(operationId);
    await outside.publish({
      subject: lifecycleSubjects.receipt(consumer),
      id: `receipt:${operationId}`,
      type: lifecycleTypes.receipt,
      body: { ...(body as LifecycleMessage), receiptId: operationId, effectiveAt: requestedAt },
    });
    return { kind: 'ack' };
  });
  return {
    clock,
    store,
    broker,
    /** The broker connection of a new boot; the former one ends with its process. */
    connect,
    async announce(operationId: string) {
      const body = { tenantId: 'acme', operationId, transition: 'suspended', requestedAt };
      await outside.publish({
        subject: lifecycleSubjects.message('suspended'),
        id: lifecycleMessageIds.message(operationId),
        type: lifecycleTypes.message('suspended'),
        body,
      });
      await broker.settle();
    },
    /** Asks as a person does, who repeats a request without an answer under its id. */
    async ask(action: 'pause' | 'resume'): Promise<boolean> {
      const request = { requestId: `${action}-1`, action, reason: 'maintenance', by: 'ann@example.com', consumer };
      const answered = (await outside.request(lifecycleRequests.act, request, 1_000)).ok;
      await broker.settle();
      return answered;
    },
    check(): string[] {
      const [record] = consumers.all();
      const ids = record?.actions?.map(({ requestId }) => requestId) ?? [];
      return [
        ...violations,
        ...(ids.join() === 'pause-1,resume-1' ? [] : [`the actions on record are ${ids.join()}`]),
        ...operations.filter((id) => !effects.has(id)).map((id) => `${id} never took effect`),
        ...deliveries
          .all()
          .flatMap(({ operationId, status }) => (status === 'succeeded' ? [] : [`${operationId} ${status}`])),
        ...(messages.all().filter(({ status }) => status === 'settled').length === operations.length
          ? []
          : ['a message was never settled']),
      ];
    },
  };
}

type World = Awaited<ReturnType<typeof createWorld>>;

const asynchronous = [
  ...[messagesCollection, deliveriesCollection, consumersCollection, deletedTenantsCollection].flatMap(({ name }) =>
    ['findById', 'find', 'count', 'insert', 'mutate', 'outbox.pending', 'outbox.confirm'].map(
      (method) => `store.collection(${name}).${method}`,
    ),
  ),
  'store.now',
];

const faultsFor = combineFaults<World>(
  storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
  messagingFaults({ port: 'messaging' }),
);

async function repeated(ask: () => Promise<boolean>): Promise<void> {
  for (let again = 0; again < 4 && !(await ask()); again += 1);
}

interface Life {
  readonly relay: Relay;
  readonly round: () => Promise<void>;
}
/** A build that breaks a law. */
type Mutation = (ports: DeliveryPorts) => DeliveryPorts;

async function rounds(life: Life, { clock, broker }: World, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    clock.advance(331_000);
    await life.round();
    await life.relay.sweep();
    await broker.settle();
  }
}

function scenario(mutation: Mutation = (ports) => ports): Scenario<World, Life> {
  return {
    name: 'a pause',
    createWorld,
    async boot(world, { tape }) {
      for (const name of asynchronous) tape.kinds.set(name, 'async');
      const store = instrument('store', world.store, tape);
      const messaging = instrument('messaging', await world.connect(), tape);
      const assembled = assembleDelivery({ store, messaging, clock: world.clock, random: () => 0, log: silentLog });
      const ports = mutation(assembled.ports);
      const durable = 'lifecycle-delivery';
      await messaging.consume({ stream: lifecycleStreams.messages, durable }, onLifecycleMessage(ports));
      await messaging.consume({ stream: lifecycleStreams.receipts, durable }, onReceipt(ports));
      await messaging.serve(
        { name: durable, version: '0.1.0', description: 'sweep' },
        registrationEndpoints(ports, () => undefined),
      );
      const round = (): Promise<void> =>
        retryDeliveries(ports, store, { kind: 'due' }).then(
          () => undefined,
          () => undefined,
        );
      return { relay: assembled.relay, round };
    },
    async act(life, world) {
      await world.announce('operation-before');
      await repeated(() => world.ask('pause'));
      await world.announce('operation-meanwhile');
      await rounds(life, world, 1);
      await repeated(() => world.ask('resume'));
      await rounds(life, world, 1);
    },
    async recover(life, world) {
      // The person repeats each request under its id until it is answered, in the order in which they were made.
      await repeated(() => world.ask('pause'));
      for (const operationId of operations) await world.announce(operationId);
      await repeated(() => world.ask('resume'));
      world.broker.redeliverAll();
      await world.broker.settle();
      await rounds(life, world, 3);
    },
    check: (world) => world.check(),
    faultsFor,
  };
}

const pausesNothing: Mutation = (ports) => ({
  ...ports,
  readConsumers: async () => (await ports.readConsumers()).map((one) => ({ ...one, paused: false })),
});
/** Takes a consumer that is paused as one that is not required. */
const losesWhatComesMeanwhile: Mutation = (ports) => ({
  ...ports,
  readConsumers: async () => (await ports.readConsumers()).filter(({ paused }) => !paused),
});
const actsTwice: Mutation = (ports) => ({
  ...ports,
  consumers: {
    ...ports.consumers,
    findById: async (id) => {
      const found = await ports.consumers.findById(id);
      return found && { ...found, actions: found.actions?.map((each) => ({ ...each, requestId: 'forgotten' })) ?? [] };
    },
  },
});

describe('the crash sweep of pauses', () => {
  it('finds no violation for any fault at any port call', async () => {
    const result = await runSweep(scenario(), {});
    process.stdout.write(`${formatSweep([result])}\n`);
    assertNoViolations(result);
    expect(result.calls.length).toBeGreaterThan(40);
  });

  it.each([
    ['a pause stops nothing', pausesNothing, 'was sent while its consumer was paused'],
    ['what comes meanwhile is lost', losesWhatComesMeanwhile, 'operation-meanwhile never took effect'],
    ['a repeated request acts twice', actsTwice, 'the actions on record are'],
  ])('fails when %s', async (_law, mutation, violation) => {
    const result = await runSweep(scenario(mutation), { only: { k: 0, fault: 'none' } });
    expect(formatSweep([result])).toContain(violation);
    expect(() => assertNoViolations(result)).toThrow('violations');
  });
});
