/**
 * The composition root of the gateway: the only file that imports every part. Parts open in this order and close in
 * reverse.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { checkoutStream, workChangesStream, workspaceAccessBucket } from '@platform/contracts-operator';
import { lifecycleStreams, receivedByDelivery } from '@platform/contracts-lifecycle-delivery';
import { deletionStream, providerEventStreams, workspaceStream } from '@platform/contracts-provisioning';
import { openProvider, startService, type StartedService } from '@platform/durable/boot';
import { interruptionNoticesCollection } from '@platform/durable/executors';
import { createKeyedMutex } from '@platform/durable/record';
import { backoffMs, signingKeyOf } from '@platform/kernel';
import type { OutboxRelay } from '@platform/outbox';
import type { ServiceContext } from '@platform/service-host';
import { accessEndpoint, attemptStatusOf } from './access/messages/serve-access';
import { inventoryEndpoint, tenantRowsOf } from './access/messages/serve-inventory';
import { announcingAccess } from './access/workflows/announce-access';
import { accessPublisher, keepBucket } from './access/workflows/publish-access';
import { readAccess } from './access/workflows/read-access';
import { readInventory } from './access/workflows/read-inventory';
import { lostCustomersOf } from './reconciliation/workflows/lost-creation';
import { lostEffectIn } from './reconciliation/workflows/lost-effect';
import { plansCollection } from './catalogue/store/plans';
import { requestTrial } from './checkout/workflows/request-trial';
import { checkoutReceiptsCollection } from './checkout/store/checkout-receipts';
import { endCheckoutAtOnce } from './checkout/workflows/end-checkout-at-once';
import { endPaymentAtOnce } from './operations/workflows/await-payment';
import { startCheckout } from './checkout/workflows/start-checkout';
import type { Gateway } from './compose-gateway';
import { composeConsole, consoleCollections } from './compose-console';
import { composeEvents, eventCollections } from './compose-events';
import { createMeter, observe } from './compose-metrics';
import { composeMigrations, meterForGovernor, migrationCollections, openGovernor } from './compose-migrations';
import { composeContradictions } from './compose-contradictions';
import { composeDeadLetters } from './compose-dead-letters';
import { composeReconciliation } from './compose-reconciliation';
import { gatewayServer } from './compose-server';
import { composeSignIn } from './compose-sign-in';
import { creditDayLimits, type Config } from './config';
import { onWorkspaceCommitted } from './mirror/messages/on-workspace-committed';
import { planMigrationsCollection } from './migrations/store/plan-migrations';
import { mirrorRefreshesCollection } from './mirror/store/mirror-refreshes';
import { subscriptionsCollection } from './mirror/store/subscriptions';
import { mirrorWorkspace } from './mirror/workflows/mirror-workspace';
import { onLifecycleSettled } from './operations/messages/on-lifecycle-settled';
import { onWorkspaceDeleted } from './operations/messages/on-workspace-deleted';
import { creditAllowancesCollection } from './operations/store/credit-allowances';
import { operationsCollection } from './operations/store/operations';
import { createOutcomeNotifier } from './operations/workflows/await-outcome';
import { finishClearing } from './operations/workflows/finish-clearing';
import { createKnownWorkspaces } from './operations/workflows/known-workspaces';
import type { OperatorPorts } from './operations/workflows/ports';
import { runDueEnds } from './operations/workflows/run-due-ends';
import { settleDeletion, type DeletionReport } from './operations/workflows/settle-deletion';
import { settlementQuestions } from './operations/workflows/ask-settlements';
import { settleOperation } from './operations/workflows/settle-operation';
import { providerEventAdmissionsCollection } from './provider-events/store/provider-event-admissions';
import { creditProposalsCollection } from './proposals/store/credit-proposals';
import { approvedCredits } from './proposals/workflows/propose-credit';
import { proposalsCollection } from './proposals/store/proposals';
import { contradictionsCollection } from './contradictions/store/contradictions';
import { deadLettersCollection } from './dead-letters/store/dead-letters';
import { differencesCollection } from './reconciliation/store/differences';
import { reconciliationsCollection } from './reconciliation/store/reconciliations';
import { consoleSessionsCollection } from './sign-in/store/console-sessions';
import { runningWork } from './work-queue/workflows/running-work';
import { schemaSteps } from './store/schema-steps';

/** Settlements handled concurrently. */
const concurrency = 16;
const durable = 'operator';
const bucketLookedAtEveryMs = 2_000;
const clearedEveryMs = 60_000;
const settlementsAskedEveryMs = 60_000;
const endsLookedAtEveryMs = 15_000;

