/** The composition root: opens store, broker and provider, reconciles, serves, and closes in reverse. */
import { setTimeout as delay } from 'node:timers/promises';
import { LIFECYCLE_STREAMS } from '@platform/contracts-lifecycle-delivery';
import { PROVIDER_EVENT_STREAMS } from '@platform/contracts-provisioning';
import { createHttpServer } from '@platform/http-server';
import { backoffMs } from '@platform/kernel';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import { connectStore, createDatabaseClock, keepMeasuring, keepTrail, type Store } from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import { createStripeProvider } from '@platform/payment-provider';
import {
  createWorkUnderWay,
  registerIncarnation,
  startPeriodic,
  supersession,
  type ServiceContext,
} from '@platform/service-host';
import type { Config } from './config';
import { onLifecycleSettled } from './messages/on-lifecycle-settled';
import { onProviderEvent } from './messages/on-provider-event';
import { creationEndpoints } from './messages/serve-creation';
import { listenerEndpoints } from './messages/serve-listeners';
import { questionEndpoints } from './messages/serve-questions';
import { auditBlocksCollection, attemptTrail } from './store/audit-blocks';
import { incarnationsCollection } from './store/collections';
import { migrations } from './store/migrations';
import { abandonInterruptedEvents, handleProviderEvent } from './workflows/handle-provider-event';
import { collectionsOf, createTurns, type ProvisioningPorts } from './workflows/ports';
import { reconcile } from './workflows/reconcile';
import { reportSuperseded } from './workflows/report-superseded';

type Context = ServiceContext<Config>;

/** Name of this service's durables. */
const durable = 'provisioning';
const concurrency = 16;

/** How often the trail takes in what was resolved. */
const auditEveryMs = 30_000;

export async function compose(local: Context): Promise<{ readonly url: string }> {
  // One clock stamps and judges all records: the database's.
  const clock = createDatabaseClock(local.clock);
  const context: Context = { ...local, clock };
  const { config, log, tracing, open, metrics, service } = context;
  const store = await openStore(context);
  await clock.measure(() => store.now());
  await open(
    "the database's clock",
    keepMeasuring(clock, () => store.now(), log),
    (measuring) => measuring.close(),
  );
  const messaging = await openMessaging(context);
  const under = await open('creations under way', createWorkUnderWay(), (work) => work.drained());
  const { ports, relay } = await openWorkflows(context, store, messaging);
  const incarnations = store.collection(incarnationsCollection);
  const executorState = async (incarnation: string) => supersession(await incarnations.findById(incarnation));
  observe(context, ports, under.count);

  await reportSuperseded({ ...ports, executorState });
  const abandoned = await abandonInterruptedEvents(ports);
  if (abandoned > 0)
    log.warn({ abandoned }, 'provider events of an earlier boot were not completed; they need an investigation');
  relay.start();
  await open(
    'reconciliation',
    startPeriodic({
      name: 'reconciliation',
      everyMs: config.RECONCILE_SECONDS * 1_000,
      log,
      work: (stopping) => reconcile(ports, stopping),
    }),
    (opened) => opened.close(),
  );
  const trail = attemptTrail(store);
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
  const events = onProviderEvent((event) => under.track(handleProviderEvent(ports, event)));
  await open(
    'provider events',
    messaging.consume({ stream: PROVIDER_EVENT_STREAMS.events, durable, concurrency }, events),
    (subscription) => subscription.close(),
  );
  await open(
    'settlements',
    messaging.consume({ stream: LIFECYCLE_STREAMS.settled, durable, concurrency }, onLifecycleSettled(ports)),
    (subscription) => subscription.close(),
  );
  const endpoints = [
    ...creationEndpoints(ports, executorState, under.track),
    ...questionEndpoints(ports, { ...ports, executorState }),
    ...listenerEndpoints(ports),
  ];
  await open(
    'questions',
    messaging.serve(
      {
        name: service,
        version: '0.1.0',
        description: 'Workspace creation, the commit gate, reservations and provisioning listeners',
      },
      endpoints,
    ),
    (served) => served.close(),
  );

  const readiness = {
    store: () => store.ping(),
    broker: async () => (messaging.connected() ? undefined : 'not connected'),
    consumers: async () => messaging.quietConsumers().join(', ') || undefined,
  };
  const http = await open(
    'http',
    createHttpServer({ name: service, version: '0.1.0', routes: [], readiness, metrics, log, tracing }),
    (server) => server.close(),
  );
  return { url: await http.listen({ host: config.HOST, port: config.PORT }) };
}

