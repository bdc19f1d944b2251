/** The operator on simulated ports, wired as its composition root wires it: the same workflows, handlers and sweeps. */
import { receivedByDelivery } from '@platform/contracts-lifecycle-delivery';
import { operatorCodes } from '@platform/contracts-operator';
import {
  creationRequests,
  deletionStream,
  providerEventStreams,
  workspaceStream,
  type CreateWorkspace,
} from '@platform/contracts-provisioning';
import { executorStateIn, incarnationsCollection } from '@platform/durable/boot';
import { createKeyedMutex } from '@platform/durable/record';
import { silentLog } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import { registerIncarnation } from '@platform/service-host';
import type { MigrationRequest } from '../../../services/operator/src/migrations/domain/migration';
import { fingerprintOf, type OperationRequest } from '../../../services/operator/src/operations/domain/operation';
import { answerInHttp } from '../../../services/operator/src/operations/http/answer';
import { accessEndpoint, attemptStatusOf } from '../../../services/operator/src/access/messages/serve-access';
import { announcingAccess } from '../../../services/operator/src/access/workflows/announce-access';
import { accessPublisher, keepBucket } from '../../../services/operator/src/access/workflows/publish-access';
import { readAccess } from '../../../services/operator/src/access/workflows/read-access';
import { onLifecycleSettled } from '../../../services/operator/src/operations/messages/on-lifecycle-settled';
import { admissionEndpoint } from '../../../services/operator/src/provider-events/messages/serve-admissions';
import { onWorkspaceDeleted } from '../../../services/operator/src/operations/messages/on-workspace-deleted';
import { onProviderEvent } from '../../../services/operator/src/provider-events/messages/on-provider-event';
import { onWorkspaceCommitted } from '../../../services/operator/src/mirror/messages/on-workspace-committed';
import { checkoutReceiptsCollection } from '../../../services/operator/src/checkout/store/checkout-receipts';
import { mirrorRefreshesCollection } from '../../../services/operator/src/mirror/store/mirror-refreshes';
import { operationsCollection } from '../../../services/operator/src/operations/store/operations';
import { plansCollection } from '../../../services/operator/src/catalogue/store/plans';
import { providerEventAdmissionsCollection } from '../../../services/operator/src/provider-events/store/provider-event-admissions';
import { subscriptionsCollection } from '../../../services/operator/src/mirror/store/subscriptions';
import { requestTrial } from '../../../services/operator/src/checkout/workflows/request-trial';
import { endCheckoutAtOnce } from '../../../services/operator/src/checkout/workflows/end-checkout-at-once';
import { endPaymentAtOnce, lookAtPayments } from '../../../services/operator/src/operations/workflows/await-payment';
import { startCheckout } from '../../../services/operator/src/checkout/workflows/start-checkout';
import { createOutcomeNotifier } from '../../../services/operator/src/operations/workflows/await-outcome';
import type { EventPorts } from '../../../services/operator/src/provider-events/workflows/event-ports';
import { settlementQuestions } from '../../../services/operator/src/operations/workflows/ask-settlements';
import { finishClearing } from '../../../services/operator/src/operations/workflows/finish-clearing';
import { handleProviderEvent } from '../../../services/operator/src/provider-events/workflows/handle-provider-event';
import { mirrorWorkspace } from '../../../services/operator/src/mirror/workflows/mirror-workspace';
import { createKnownWorkspaces } from '../../../services/operator/src/operations/workflows/known-workspaces';
import type { OperatorPorts } from '../../../services/operator/src/operations/workflows/ports';
import { refreshMirrors } from '../../../services/operator/src/mirror/workflows/refresh-mirrors';
import { runningWork } from '../../../services/operator/src/work-queue/workflows/running-work';
import { planMigrationsCollection } from '../../../services/operator/src/migrations/store/plan-migrations';
import { runOperation } from '../../../services/operator/src/operations/workflows/run-operation';
import { settleDeletion } from '../../../services/operator/src/operations/workflows/settle-deletion';
import { settleOperation } from '../../../services/operator/src/operations/workflows/settle-operation';
import { stopInterruptedEvents } from '../../../services/operator/src/provider-events/workflows/stop-interrupted-events';
import type { Answered } from '../../model/linearizable';
import { identityOf } from '../../model/read-writes';
import { countHandlerRuns } from './handler-runs';
import { sweepEveryMs, type PayingServiceDependencies } from './dependencies';
import { watchInterrupted, workOf } from './executors';
import type { World } from './world';
import { startMigrations } from './migrations';