const { messages, settled: settlements } = lifecycleStreams;
const consoleStreams = [settlements, providerEventStreams.outcomes, workspaceStream, workChangesStream];
const executingStreams = [
  messages,
  settlements,
  ...Object.values(providerEventStreams),
  workspaceStream,
  deletionStream,
];

export async function compose(context: ServiceContext<Config>): Promise<{ readonly url: string }> {
  const { CONSOLE_ONLY: consoleOnly, CONSOLE_ELSEWHERE: consoleElsewhere } = context.config;
  const service = await startService(context, {
    collections: [
      ...[operationsCollection, subscriptionsCollection, plansCollection, creditAllowancesCollection],
      ...eventCollections,
      ...migrationCollections,
      ...consoleCollections,
      interruptionNoticesCollection,
      deadLettersCollection,
      contradictionsCollection,
      differencesCollection,
      reconciliationsCollection,
      proposalsCollection,
      creditProposalsCollection,
      consoleSessionsCollection,
    ],
    schemaSteps,
    streams: [
      ...(consoleElsewhere ? [] : consoleStreams),
      ...(consoleOnly ? [] : [...executingStreams, checkoutStream, 'MIGRATIONS']),
    ],
    buckets: consoleOnly ? [] : [workspaceAccessBucket],
  });
  const { gateway, relays } = await openGateway(service);
  if (!consoleOnly) await execute(gateway, relays);
  const migrationRoutes = await composeMigrations(gateway);
  const operatorConsole = consoleElsewhere ? undefined : await composeConsole(gateway);
  const signIn = await composeSignIn(service, gateway.ports);
  const serving = await service.listen(gatewayServer(gateway, migrationRoutes, signIn, operatorConsole));
  // The server's close waits for open responses. Live streams do not end by themselves, so they are closed first.
  if (operatorConsole) await service.open('live streams', operatorConsole.streams, (streams) => streams.close());
  return serving;
}

/** Finishes what earlier boots left, then reads settlements, created workspaces and provider events. */
async function execute(gateway: Gateway, relays: readonly Pick<OutboxRelay<never>, 'start'>[]): Promise<void> {
  const { service, ports } = gateway;
  const { log, messaging } = service;
  const overdue = { then: service.config.OVERDUE_POLICY, afterDays: service.config.OVERDUE_DAYS };
  observe(service, ports, overdue);
  const cleared = await finishClearing(ports);
  if (cleared.standing > 0) log.info(cleared, 'pending transitions looked at');
  for (const relay of relays) relay.start();
  // Work that an off-line tool, or a replica that has ended, left meanwhile.
  await service.repeat('ended transitions', clearedEveryMs, () => finishClearing(ports));
  await service.repeat('access bucket', bucketLookedAtEveryMs, keepBucket({ ...ports, messaging }));
  const attemptStatus = attemptStatusOf(messaging);
  await service.answer('Access and inventory of workspaces', [
    accessEndpoint((tenantId) => readAccess({ subscriptions: ports.subscriptions, attemptStatus }, tenantId)),
    inventoryEndpoint((request) => readInventory({ ...ports, tenantRows: tenantRowsOf(messaging) }, request)),
  ]);
  const settleReport = (report: DeletionReport) => settleDeletion(ports, report);
  const settle = onLifecycleSettled((settled) => settleOperation(ports, settled), settleReport);
  await service.consume('settlements', { stream: settlements, durable, concurrency }, settle);
  await service.repeat(
    'settlements that have not come',
    settlementsAskedEveryMs,
    settlementQuestions({ ...ports, messaging }),
  );
  const deleted = onWorkspaceDeleted(settleReport);
  await service.consume('deleted workspaces', { stream: deletionStream, durable, concurrency }, deleted);
  const mirrored = onWorkspaceCommitted((committed) => mirrorWorkspace(ports, committed), messaging);
  await service.consume('created workspaces', { stream: workspaceStream, durable, concurrency }, mirrored);
  await composeEvents(gateway);
  const records = {
    operations: ports.operations,
    migrations: service.store.collection(planMigrationsCollection),
    admissions: service.store.collection(providerEventAdmissionsCollection),
  };
  await service.repeat('ends that time brings', endsLookedAtEveryMs, (stopping) =>
    runDueEnds(ports, stopping, overdue),
  );
  await service.watchInterrupted('operations', () => runningWork(records));
  await composeDeadLetters(service);
  await composeContradictions(gateway);
  await composeReconciliation(gateway);
}

