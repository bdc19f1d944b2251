/** The composition root of the receiver: the only file that sees everything. Opened in order, closed in reverse. */
import { webhookCodes } from '@platform/contracts-billing-webhook';
import { providerEventStreams } from '@platform/contracts-provisioning';
import { createHttpServer, defineCodes, problem } from '@platform/http-server';
import type { Messaging } from '@platform/messaging';
import { createDatabaseClock, keepMeasuring, StoreUnavailableError, type Store } from '@platform/mongo';
import { keepTrail } from '@platform/durable/trail';
import { createOutboxRelay } from '@platform/outbox';
import { startPeriodic, supersession, type ServiceContext } from '@platform/service-host';
import { openMessaging, openStore } from './compose-connections';
import { createMeter, observe } from './compose-metrics';
import { webhookSecretsOf, type Config } from './config';
import { webhookRoute } from './http/webhook-route';
import { onProviderOutcome } from './messages/on-provider-outcome';
import { webhookEventsEndpoint } from './messages/serve-webhook-events';
import { receiverPorts } from './receiver';
import { eventTrail } from './store/audit-blocks';
import { incarnationsCollection } from './store/executor-incarnations';
import { webhookEventsCollection } from './store/webhook-events';
import { timedBudget } from './workflows/await-outcome';
import { completeEvent } from './workflows/complete-event';
import { listEvents } from './workflows/list-events';
import type { WebhookPorts } from './workflows/ports';
import { receiveEvent } from './workflows/receive-event';
import { removeOldEvents } from './workflows/remove-old-events';
import { stopInterrupted } from './workflows/stop-interrupted';
import { watchEndpoint } from './workflows/watch-endpoint';

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
  const { config, log, open } = context;
  const store = await openStore(context);
  await clock.measure(() => store.now());
  await open(
    "the database's clock",
    keepMeasuring(clock, () => store.now(), log),
    (measuring) => measuring.close(),
  );
  const messaging = await openMessaging(context);
  const { ports, relay } = await openWorkflows(context, store, messaging);
  const incarnations = store.collection(incarnationsCollection);
  await stopInterrupted({
    ...ports,
    executorState: async (incarnation) => supersession(await incarnations.findById(incarnation)),
  });
  relay.start();
  await listen(context, ports, messaging);
  await repeatWork(context, ports, store);
  observe(context, ports);
  const server = createServer(local, { ports, store, messaging });
  await open('http server', server, (opened) => opened.close());
  return { url: await server.listen({ host: config.HOST, port: config.PORT }) };
}

async function openWorkflows(
  { config, clock, ids, executor, log, open, metrics }: Context,
  store: Store,
  messaging: Messaging,
) {
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
    publishNow: (eventId, entries) => void relay.publishNow('events', eventId, entries),
    budget: () => timedBudget(config.WEBHOOK_WAIT_MS),
    meter: createMeter(metrics),
  });
  return { ports, relay };
}

/** Takes the outcomes that owners report, and answers people who look at events. */
async function listen({ open }: Context, ports: WebhookPorts, messaging: Messaging): Promise<void> {
  const completing = onProviderOutcome((outcome) => completeEvent(ports, outcome));
  await open(
    'outcomes',
    messaging.consume(
      { stream: providerEventStreams.outcomes, durable: 'billing-webhook', concurrency: outcomeConcurrency },
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
}

/** What is done again and again: old events go, the endpoint is watched, the trail takes in what was resolved. */
async function repeatWork({ config, clock, log, open }: Context, ports: WebhookPorts, store: Store): Promise<void> {
  const repeat = (name: string, everyMs: number, work: (stopping: () => boolean) => Promise<unknown>) =>
    open(name, startPeriodic({ name, everyMs, log, work }), (opened) => opened.close());
  const trail = eventTrail(store);
  await repeat('retention', retentionEveryMs, (stopping) =>
    removeOldEvents(ports, config.WEBHOOK_RETENTION_DAYS, stopping),
  );
  await repeat('watch', watchEveryMs, () => watchEndpoint(ports, config.WEBHOOK_WARN_HOURS));
  await repeat('audit trail', auditEveryMs, (stopping) => keepTrail(trail, clock, stopping));
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
