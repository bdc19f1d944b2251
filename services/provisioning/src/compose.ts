/** The composition root: opens store, broker and provider, reconciles, serves, and closes in reverse. */
import { setTimeout as delay } from 'node:timers/promises';
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import { providerEventStreams } from '@platform/contracts-provisioning';
import { createHttpServer } from '@platform/http-server';
import { backoffMs } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { createDatabaseClock, keepMeasuring, type Store } from '@platform/mongo';
import { keepTrail } from '@platform/durable/trail';
import { createOutboxRelay } from '@platform/outbox';
import type { PaymentProvider } from '@platform/payment-provider';
import {
  createWorkUnderWay,
  startPeriodic,
  supersession,
  type ServiceContext,
  type WorkUnderWay,
} from '@platform/service-host';
import { openMessaging, openProvider, openStore } from './compose-connections';
import { createMeter, observe } from './compose-metrics';
import type { Config } from './config';
import { onLifecycleSettled } from './messages/on-lifecycle-settled';
import { onProviderEvent } from './messages/on-provider-event';
import { creationEndpoints } from './messages/serve-creation';
import { listenerEndpoints } from './messages/serve-listeners';
import { requestEndpoints } from './messages/serve-requests';
import { attemptTrail } from './store/audit-blocks';
import { incarnationsCollection } from './store/collections';
import { abandonInterruptedEvents, handleProviderEvent } from './workflows/handle-provider-event';
import { collectionsOf, createKeyedMutex, type ProvisioningPorts } from './workflows/ports';
import type { ReadPorts } from './workflows/read-attempts';
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
  const { ports, relay } = await openWorkflows(context, store, messaging, await openProvider(context));
  const incarnations = store.collection(incarnationsCollection);
  const executorState = async (incarnation: string) => supersession(await incarnations.findById(incarnation));
  observe(context, ports, under.count);

  await reportSuperseded({ ...ports, executorState });
  const abandoned = await abandonInterruptedEvents(ports);
  if (abandoned > 0)
    log.warn({ abandoned }, 'provider events of an earlier boot were not completed; they need an investigation');
  relay.start();
  await repeatWork(context, ports, store);
  await listen(context, { ports, messaging, executorState, track: under.track });

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

/** What is done again and again: open creations are reconciled, the trail takes in what was resolved. */
async function repeatWork(
  { config, clock, log, open }: Context,
  ports: ProvisioningPorts,
  store: Store,
): Promise<void> {
  const repeat = (name: string, everyMs: number, work: (stopping: () => boolean) => Promise<unknown>) =>
    open(name, startPeriodic({ name, everyMs, log, work }), (opened) => opened.close());
  const trail = attemptTrail(store);
  await repeat('reconciliation', config.RECONCILE_SECONDS * 1_000, (stopping) => reconcile(ports, stopping));
  await repeat('audit trail', auditEveryMs, (stopping) => keepTrail(trail, clock, stopping));
}

interface Listening {
  readonly ports: ProvisioningPorts;
  readonly messaging: Messaging;
  readonly executorState: ReadPorts['executorState'];
  readonly track: WorkUnderWay['track'];
}

/** Takes provider events and settlements, and answers requests. */
async function listen(
  { open, service }: Context,
  { ports, messaging, executorState, track }: Listening,
): Promise<void> {
  const events = onProviderEvent((event) => track(handleProviderEvent(ports, event)));
  await open(
    'provider events',
    messaging.consume({ stream: providerEventStreams.events, durable, concurrency }, events),
    (subscription) => subscription.close(),
  );
  await open(
    'settlements',
    messaging.consume({ stream: lifecycleStreams.settled, durable, concurrency }, onLifecycleSettled(ports)),
    (subscription) => subscription.close(),
  );
  const endpoints = [
    ...creationEndpoints(ports, executorState, track),
    ...requestEndpoints(ports, { ...ports, executorState }),
    ...listenerEndpoints(ports),
  ];
  const served = {
    name: service,
    version: '0.1.0',
    description: 'Workspace creation, the commit gate, reservations and provisioning listeners',
  };
  await open('questions', messaging.serve(served, endpoints), (serving) => serving.close());
}

async function openWorkflows(
  { clock, log, executor, config, open, metrics }: Context,
  store: Store,
  messaging: Messaging,
  provider: PaymentProvider,
) {
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
  const ports: ProvisioningPorts = {
    ...collections,
    provider,
    messaging,
    clock,
    databaseNow: () => store.now(),
    executor,
    publishNow: (source, recordId, entries) => void relay.publishNow(source, recordId, entries),
    limits: {
      freeWorkspacesPerCard: config.FREE_WORKSPACES_PER_CARD,
      trialDays: config.TRIAL_DAYS,
      creationsPerUser: config.CREATIONS_PER_HOUR,
      creationWindowMs: 3_600_000,
      listenerTimeoutMs: config.LISTENER_TIMEOUT_MS,
    },
    retryPolicy: { tries: config.JOURNAL_PATIENCE_TRIES, pause: (attempt) => delay(backoffMs(attempt, 200, 5_000)) },
    mutex: createKeyedMutex(),
    meter: createMeter(metrics),
    log,
  };
  return { ports, relay };
}