/** The second person's approval of a credit is shown only where signatures can be verified. */
function approvals({ config, store, clock }: StartedService<Config>) {
  if (config.CASE_SIGNING_KEY === undefined) return {};
  const creditProposals = store.collection(creditProposalsCollection);
  return { approvalOf: approvedCredits({ creditProposals, clock }, signingKeyOf(config.CASE_SIGNING_KEY)) };
}

async function openGateway(service: StartedService<Config>) {
  const { clock, log, executor, config, metrics, store, messaging, askExecutors, work } = service;
  const provider = await openProvider(service);
  await service.open('operations under way', work, (opened) => opened.drained());
  const governor = openGovernor(config);
  const operations = store.collection(operationsCollection);
  const received = receivedByDelivery((...question) => messaging.request(...question));
  const relay = await service.openRelay('outbox relay', { operations: operations.outbox }, { received });
  const records = store.collection(subscriptionsCollection);
  const publish = accessPublisher(messaging);
  const access = await service.openRelay('access relay', { access: records.outbox }, { publish });
  const subscriptions = announcingAccess(records, {
    clock,
    publishNow: (tenantId, entries) => void access.publishNow('access', tenantId, entries),
  });
  const differences = store.collection(differencesCollection);
  const ports: OperatorPorts = {
    operations,
    subscriptions,
    plans: store.collection(plansCollection),
    refreshes: store.collection(mirrorRefreshesCollection),
    provider,
    databaseNow: () => store.now(),
    clock,
    executor,
    publishNow: (operationId, entries) => void relay.publishNow('operations', operationId, entries),
    notifier: createOutcomeNotifier(),
    limits: { creditCents: config.CREDIT_LIMIT_CENTS },
    lostEffect: lostEffectIn(differences, clock),
    lostCustomers: (tenantId) => lostCustomersOf({ differences, subscriptions }, tenantId),
    creditLimits: {
      allowances: store.collection(creditAllowancesCollection),
      perDay: creditDayLimits(config),
      ...approvals(service),
    },
    starters: { checkout_session: startCheckout },
    followers: {
      end_of_checkout: endCheckoutAtOnce(store.collection(checkoutReceiptsCollection)),
      end_of_payment: endPaymentAtOnce,
    },
    reserveTrial: requestTrial(messaging),
    meter: meterForGovernor(createMeter(metrics), governor),
    retryPolicy: { tries: config.JOURNAL_PATIENCE_TRIES, pause: (attempt) => delay(backoffMs(attempt, 200, 5_000)) },
    work,
    mutex: createKeyedMutex(),
    known: createKnownWorkspaces(records),
    log,
  };
  const looking = await openProvider(service, 'reads');
  const reads = { operations, askExecutors };
  const gateway: Gateway = { service, ports, reads, provider: looking, governor };
  return { gateway, relays: [relay, access] };
}