export interface OperatorApi {
  /** Sends a request through the gateway; the history keeps the answer to the caller. */
  submit(request: OperationRequest): Promise<void>;
  create(request: CreateWorkspace): Promise<void>;
  migrate(request: MigrationRequest): Promise<void>;
}

const concurrency = 16;
const meter = { operationReached: () => undefined, providerAnswered: () => undefined };

function portsOf({ world, store, provider, messaging, executor, sleep, process }: PayingServiceDependencies) {
  const { clock } = world.timeline;
  const operations = store.collection(operationsCollection);
  const admissions = countHandlerRuns(store.collection(providerEventAdmissionsCollection), world, process);
  const publish = messaging.publish;
  const wait = (milliseconds: number) => sleep(milliseconds);
  const retryPolicy = { tries: 3, pause: (attempt: number) => sleep(200 * attempt) };
  const relay = createOutboxRelay({
    sources: { operations: operations.outbox, admissions: admissions.outbox },
    publish,
    received: receivedByDelivery(messaging.request),
    clock,
    log: silentLog,
    sweepIntervalMs: sweepEveryMs,
    wait,
  });
  const subscriptions = store.collection(subscriptionsCollection);
  const access = createOutboxRelay({
    sources: { access: subscriptions.outbox },
    publish: accessPublisher(messaging),
    clock,
    log: silentLog,
    sweepIntervalMs: sweepEveryMs,
    wait,
  });
  const ports: OperatorPorts = {
    operations,
    provider,
    clock,
    executor,
    meter,
    subscriptions: announcingAccess(subscriptions, {
      clock,
      publishNow: (tenantId, entries) => void access.publishNow('access', tenantId, entries),
    }),
    plans: store.collection(plansCollection),
    refreshes: store.collection(mirrorRefreshesCollection),
    databaseNow: () => store.now(),
    publishNow: (operationId, entries) => void relay.publishNow('operations', operationId, entries),
    notifier: createOutcomeNotifier(),
    limits: { creditCents: 1_000_000 },
    starters: { checkout_session: startCheckout },
    followers: {
      end_of_checkout: endCheckoutAtOnce(store.collection(checkoutReceiptsCollection)),
      end_of_payment: endPaymentAtOnce,
    },
    reserveTrial: requestTrial(messaging),
    retryPolicy,
    work: workOf({ world, sleep }, retryPolicy),
    mutex: createKeyedMutex(),
    known: createKnownWorkspaces(subscriptions),
    log: silentLog,
  };
  const events: EventPorts = {
    ...ports,
    admissions,
    ids: world.timeline.ids,
    receipts: store.collection(checkoutReceiptsCollection),
    publishEventNow: (eventId, entries) => void relay.publishNow('admissions', eventId, entries),
    publish: (entry) => publish(entry),
  };
  return { ports, events, relays: [relay, access] };
}

