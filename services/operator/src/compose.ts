/** The composition root of the gateway: the only file that sees everything. Opened in order, closed in reverse. */
import { setTimeout as delay } from 'node:timers/promises';
import { workspaceStream } from '@platform/contracts-provisioning';
import { backoffMs } from '@platform/kernel';
import type { Messaging } from '@platform/messaging';
import { createDatabaseClock, keepMeasuring, type Store } from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import type { PaymentProvider } from '@platform/payment-provider';
import { createWorkUnderWay, type ServiceContext, supersession } from '@platform/service-host';
import { openMessaging, openProvider, openStore } from './compose-connections';
import { composeConsole } from './compose-console';
import { composeEvents } from './compose-events';
import { createMeter, observe } from './compose-metrics';
import { composeMigrations, meterForGovernor, openGovernor } from './compose-migrations';
import { createServer } from './compose-server';
import type { Config } from './config';
import { onLifecycleSettled } from './operations/messages/on-lifecycle-settled';
import { onWorkspaceCommitted } from './mirror/messages/on-workspace-committed';
import { incarnationsCollection } from './store/executor-incarnations';
import { mirrorRefreshesCollection } from './mirror/store/mirror-refreshes';
import { operationsCollection } from './operations/store/operations';
import { plansCollection } from './catalogue/store/plans';
import { subscriptionsCollection } from './mirror/store/subscriptions';
import { requestTrial } from './checkout/workflows/request-trial';
import { createOutcomeNotifier } from './operations/workflows/await-outcome';
import { finishClearing } from './operations/workflows/finish-clearing';
import type { RateGovernor } from './migrations/workflows/rate-governor';
import { mirrorWorkspace } from './mirror/workflows/mirror-workspace';
import type { OperatorPorts } from './operations/workflows/ports';
import type { ReadPorts } from './operations/workflows/read-operation';
import { reportSuperseded } from './operations/workflows/report-superseded';
import { settleOperation } from './operations/workflows/settle-operation';

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
  const mirrored = onWorkspaceCommitted((committed) => mirrorWorkspace(ports, committed), messaging);
  await context.open(
    'created workspaces',
    messaging.consume({ stream: workspaceStream, durable: 'operator', concurrency: settlementConcurrency }, mirrored),
    (subscription) => subscription.close(),
  );
  await composeEvents(context, { store, messaging, ports, reads, under });
  const migrationRoutes = await composeMigrations(context, { store, messaging, ports, reads, governor });

  const operatorConsole = await composeConsole(context, { ports, reads, store, messaging, provider });
  const server = createServer(context, {
    ports,
    reads,
    store,
    messaging,
    provider,
    under,
    operatorConsole,
    migrationRoutes,
  });
  await context.open('http server', server, (opened) => opened.close());
  // The server waits for its answers to end, so the endless ones are ended first.
  await context.open('live streams', operatorConsole.streams, (streams) => streams.close());
  return { url: await server.listen({ host: context.config.HOST, port: context.config.PORT }) };
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
    refreshes: store.collection(mirrorRefreshesCollection),
    provider,
    databaseNow: () => store.now(),
    clock,
    executor,
    publishNow: (operationId, entries) => void relay.publishNow('operations', operationId, entries),
    notifier: createOutcomeNotifier(),
    limits: { creditCents: config.CREDIT_LIMIT_CENTS },
    reserveTrial: requestTrial(messaging),
    meter: meterForGovernor(createMeter(metrics), governor),
    retryPolicy: { tries: config.JOURNAL_PATIENCE_TRIES, pause: (attempt) => delay(backoffMs(attempt, 200, 5_000)) },
    log,
  };
  return { ports, relay };
}
