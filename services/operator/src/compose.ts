/** The composition root of the gateway: the only file that sees everything. Opened in order, closed in reverse. */
import { setTimeout as delay } from 'node:timers/promises';
import { operatorCodes } from '@platform/contracts-operator';
import { WORKSPACE_STREAM } from '@platform/contracts-provisioning';
import {
  createAuthenticator,
  createHttpServer,
  defineCodes,
  problem,
  type HttpServer,
  type Route,
} from '@platform/http-server';
import { backoffMs } from '@platform/kernel';
import { connectMessaging, platformTopology, type Messaging } from '@platform/messaging';
import { connectStore, createDatabaseClock, keepMeasuring, StoreUnavailableError, type Store } from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import { createStripeProvider, type PaymentProvider } from '@platform/payment-provider';
import {
  createWorkUnderWay,
  registerIncarnation,
  type ServiceContext,
  supersession,
  type WorkUnderWay,
} from '@platform/service-host';
import { composeConsole, declareConsoleCollections, type ConsoleComposition } from './compose-console';
import { composeEvents, declareEventCollections } from './compose-events';
import { composeMigrations, declareMigrationCollections, meterForGovernor, openGovernor } from './compose-migrations';
import type { Config } from './config';
import { actionRoutes } from './http/action-routes';
import { checkoutRoutes } from './http/checkout-routes';
import { inspectionRoutes } from './http/inspection-routes';
import { planRoutes } from './http/plan-routes';
import { provisioningRoutes } from './http/provisioning-routes';
import { webhookEventRoutes } from './http/webhook-event-routes';
import { onLifecycleSettled } from './messages/on-lifecycle-settled';
import { onWorkspaceCommitted } from './messages/on-workspace-committed';
import { incarnationsCollection } from './store/executor-incarnations';
import { migrations } from './store/migrations';
import { mirrorRefreshesCollection } from './store/mirror-refreshes';
import { operationsCollection } from './store/operations';
import { plansCollection } from './store/plans';
import { subscriptionsCollection } from './store/subscriptions';
import { askTrial } from './workflows/ask-trial';
import { awaitOutcome, createOutcomeBell } from './workflows/await-outcome';
import { finishClearing } from './workflows/finish-clearing';
import type { RateGovernor } from './workflows/migrations/rate-governor';
import { mirrorWorkspace } from './workflows/mirror-workspace';
import type { Meter, OperatorPorts } from './workflows/ports';
import type { ReadPorts } from './workflows/read-operation';
import { reportStreams } from './workflows/report-streams';
import { reportSuperseded } from './workflows/report-superseded';
import { runOperation } from './workflows/run-operation';
import { settleOperation } from './workflows/settle-operation';
import { createKnownWorkspaces } from './workflows/known-workspaces';

type Context = ServiceContext<Config>;

/** Settlements handled at a time. */
const settlementConcurrency = 16;