async function openStore({ config, clock, ids, log, tracing, executor, open }: Context): Promise<Store> {
  const options = {
    url: config.MONGODB_URL,
    database: config.MONGODB_DATABASE,
    migrations,
    clock,
    ids,
    log,
    tracing,
    appName: executor.instance,
  };
  const store = await open('document store', connectStore(options), (opened) => opened.close());
  collectionsOf(store);
  store.collection(auditBlocksCollection);
  const records = store.collection(incarnationsCollection);
  await store.ensureIndexes();
  await open('incarnation', registerIncarnation({ records, executor, clock }), (registered) => registered.stop());
  return store;
}

async function openMessaging({ config, log, tracing, service, open, stop }: Context): Promise<Messaging> {
  let closing = false;
  const { NATS_USER: user, NATS_PASSWORD: password } = config;
  const credentials =
    user !== undefined && password !== undefined
      ? { credentials: { user, password }, inboxPrefix: `_INBOX_${user}` }
      : {};
  const messaging = await open(
    'broker',
    connectMessaging({
      url: config.NATS_URL,
      name: service,
      topology: platformTopology(),
      log,
      tracing,
      ...credentials,
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

async function openWorkflows(
  { clock, log, tracing, executor, config, open, metrics }: Context,
  store: Store,
  messaging: Messaging,
) {
  const provider = await open(
    'payment provider',
    createStripeProvider({
      secretKey: config.STRIPE_SECRET_KEY,
      ...(config.STRIPE_API_BASE && { apiBase: config.STRIPE_API_BASE }),
      timeoutMs: config.STRIPE_TIMEOUT_MS,
      log,
      tracing,
    }),
    (opened) => opened.close(),
  );
  const collections = collectionsOf(store);
  const sources = {
    attempts: collections.attempts.outbox,
    lifecycle_outbox: collections.markers.outbox,
    provider_event_admissions: collections.admissions.outbox,
  };
  const relay = await open(
    'outbox relay',
    createOutboxRelay({ sources, publish: (message) => messaging.publish(message), clock, log }),
    (opened) => opened.close(),
  );
  const reached = metrics.counter({
    name: 'provisioning_attempts_total',
    help: 'Attempts by the status that they reached here.',
    labels: ['status'],
  });
  const calls = metrics.counter({
    name: 'provider_calls_total',
    help: 'Calls to the payment provider by step and outcome.',
    labels: ['step', 'outcome'],
  });
  const ports: ProvisioningPorts = {
    ...collections,
    provider,
    messaging,
    clock,
    databaseNow: () => store.now(),
    executor,
    nudge: (source, recordId, entries) => void relay.nudge(source, recordId, entries),
    limits: {
      freeWorkspacesPerCard: config.FREE_WORKSPACES_PER_CARD,
      trialDays: config.TRIAL_DAYS,
      creationsPerUser: config.CREATIONS_PER_HOUR,
      creationWindowMs: 3_600_000,
      listenerTimeoutMs: config.LISTENER_TIMEOUT_MS,
    },
    patience: { tries: config.JOURNAL_PATIENCE_TRIES, pause: (attempt) => delay(backoffMs(attempt, 200, 5_000)) },
    turns: createTurns(),
    meter: {
      attemptReached: (status) => reached.add({ status }),
      providerAnswered: (step, outcome) => calls.add({ step, outcome }),
    },
    log,
  };
  return { ports, relay };
}

function observe({ metrics }: Context, ports: ProvisioningPorts, underWay: () => number): void {
  metrics.observedGauge({ name: 'creations_under_way', help: 'Creations that this process is executing.' }, underWay);
  metrics.observedGauge(
    { name: 'outbox_waiting', help: 'Marker messages that no receiver has ended.' },
    async () => (await ports.markers.outbox.backlog()).count,
  );
  for (const status of ['preparing', 'awaiting_payment', 'reconciliation_required'] as const) {
    metrics.observedGauge({ name: `provisioning_attempts_${status}`, help: `Attempts that are ${status}.` }, () =>
      ports.attempts.count({ status }),
    );
  }
}
