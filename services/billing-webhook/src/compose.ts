/** The composition root of the receiver: the only file that sees everything. Opened in order, closed in reverse. */
import { webhookCodes } from '@platform/contracts-billing-webhook';
import { PROVIDER_EVENT_STREAMS } from '@platform/contracts-provisioning';
import { createHttpServer, defineCodes, problem } from '@platform/http-server';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import {
  connectStore,
  createDatabaseClock,
  keepMeasuring,
  keepTrail,
  StoreUnavailableError,
  type Store,
} from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import { registerIncarnation, startPeriodic, supersession, type ServiceContext } from '@platform/service-host';
import { webhookSecretsOf, type Config } from './config';
import { webhookRoute } from './http/webhook-route';
import { onProviderOutcome } from './messages/on-provider-outcome';
import { webhookEventsEndpoint } from './messages/serve-webhook-events';
import { receiverPorts } from './receiver';
import { auditBlocksCollection, eventTrail } from './store/audit-blocks';
import { incarnationsCollection } from './store/executor-incarnations';
import { migrations } from './store/migrations';
import { webhookDigestsCollection } from './store/webhook-digests';
import { webhookEventsCollection } from './store/webhook-events';
import { timedBudget } from './workflows/await-outcome';
import { completeEvent } from './workflows/complete-event';
import { listEvents } from './workflows/list-events';
import type { Meter, WebhookPorts } from './workflows/ports';
import { receiveEvent } from './workflows/receive-event';
import { removeOldEvents } from './workflows/remove-old-events';
import { stopInterrupted } from './workflows/stop-interrupted';
import { judgeOldest, watchEndpoint } from './workflows/watch-endpoint';

type Context = ServiceContext<Config>;

const outcomeConcurrency = 32;
const retentionEveryMs = 3_600_000;
const watchEveryMs = 300_000;

/** How often the trail takes in what was resolved. */
const auditEveryMs = 30_000;

export async function compose(local: Context): Promise<{ readonly url: string }> {
  // One clock stamps and judges all records: the database's. Signatures are judged by this machine's, which is watched.
  const clock = createDatabaseClock(local.clock);
  const context: Context = { ...local, clock };
  const { config, ids, executor, log, open, metrics } = context;
  const store = await openStore(context);
  await clock.measure(() => store.now());
  await open(
    "the database's clock",
    keepMeasuring(clock, () => store.now(), log),
    (measuring) => measuring.close(),
  );
  const messaging = await openMessaging(context);
  const relay = await open(
    'outbox relay',
    createOutboxRelay({
      sources: { events: store.collection(webhookEventsCollection).outbox },
      publish: (message) => messaging.publish(message),
      clock,
      log,
    }),
    (opened) => opened.close(),
  );
  const ports = receiverPorts({
    store,
    clock,
    ids,
    executor,
    log,
    nudge: (eventId, entries) => void relay.nudge('events', eventId, entries),
    budget: () => timedBudget(config.WEBHOOK_WAIT_MS),
    meter: createMeter(metrics),
  });
  const incarnations = store.collection(incarnationsCollection);
  await stopInterrupted({
    ...ports,
    executorState: async (incarnation) => supersession(await incarnations.findById(incarnation)),
  });
  relay.start();
  const completing = onProviderOutcome((outcome) => completeEvent(ports, outcome));
  await open(
    'outcomes',
    messaging.consume(
      { stream: PROVIDER_EVENT_STREAMS.outcomes, durable: 'billing-webhook', concurrency: outcomeConcurrency },
      completing,
    ),
    (opened) => opened.close(),
  );
  const inspection = {
    name: 'billing-webhook',
    version: '0.1.0',
    description: 'Events of the payment provider, for people',
  };
  await open(
    'inspection',
    messaging.serve(inspection, [webhookEventsEndpoint((request) => listEvents(ports, request))]),
    (opened) => opened.close(),
  );
  await open(
    'retention',
    startPeriodic({
      name: 'retention',
      everyMs: retentionEveryMs,
      log,
      work: (stopping) => removeOldEvents(ports, config.WEBHOOK_RETENTION_DAYS, stopping),
    }),
    (opened) => opened.close(),
  );
  await open(
    'watch',
    startPeriodic({
      name: 'watch',
      everyMs: watchEveryMs,
      log,
      work: () => watchEndpoint(ports, config.WEBHOOK_WARN_HOURS),
    }),
    (opened) => opened.close(),
  );
  const trail = eventTrail(store);
  await open(
    'audit trail',
    startPeriodic({
      name: 'audit trail',
      everyMs: auditEveryMs,
      log,
      work: (stopping) => keepTrail(trail, clock, stopping),
    }),
    (opened) => opened.close(),
  );
  observe(context, ports);
  const server = createServer(local, { ports, store, messaging });
  await open('http server', server, (opened) => opened.close());
  return { url: await server.listen({ host: config.HOST, port: config.PORT }) };
}