export async function compose(local: Context): Promise<{ readonly url: string }> {
  // One clock stamps and judges all records: the database's.
  const clock = createDatabaseClock(local.clock);
  const context: Context = { ...local, clock };
  const store = await openStore(context);
  await clock.measure(() => store.now());
  await context.open(
    "the database's clock",
    keepMeasuring(clock, () => store.now(), context.log),
    (measuring) => measuring.close(),
  );
  const messaging = await openMessaging(context);
  const provider = await openProvider(context);
  const under = await context.open('operations under way', createWorkUnderWay(), (work) => work.drained());
  const governor = openGovernor(context.config);
  const { ports, relay } = await openWorkflows(context, store, messaging, provider, governor);
  const incarnations = store.collection(incarnationsCollection);
  const reads: ReadPorts = {
    operations: ports.operations,
    executorState: async (incarnation) => supersession(await incarnations.findById(incarnation)),
  };
  observe(context, ports, under);

  await reportSuperseded({ ...reads, instance: context.executor.instance, log: context.log });
  const cleared = await finishClearing(ports);
  if (cleared.standing > 0) context.log.info(cleared, 'pending transitions looked at');
  relay.start();
  const settle = onLifecycleSettled((settled) => under.track(settleOperation(ports, settled)));
  await context.open(
    'settlements',
    messaging.consume({ stream: 'LIFECYCLE_SETTLED', durable: 'operator', concurrency: settlementConcurrency }, settle),
    (subscription) => subscription.close(),
  );
  const mirrored = onWorkspaceCommitted(
    (committed) => mirrorWorkspace({ ...ports, refreshes: store.collection(mirrorRefreshesCollection) }, committed),
    messaging,
  );
  await context.open(
    'created workspaces',
    messaging.consume({ stream: WORKSPACE_STREAM, durable: 'operator', concurrency: settlementConcurrency }, mirrored),
    (subscription) => subscription.close(),
  );
  await composeEvents(context, { store, messaging, ports, reads, under });
  const migrations = await composeMigrations(context, { store, messaging, ports, reads, governor });

  const operatorConsole = await composeConsole(context, { ports, reads, store, messaging, provider });
  const server = createServer(context, {
    ports,
    reads,
    store,
    messaging,
    provider,
    under,
    operatorConsole,
    migrations,
  });
  await context.open('http server', server, (opened) => opened.close());
  // The server waits for its answers to end, so the endless ones are ended first.
  await context.open('live streams', operatorConsole.streams, (streams) => streams.close());
  return { url: await server.listen({ host: context.config.HOST, port: context.config.PORT }) };
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
  store.collection(operationsCollection);
  store.collection(subscriptionsCollection);
  store.collection(plansCollection);
  declareEventCollections(store);
  declareMigrationCollections(store);
  declareConsoleCollections(store);
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

function openProvider({ config, log, tracing, open }: Context): Promise<PaymentProvider> {
  return open(
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
}

async function openWorkflows(
  { clock, log, executor, config, open, metrics }: Context,
  store: Store,
  messaging: Messaging,
  provider: PaymentProvider,
  governor: RateGovernor,
) {
  const operations = store.collection(operationsCollection);
  const relay = await open(
    'outbox relay',
    createOutboxRelay({
      sources: { operations: operations.outbox },
      publish: (message) => messaging.publish(message),
      clock,
      log,
    }),
    (opened) => opened.close(),
  );
  const ports: OperatorPorts = {
    operations,
    subscriptions: store.collection(subscriptionsCollection),
    plans: store.collection(plansCollection),
    provider,
    databaseNow: () => store.now(),
    clock,
    executor,
    nudge: (operationId, entries) => void relay.nudge('operations', operationId, entries),
    bell: createOutcomeBell(),
    limits: { creditCents: config.CREDIT_LIMIT_CENTS },
    reserveTrial: askTrial(messaging),
    meter: meterForGovernor(createMeter(metrics), governor),
    patience: { tries: config.JOURNAL_PATIENCE_TRIES, pause: (attempt) => delay(backoffMs(attempt, 200, 5_000)) },
    log,
  };
  return { ports, relay };
}

interface Parts {
  readonly ports: OperatorPorts;
  readonly reads: ReadPorts;
  readonly store: Store;
  readonly messaging: Messaging;
  readonly provider: PaymentProvider;
  readonly under: WorkUnderWay;
  readonly operatorConsole: ConsoleComposition;
  readonly migrations: readonly Route[];
}

function createServer(
  { config, log, tracing, metrics, clock, executor, ids }: Context,
  { ports, reads, store, messaging, provider, under, operatorConsole, migrations }: Parts,
): HttpServer {
  const evidence = { ...reads, subscriptions: ports.subscriptions, provider, messaging, clock };
  const routes = [
    ...actionRoutes({
      start: async (request, waitMs) => {
        const answer = await awaitOutcome(ports, request.operationId, waitMs, (accepted) =>
          under.track(runOperation(ports, request, accepted)),
        );
        if (answer.kind === 'unfinished' || answer.kind === 'stopped')
          void under.track(operatorConsole.look(request.operationId));
        return answer;
      },
      workspaceExists: createKnownWorkspaces(ports.subscriptions),
    }),
    ...checkoutRoutes({
      startCheckout: (request) => under.track(runOperation(ports, request)),
      workspaceExists: createKnownWorkspaces(ports.subscriptions),
    }),
    ...operatorConsole.routes,
    ...migrations,
    ...webhookEventRoutes({ messaging }),
    ...planRoutes({ plans: ports.plans }),
    ...provisioningRoutes({ messaging, plans: ports.plans, ids }),
    ...inspectionRoutes({
      ...evidence,
      reportStreams: () => reportStreams({ messaging, operations: ports.operations }),
    }),
  ];
  const limit = config.RATE_LIMIT_PER_MINUTE;
  return createHttpServer({
    name: 'operator',
    version: '0.1.0',
    routes,
    codes: defineCodes(operatorCodes),
    auth: createAuthenticator({
      keys: config.JWKS_URL
        ? { kind: 'jwks', url: config.JWKS_URL }
        : {
            kind: 'secret',
            secrets: [config.JWT_SECRET, config.JWT_SECRET_PREVIOUS].filter((secret) => secret !== undefined),
          },
      issuer: config.JWT_ISSUER,
      audience: config.JWT_AUDIENCE,
    }),
    ...(limit > 0 && { rateLimit: { perAddress: limit, perCaller: limit, windowMs: 60_000 } }),
    limits: { requestTimeoutMs: 60_000 },
    readiness: { store: () => store.ping(), broker: async () => (messaging.connected() ? undefined : 'not connected') },
    metrics,
    log,
    tracing,
    mapError: (error) =>
      error instanceof StoreUnavailableError ? problem('store_unavailable', { retryAfterSeconds: 2 }) : undefined,
    openapi: {
      title: 'Workspace platform gateway',
      description: `Operator actions, inspection and evidence. Instance ${executor.instance}.`,
    },
  });
}

/** What operators watch: work under way, what is not known and for how long, and the rows that wait for their receiver. */
function observe({ metrics, clock }: Context, ports: OperatorPorts, under: WorkUnderWay): void {
  const oldestStop = async () =>
    (
      await ports.operations.find({ status: 'reconciliation_required' }, { sort: { createdAt: 1, _id: 1 }, limit: 1 })
    )[0];
  metrics.observedGauge({ name: 'operations_under_way', help: 'Operations that this process is executing.' }, () =>
    under.count(),
  );
  metrics.observedGauge(
    { name: 'outbox_waiting', help: 'Outbox rows of operations that no receiver has ended.' },
    async () => (await ports.operations.outbox.backlog()).count,
  );
  metrics.observedGauge(
    { name: 'operations_reconciliation_required', help: 'Operations whose outcome is not known.' },
    () => ports.operations.count({ status: 'reconciliation_required' }),
  );
  metrics.observedGauge(
    {
      name: 'operations_reconciliation_required_oldest_seconds',
      help: 'Age of the oldest operation whose outcome is not known.',
    },
    async () => {
      const oldest = await oldestStop();
      return oldest ? (clock.now().getTime() - oldest.createdAt.getTime()) / 1_000 : 0;
    },
  );
}

function createMeter(metrics: Context['metrics']): Meter {
  const operations = metrics.counter({
    name: 'operations_total',
    help: 'Operations by action and the status that they reached here.',
    labels: ['action', 'status'],
  });
  const calls = metrics.counter({
    name: 'provider_calls_total',
    help: 'Calls to the payment provider by step and outcome.',
    labels: ['step', 'outcome'],
  });
  return {
    operationReached: (action, status) => operations.add({ action, status }),
    providerAnswered: (step, outcome) => calls.add({ step, outcome }),
  };
}