export async function bootOperator(dependencies: PayingServiceDependencies): Promise<OperatorApi> {
  const { world, store, messaging, executor, every } = dependencies;
  const { ports, events, relays } = portsOf(dependencies);
  const records = store.collection(incarnationsCollection);
  await registerIncarnation({ records, executor, clock: world.timeline.clock });
  const executorState = executorStateIn(store);
  await finishClearing(ports);
  await stopInterruptedEvents(events, executorState);
  const migrating = await startMigrations(dependencies, ports, executorState);
  for (const each of relays) each.start();
  every(sweepEveryMs, keepBucket({ subscriptions: ports.subscriptions, messaging, log: silentLog }));
  await messaging.serve({ name: 'operator', version: '0.1.0', description: 'simulated' }, [
    accessEndpoint((tenantId) =>
      readAccess({ subscriptions: ports.subscriptions, attemptStatus: attemptStatusOf(messaging) }, tenantId),
    ),
  ]);
  await messaging.consume(
    { stream: 'LIFECYCLE_SETTLED', durable: 'operator', concurrency },
    onLifecycleSettled(
      (settled) => settleOperation(ports, settled),
      (report) => settleDeletion(ports, report),
    ),
  );
  every(sweepEveryMs, settlementQuestions({ ...ports, messaging }));
  await messaging.consume(
    { stream: deletionStream, durable: 'operator', concurrency },
    onWorkspaceDeleted((report) => settleDeletion(ports, report)),
  );
  await messaging.consume(
    { stream: workspaceStream, durable: 'operator', concurrency },
    onWorkspaceCommitted((committed) => mirrorWorkspace(ports, committed), messaging),
  );
  await messaging.consume(
    { stream: providerEventStreams.events, durable: 'operator', concurrency },
    onProviderEvent((event) => handleProviderEvent(events, event)),
  );
  every(sweepEveryMs, () => refreshMirrors(events));
  // In all other histories the round finds nothing, and its calls would change the meaning of their seeds.
  if (world.holdsPayments) every(sweepEveryMs, () => lookAtPayments(events));
  const askExecutors = await watchInterrupted(dependencies, ports.work, () =>
    runningWork({
      operations: ports.operations,
      migrations: store.collection(planMigrationsCollection),
      admissions: events.admissions,
    }),
  );
  const admissions = admissionEndpoint({ admissions: events.admissions, askExecutors });
  await messaging.serve({ name: 'operator', version: '0.1.0', description: 'simulated' }, [admissions]);
  return { ...apiOf(dependencies, ports), ...migrating };
}

const codes: Readonly<Record<string, { readonly status: number }>> = operatorCodes;

/** The information that a caller gets from an answer. */
function answered(status: number, code: string): Answered {
  if (status === 200) return 'succeeded';
  if (status === 202) return 'under_way';
  if (status === 503) return 'nothing';
  if (code === 'operation_id_reused') return 'reused';
  return code === 'outcome_unknown' || code === 'reconciliation_required' ? 'unknown' : 'refused';
}

function apiOf({ world, messaging }: PayingServiceDependencies, ports: OperatorPorts): Omit<OperatorApi, 'migrate'> {
  return {
    async submit(request) {
      const asked: World['asked'][number] = {
        ...{ operationId: request.operationId, values: identityOf(request), at: world.timeline.time },
      };
      world.asked.push(asked);
      const reply = await runOperation(ports, request).catch((error: unknown) => {
        if (error instanceof StoreUnavailableError)
          return { kind: 'store_unavailable' as const, detail: error.message };
        throw error;
      });
      const answer = answerInHttp(reply, request.operationId);
      const status = answer.kind === 'reply' ? answer.status : (codes[answer.code]?.status ?? 503);
      // A client with this answer reads the record next, so the record must exist at this moment, not only at the end.
      const isRecorded =
        status >= 300 ||
        world.databases.operator.recorder.logs.writes.some(
          ({ collection, id, outcome }) =>
            outcome === 'applied' && id === request.operationId && collection === operationsCollection.name,
        );
      if (!isRecorded) world.problems.push(`I14 ${request.operationId}: answered ${status}, and no record exists`);
      world.answers.push({
        operationId: request.operationId,
        fingerprint: fingerprintOf(request),
        status,
        ...(answer.kind === 'problem' && { code: answer.code }),
        at: world.timeline.wall.now(),
      });
      asked.told = { answer: answered(status, answer.kind === 'problem' ? answer.code : ''), at: world.timeline.time };
      // After these answers the executor may continue; any other answer is final.
      if (status !== 202 && status !== 503) asked.answeredAt = world.timeline.time;
    },
    async create(request) {
      const answer = await messaging.request(creationRequests.create, { ...request }, 50_000);
      const status = answer.ok
        ? (answer.value as { readonly status: string }).status === 'committed'
          ? 200
          : 202
        : 503;
      world.answers.push({
        operationId: request.tenantId,
        fingerprint: request.tenantId,
        status,
        at: world.timeline.wall.now(),
      });
    },
  };
}