async function openStore({ config, clock, ids, log, tracing, executor, open }: Context): Promise<Store> {
  const store = await open(
    'document store',
    connectStore({
      url: config.MONGODB_URL,
      database: config.MONGODB_DATABASE,
      migrations,
      clock,
      ids,
      log,
      tracing,
      appName: executor.instance,
    }),
    (opened) => opened.close(),
  );
  store.collection(webhookEventsCollection);
  store.collection(webhookDigestsCollection);
  store.collection(auditBlocksCollection);
  const records = store.collection(incarnationsCollection);
  await store.ensureIndexes();
  await open('incarnation', registerIncarnation({ records, executor, clock }), (registered) => registered.stop());
  return store;
}

async function openMessaging({ config, log, tracing, service, open, stop }: Context): Promise<Messaging> {
  let closing = false;
  const credentials =
    config.NATS_USER !== undefined && config.NATS_PASSWORD !== undefined
      ? { user: config.NATS_USER, password: config.NATS_PASSWORD }
      : undefined;
  const messaging = await open(
    'broker',
    connectMessaging({
      url: config.NATS_URL,
      name: service,
      topology: platformTopology(),
      log,
      tracing,
      ...(credentials && { credentials, inboxPrefix: `_INBOX_${service}` }),
    }),
    (opened) => {
      closing = true;
      return opened.close();
    },
  );
  void messaging.closed.then((error) => {
    if (!closing) stop('the connection to the broker has ended for good', error);
  });
  await messaging.assertTopology();
  return messaging;
}

function createServer(
  { config, log, tracing, metrics, clock, executor }: Context,
  { ports, store, messaging }: { readonly ports: WebhookPorts; readonly store: Store; readonly messaging: Messaging },
) {
  const limit = config.RATE_LIMIT_PER_MINUTE;
  return createHttpServer({
    name: 'billing-webhook',
    version: '0.1.0',
    routes: [
      webhookRoute({
        receive: (received) => receiveEvent(ports, received),
        secrets: webhookSecretsOf(config.WEBHOOK_SECRETS),
        toleranceSeconds: config.WEBHOOK_TOLERANCE_SECONDS,
        clock,
        meter: ports.meter,
      }),
    ],
    codes: defineCodes(webhookCodes),
    ...(limit > 0 && { rateLimit: { perAddress: limit, perCaller: limit, windowMs: 60_000 } }),
    readiness: {
      store: () => store.ping(),
      broker: async () => (messaging.connected() ? undefined : 'not connected'),
      consumers: async () => messaging.quietConsumers().join(', ') || undefined,
    },
    metrics,
    log,
    tracing,
    mapError: (error) =>
      error instanceof StoreUnavailableError ? problem('store_unavailable', { retryAfterSeconds: 2 }) : undefined,
    openapi: {
      title: 'Payment-provider webhooks',
      description: `Receives, admits and dispatches events once. Instance ${executor.instance}.`,
    },
  });
}

/** What operators watch: what is not resolved and for how long, and how long the provider will still repeat it. */
function observe({ metrics, clock, config }: Context, ports: WebhookPorts): void {
  for (const result of ['pending', 'reconciliation_required'] as const) {
    const oldest = async () => (await ports.events.find({ result }, { sort: { receivedAt: 1, _id: 1 }, limit: 1 }))[0];
    metrics.observedGauge({ name: `webhook_events_${result}`, help: `Events whose result is ${result}.` }, () =>
      ports.events.count({ result }),
    );
    metrics.observedGauge(
      { name: `webhook_events_${result}_oldest_seconds`, help: `Age of the oldest event whose result is ${result}.` },
      async () => {
        const event = await oldest();
        return event ? (clock.now().getTime() - event.receivedAt.getTime()) / 1_000 : 0;
      },
    );
  }
  metrics.observedGauge(
    { name: 'webhook_outbox_waiting', help: 'Events whose owner has not reported an outcome.' },
    async () => (await ports.events.outbox.backlog()).count,
  );
  metrics.observedGauge(
    {
      name: 'webhook_endpoint_hours_left',
      help: 'Hours until the provider gives up the oldest unresolved event; -1: none.',
    },
    async () => (await judgeOldest(ports, config.WEBHOOK_WARN_HOURS)).hoursLeft ?? -1,
  );
}

function createMeter(metrics: Context['metrics']): Meter {
  const verified = metrics.counter({ name: 'webhooks_verified_total', help: 'Deliveries whose signature held.' });
  const rejected = metrics.counter({
    name: 'webhooks_rejected_total',
    help: 'Deliveries that were refused, by reason.',
    labels: ['reason'],
  });
  const duplicates = metrics.counter({
    name: 'webhook_duplicates_total',
    help: 'Deliveries of a recorded event, by its result then.',
    labels: ['result'],
  });
  const reached = metrics.counter({
    name: 'webhook_events_total',
    help: 'Events by the result that they reached here.',
    labels: ['result'],
  });
  const skew = metrics.histogram({
    name: 'webhook_clock_skew_seconds',
    help: "Our clock minus the signature's.",
    labels: [],
    buckets: [-60, -10, -1, 0, 1, 2, 5, 10, 30, 60, 300],
  });
  return {
    verified: () => verified.add(),
    rejected: (reason) => rejected.add({ reason }),
    duplicate: (result) => duplicates.add({ result }),
    reached: (result) => reached.add({ result }),
    clockSkew: (seconds) => skew.observe({}, seconds),
  };
}
