/**
 * One consumer on fakes, people's requests about it, and every fault at every port call: the world of the action
 * sweeps.
 */
import {
  lifecycleMessageIds,
  lifecycleRequests,
  lifecycleStreams,
  lifecycleSubjects,
  lifecycleTypes,
  type ActOnConsumer,
  type ConsumerTest,
  type LifecycleMessage,
} from '@platform/contracts-lifecycle-delivery';
import { createManualClock, createSequentialIds, silentLog } from '@platform/kernel';
import type { InboundMessage, Messaging } from '@platform/messaging';
import { createFakeBroker } from '@platform/messaging/testing';
import { StoreUnavailableError } from '@platform/mongo';
import { createFakeStore } from '@platform/mongo/testing';
import { combineFaults, instrument, messagingFaults, storeFaults, type Scenario } from '@platform/testing';
import { assembleDelivery, startDelivery, type HttpResources, type Relay } from '../delivery';
import { onLifecycleMessage } from '../messages/on-lifecycle-message';
import { onReceipt } from '../messages/on-receipt';
import { registrationEndpoints } from '../messages/serve-registration';
import { consumersCollection } from '../store/consumers';
import { deletedTenantsCollection } from '../store/deleted-tenants';
import { deliveriesCollection } from '../store/deliveries';
import { messagesCollection } from '../store/messages';
import { takeUpActions } from '../workflows/consumer-worker';
import { createCouriers } from '../workflows/couriers';
import type { DeliveryPorts } from '../workflows/ports';
import { retryDeliveries } from '../workflows/retry-deliveries';
import { requestedAt } from './fake-world';

const consumer = 'storage';
/** So small that a replay of a few messages has several pages. */
const replayPage = 2;

export async function createActionsWorld(onReceived: (message: InboundMessage) => void = () => undefined) {
  const clock = createManualClock();
  const store = createFakeStore({ clock, ids: createSequentialIds() });
  const broker = createFakeBroker({ clock });
  const outside = broker.connect('outside');
  const received: InboundMessage[] = [];
  const registration = { name: consumer, registeredBy: 'storage-1', transitions: ['suspended'], answersTests: true };
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
  const answer = (id: string, type: string, body: object) =>
    outside.publish({ subject: lifecycleSubjects.receipt(consumer), id, type, body: { ...body } });
  await outside.consume({ stream: lifecycleStreams.deliveries, durable: consumer }, async (message) => {
    received.push(message);
    onReceived(message);
    const given = { effectiveAt: requestedAt };
    if (message.type === lifecycleTypes.test) {
      const { testId } = message.body as ConsumerTest;
      await answer(`test-receipt:${testId}`, lifecycleTypes.testReceipt, { ...given, testId, receiptId: testId });
    } else {
      const body = message.body as LifecycleMessage;
      const receiptId = body.operationId;
      await answer(`receipt:${receiptId}:${received.length}`, lifecycleTypes.receipt, { ...given, ...body, receiptId });
    }
    return { kind: 'ack' };
  });
  return {
    ...{ clock, store, broker, received, connect },
    deliveries: store.collection(deliveriesCollection),
    messages: store.collection(messagesCollection),
    consumers: store.collection(consumersCollection),
    async announce(operationId: string, tenantId = 'acme') {
      await outside.publish({
        subject: lifecycleSubjects.message('suspended'),
        id: lifecycleMessageIds.message(operationId),
        type: lifecycleTypes.message('suspended'),
        body: { tenantId, operationId, transition: 'suspended', requestedAt },
      });
      await broker.settle();
    },
    /** Sends a request as a person does, who repeats an unanswered request under the same id. */
    async ask(action: ActOnConsumer['action'], over: Partial<ActOnConsumer> = {}): Promise<boolean> {
      const request = { requestId: `${action}-1`, action, reason: 'maintenance', by: 'ann@example.com', consumer };
      const answered = await outside.request(lifecycleRequests.act, { ...request, ...over }, 1_000);
      await broker.settle();
      return answered.ok;
    },
  };
}

export type ActionsWorld = Awaited<ReturnType<typeof createActionsWorld>>;

const asynchronous = [
  ...[messagesCollection, deliveriesCollection, consumersCollection, deletedTenantsCollection].flatMap(({ name }) =>
    ['findById', 'find', 'count', 'insert', 'mutate', 'outbox.pending', 'outbox.confirm'].map(
      (method) => `store.collection(${name}).${method}`,
    ),
  ),
  ...['store.now', 'endpoints.post', 'secrets.read'],
];

