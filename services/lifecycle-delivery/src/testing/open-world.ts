/**
 * A delivery service on real servers with its own namespace and database, for integration tests. Without a document
 * store in the environment the in-memory store is used; the broker is always a real one.
 */
import { createIds, silentLog, systemClock, type Log, type Revisioned } from '@platform/kernel';
import {
  lifecycleRequests,
  lifecycleSubjects,
  lifecycleTypes,
  lifecycleMessageIds,
  type LifecycleOfOperation,
  type LifecycleTransition,
  type SettledMessage,
} from '@platform/contracts-lifecycle-delivery';
import { connectMessaging, ensureTopology, platformTopology, type Messaging } from '@platform/messaging';
import type { TestServer } from '@platform/messaging/testing';
import { connectStore, type Store } from '@platform/mongo';
import { createFakeStore } from '@platform/mongo/testing';
import { eventually, uniqueName } from '@platform/testing';
import { deliveryCollections, startDelivery, type HttpResources, type RunningDelivery } from '../delivery';

export interface OpenWorld {
  readonly namespace: string;
  readonly natsUrl: string;
  readonly store: Store;
  readonly operator: Messaging;
  /** Settlements that the operator's durable has seen, by operationId. */
  readonly settled: Map<string, SettledMessage>;
  /** Starts an instance of the service on its own connection; closed with the world at the latest. */
  start(log?: Log, http?: HttpResources): Promise<RunningDelivery>;
  connect(name: string): Promise<Messaging>;
  /**
   * Resets streams and durables to those of a new broker disk: removes the data folder of a broker that belongs to the
   * test, or else all messages of this namespace.
   */
  wipeBroker(): Promise<void>;
  announce(operationId: string, transition?: LifecycleTransition, tenantId?: string): Promise<void>;
  operation(operationId: string): Promise<LifecycleOfOperation>;
  settlementOf(operationId: string): Promise<SettledMessage>;
  close(): Promise<void>;
}

/** `broker`: the test's own broker, which the test may kill; the caller stops it. */
export async function openWorld(name: string, broker?: TestServer): Promise<OpenWorld> {
  const natsUrl = broker?.url ?? process.env['TEST_NATS_URL'];
  if (!natsUrl)
    throw new Error('TEST_NATS_URL is not set: integration tests need the broker that the global setup starts');
  const namespace = uniqueName(name);
  const topology = platformTopology();
  await ensureTopology({ url: natsUrl, topology, namespace });
  const releases: (() => Promise<void>)[] = [];
  const store = await openStore(namespace);
  releases.push(() => store.close());
  const connect = async (connection: string): Promise<Messaging> => {
    const messaging = await connectMessaging({
      url: natsUrl,
      name: connection,
      namespace,
      topology,
      log: silentLog,
      pullExpiresMs: 1_000,
      redelivery: { baseMs: 50, capMs: 200 },
    });
    releases.push(() => messaging.close());
    return messaging;
  };
  const operator = await connect('operator');
  const settled = new Map<string, SettledMessage>();
  await operator.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator' }, async ({ body }) => {
    settled.set((body as SettledMessage).operationId, body as SettledMessage);
    return { kind: 'ack' };
  });
  const request = async (operationId: string): Promise<LifecycleOfOperation> => {
    const answer = await operator.request(lifecycleRequests.operation, { operationId }, 60_000);
    if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
    return answer.value as LifecycleOfOperation;
  };
  return {
    namespace,
    natsUrl,
    store,
    operator,
    settled,
    connect,
    async start(log = silentLog, http) {
      for (const declaration of deliveryCollections) store.collection<Revisioned>(declaration);
      await store.ensureIndexes();
      const running = await startDelivery({
        store,
        messaging: await connect('lifecycle-delivery'),
        clock: systemClock,
        random: Math.random,
        log,
        ...(http && { http }),
      });
      releases.push(() => running.close());
      return running;
    },
    async wipeBroker() {
      if (broker) {
        await broker.kill();
        await broker.restart({ wiped: true });
      } else {
        await deleteStreams(natsUrl, namespace);
      }
      await ensureTopology({ url: natsUrl, topology, namespace });
    },
    async announce(operationId, transition = 'suspended', tenantId = 'acme') {
      const body = { tenantId, operationId, transition, requestedAt: new Date().toISOString() };
      const message = {
        subject: lifecycleSubjects.message(transition),
        id: lifecycleMessageIds.message(operationId),
        type: lifecycleTypes.message(transition),
        body,
      };
      // Repeats until the broker has it, as an outbox does.
      await eventually(async () => (await operator.publish(message)) === 'acknowledged', {
        describe: `${operationId} announced`,
      });
    },
    operation: request,
    settlementOf: (operationId) =>
      eventually(() => settled.get(operationId), { describe: `settlement of ${operationId}` }),
    async close() {
      for (const release of releases.reverse()) await release();
      await deleteStreams(natsUrl, namespace);
    },
  };
}

async function openStore(database: string): Promise<Store> {
  const url = process.env['TEST_MONGODB_URL'];
  if (!url) return createFakeStore();
  return connectStore({
    url,
    database,
    clock: systemClock,
    ids: createIds(),
    log: silentLog,
    appName: 'lifecycle-delivery-tests',
    startPatienceMs: 120_000,
  });
}

/** Removes the namespace's streams as the loss of the broker's disk would. */
async function deleteStreams(url: string, namespace: string): Promise<void> {
  const { connect } = await import('@nats-io/transport-node');
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const connection = await connect({ servers: url });
  try {
    const manager = await jetstreamManager(connection);
    const prefix = `${namespace.toUpperCase()}_`;
    const names: string[] = [];
    for await (const { config } of manager.streams.list()) if (config.name.startsWith(prefix)) names.push(config.name);
    for (const name of names) await manager.streams.delete(name);
  } finally {
    await connection.close();
  }
}
