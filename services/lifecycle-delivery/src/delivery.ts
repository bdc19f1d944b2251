/**
 * Connects stores, workflows and messages to two open ports, the document store and the broker. It is separate from
 * `compose.ts` so that tests and the crash sweep start exactly what production starts, with their own ports.
 */
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import type { Clock, Log } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import type { Store } from '@platform/mongo';
import { createOutboxRelay, type OutboxRelay } from '@platform/outbox';
import { createReportBudget } from './domain/report-budget';
import type { Endpoints, SigningSecrets } from './endpoints/port';
import { onLifecycleMessage } from './messages/on-lifecycle-message';
import { onReceipt, onUnreadableReport } from './messages/on-receipt';
import { inspectionEndpoints } from './messages/serve-inspection';
import { registrationEndpoints } from './messages/serve-registration';
import { createBatchedRead, withBatchedReads } from './store/batched-read';
import { auditBlocksCollection } from './store/audit-blocks';
import { allConsumers, consumersCollection } from './store/consumers';
import { deletedTenantsCollection } from './store/deleted-tenants';
import { deliveriesCollection, haveOpenDeliveries } from './store/deliveries';
import { messagesCollection } from './store/messages';
import { startConsumerWorker } from './workflows/consumer-worker';
import { createCouriers } from './workflows/couriers';
import type { DeliveryPorts } from './workflows/ports';
import { startRetryWorker, type RetryWorker } from './workflows/retry-worker';

export interface DeliveryResources {
  readonly store: Store;
  readonly messaging: Messaging;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Called for each report that was acknowledged without being read. */
  readonly passedOver?: (consumer: string) => void;
  /** Absent: no team is served over HTTP. */
  readonly http?: HttpResources;
}

/** What teams without the broker are served with. */
export interface HttpResources {
  readonly endpoints: Endpoints;
  readonly secrets: SigningSecrets;
  /** POSTs of this process to one endpoint at a time. */
  readonly concurrency: number;
  /** Called for each POST with what came of it. */
  readonly posted?: (consumer: string, outcome: string) => void;
}

const notServed = 'no team is served over HTTP here';
const noHttp: HttpResources = {
  endpoints: { objectionTo: () => notServed, post: async () => ({ kind: 'not_sent', reason: notServed }) },
  secrets: { read: async () => ({ ok: false, problem: notServed }) },
  concurrency: 1,
};

export type Relay = OutboxRelay<'lifecycle_messages'>;

/** Collections of the service; declared before the store's indexes are ensured. */
export const deliveryCollections = [
  messagesCollection,
  deliveriesCollection,
  consumersCollection,
  deletedTenantsCollection,
  auditBlocksCollection,
];

/** Name of this service's durables on the streams that it reads. */
const durable = 'lifecycle-delivery';
/** Messages of each stream that are handled at a time: writes of many messages share the store's group commit. */
const concurrency = 32;

/** Prepares the collections and the relay without starting anything. */
export function assembleDelivery(resources: DeliveryResources): {
  readonly ports: DeliveryPorts;
  readonly relay: Relay;
} {
  const { store, messaging, clock, random, log, http = noHttp } = resources;
  const messages = withBatchedReads(store.collection(messagesCollection));
  const deliveries = withBatchedReads(store.collection(deliveriesCollection));
  const consumers = store.collection(consumersCollection);
  const everyConsumer = createBatchedRead(async () => [await allConsumers(consumers)]);
  const relay = createOutboxRelay({
    sources: { lifecycle_messages: messages.outbox },
    publish: (message) => messaging.publish(message),
    clock,
    log,
  });
  const ports: DeliveryPorts = {
    messages,
    deliveries,
    consumers,
    deletedTenants: withBatchedReads(store.collection(deletedTenantsCollection)),
    hasOpenDelivery: createBatchedRead((operationIds) => haveOpenDeliveries(deliveries, operationIds)),
    readConsumers: () => everyConsumer('all'),
    reports: createReportBudget(clock),
    passedOver: resources.passedOver ?? (() => undefined),
    broker: messaging,
    endpoints: http.endpoints,
    secrets: http.secrets,
    posted: http.posted ?? (() => undefined),
    clock,
    random,
    log,
    announce: (recordId, entries) => relay.publishNow('lifecycle_messages', recordId, entries),
  };
  return { ports, relay };
}

export interface RunningDelivery {
  readonly ports: DeliveryPorts;
  readonly relay: Relay;
  readonly worker: RetryWorker;
  /** The broker has lost what it held: announcements and deliveries are sent again from the records. */
  streamsRecreated(): void;
  /** Stops in the reverse order of the start: accepts no more messages, then finishes those under way. */
  close(): Promise<void>;
}

/** Starts the service on open ports whose streams exist. */
export async function startDelivery(resources: DeliveryResources): Promise<RunningDelivery> {
  const { store, messaging } = resources;
  const { ports, relay } = assembleDelivery(resources);
  relay.start();
  const worker = startRetryWorker(ports, store);
  const couriers = createCouriers(ports, (resources.http ?? noHttp).concurrency);
  const consumerWorker = startConsumerWorker(ports, couriers);
  const lifecycle = await messaging.consume(
    { stream: lifecycleStreams.messages, durable: durable, concurrency: concurrency },
    onLifecycleMessage(ports),
  );
  const receipts = await messaging.consume(
    { stream: lifecycleStreams.receipts, durable, concurrency, unreadable: onUnreadableReport(ports) },
    onReceipt(ports),
  );
  const endpoints = [
    ...registrationEndpoints(ports, worker.consumerReturned, consumerWorker.alignSoon),
    ...inspectionEndpoints(ports),
  ];
  const inspection = await messaging.serve(
    {
      name: durable,
      version: '0.1.0',
      description: 'Required consumers, deliveries and receipts of tenant lifecycle transitions',
    },
    endpoints,
  );
  return {
    ports,
    relay,
    worker,
    streamsRecreated() {
      relay.streamsRecreated();
      worker.streamsRecreated();
    },
    async close() {
      await inspection.close();
      await Promise.all([receipts.close(), lifecycle.close()]);
      await Promise.all([worker.close(), consumerWorker.close()]);
      await couriers.close();
      await relay.close();
    },
  };
}