/** The faults, for any world that includes this one. */
export const actionFaults = <World>(): Scenario<World, unknown>['faultsFor'] =>
  combineFaults<World>(
    storeFaults({ port: 'store', unavailable: () => new StoreUnavailableError('simulated') }),
    messagingFaults({ port: 'messaging' }),
  );

export async function repeated(ask: () => Promise<boolean>): Promise<void> {
  for (let again = 0; again < 4 && !(await ask()); again += 1);
}

export interface ActionsLife {
  /** Opens and closes the couriers of teams over HTTP. */
  readonly align: () => Promise<void>;
  readonly relay: Relay;
  /** One round of the retry worker. */
  readonly round: () => Promise<void>;
  /** One round of the worker that continues recorded requests. */
  readonly takeUp: () => Promise<void>;
}

type Tape = Parameters<Scenario<ActionsWorld, ActionsLife>['boot']>[1]['tape'];

function instrumentHttp(http: HttpResources, tape: Tape): HttpResources {
  const endpoints = instrument('endpoints', http.endpoints, tape);
  return { ...http, endpoints, secrets: instrument('secrets', http.secrets, tape) };
}

/** A build that breaks a law. */
export type Mutation = (ports: DeliveryPorts) => DeliveryPorts;

const nothing = (): void => undefined;

/** Starts everything that a process of the service does, except its timers. */
export async function bootActions(
  world: Pick<ActionsWorld, 'store' | 'connect' | 'clock'> & { readonly http?: HttpResources },
  { tape }: Parameters<Scenario<ActionsWorld, ActionsLife>['boot']>[1],
  mutation: Mutation,
): Promise<ActionsLife> {
  for (const name of asynchronous) tape.kinds.set(name, 'async');
  const store = instrument('store', world.store, tape);
  const messaging = instrument('messaging', await world.connect(), tape);
  const http = world.http && instrumentHttp(world.http, tape);
  const resources = { store, messaging, clock: world.clock, random: () => 0, log: silentLog };
  const assembled = assembleDelivery({ ...resources, ...(http && { http }) });
  const ports = mutation(assembled.ports);
  const couriers = http && createCouriers(ports, http.concurrency);
  const durable = 'lifecycle-delivery';
  await messaging.consume({ stream: lifecycleStreams.messages, durable }, onLifecycleMessage(ports));
  await messaging.consume({ stream: lifecycleStreams.receipts, durable }, onReceipt(ports));
  await messaging.serve(
    { name: durable, version: '0.1.0', description: 'sweep' },
    registrationEndpoints(ports, () => undefined),
  );
  const align = async (): Promise<void> => couriers?.align().catch(nothing);
  await align();
  return {
    align,
    relay: assembled.relay,
    round: () => retryDeliveries(ports, store, { kind: 'due' }).then(nothing, nothing),
    takeUp: () => takeUpActions(ports, replayPage).catch(nothing),
  };
}

type Turning = Pick<ActionsWorld, 'clock' | 'broker'>;

export async function rounds(life: ActionsLife, { clock, broker }: Turning, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    clock.advance(331_000);
    await life.align();
    await life.round();
    await life.relay.sweep();
    await broker.settle();
  }
}

/** Continues recorded requests every ten seconds. */
export async function takesUp(life: ActionsLife, { clock, broker }: ActionsWorld, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    clock.advance(10_000);
    await life.takeUp();
    await life.relay.sweep();
    await broker.settle();
  }
}

/** A world that remembers what was on record before a person acted. */
export interface SettledWorld extends ActionsWorld {
  readonly before: { state?: string };
}

export const createSettledWorld = async (): Promise<SettledWorld> => ({ ...(await createActionsWorld()), before: {} });

/** Settles the operations, whatever fault hit the life before, and remembers once what no later action may change. */
export function settleBefore(operations: readonly string[], stateOf: (world: ActionsWorld) => string) {
  return async (life: ActionsLife, world: SettledWorld): Promise<void> => {
    if (world.before.state !== undefined) return;
    for (const operationId of operations) await world.announce(operationId);
    world.broker.redeliverAll();
    await rounds(life, world, 3);
    world.before.state = stateOf(world);
  };
}

/** Treats each repeat of a person's request as a new one. */
export const forgetsRequests: Mutation = (ports) => ({
  ...ports,
  consumers: {
    ...ports.consumers,
    findById: async (id) => {
      const found = await ports.consumers.findById(id);
      return (
        found && {
          ...found,
          ...(found.actions && { actions: found.actions.map((each) => ({ ...each, requestId: 'forgotten' })) }),
        }
      );
    },
  },
});
