/** Provisioning on simulated ports, wired as its composition root wires it. */
import { lifecycleStreams, receivedByDelivery } from '@platform/contracts-lifecycle-delivery';
import { deletionStream, providerEventStreams } from '@platform/contracts-provisioning';
import { executorStateIn, incarnationsCollection } from '@platform/durable/boot';
import { createKeyedMutex } from '@platform/durable/record';
import { silentLog } from '@platform/kernel';
import { createOutboxRelay } from '@platform/outbox';
import { registerIncarnation } from '@platform/service-host';
import { onDeletionRequested } from '../../../services/provisioning/src/messages/on-deletion-requested';
import { onLifecycleSettled } from '../../../services/provisioning/src/messages/on-lifecycle-settled';
import { onProviderEvent } from '../../../services/provisioning/src/messages/on-provider-event';
import { creationEndpoints } from '../../../services/provisioning/src/messages/serve-creation';
import { requestEndpoints } from '../../../services/provisioning/src/messages/serve-requests';
import {
  admitDeletion,
  callDeletionListeners,
  resumeDeletions,
  type DeletionPorts,
} from '../../../services/provisioning/src/workflows/delete-tenant';
import {
  abandonInterruptedEvents,
  handleProviderEvent,
} from '../../../services/provisioning/src/workflows/handle-provider-event';
import { collectionsOf, type ProvisioningPorts } from '../../../services/provisioning/src/workflows/ports';
import { reconcile } from '../../../services/provisioning/src/workflows/reconcile';
import { admissionEndpoint } from '../../../services/provisioning/src/messages/serve-admissions';
import { runningWork } from '../../../services/provisioning/src/workflows/running-work';
import { countHandlerRuns } from './handler-runs';
import { sweepEveryMs, type PayingServiceDependencies } from './dependencies';
import { watchInterrupted, workOf } from './executors';

const durable = 'provisioning';
const concurrency = 16;
const reconcileEveryMs = 300_000;
const limits = {
  freeWorkspacesPerCard: 1,
  trialDays: 14,
  creationsPerUser: 10,
  creationWindowMs: 3_600_000,
  listenerTimeoutMs: 5_000,
};

function portsOf({ world, store, provider, messaging, executor, sleep, process }: PayingServiceDependencies) {
  const { clock } = world.timeline;
  const declared = collectionsOf(store);
  const collections = { ...declared, admissions: countHandlerRuns(declared.admissions, world, process) };
  const sources = {
    attempts: collections.attempts.outbox,
    lifecycle_outbox: collections.markers.outbox,
    deletions: collections.deletions.outbox,
    creation_remains: collections.remains.outbox,
    provider_event_admissions: collections.admissions.outbox,
  };
  const relay = createOutboxRelay({
    sources,
    publish: messaging.publish,
    received: receivedByDelivery(messaging.request),
    clock,
    log: silentLog,
    sweepIntervalMs: sweepEveryMs,
    wait: (milliseconds) => sleep(milliseconds),
  });
  const retryPolicy = { tries: 3, pause: (attempt: number) => sleep(200 * attempt) };
  const ports: ProvisioningPorts = {
    ...collections,
    provider,
    messaging,
    clock,
    executor,
    limits,
    databaseNow: () => store.now(),
    publishNow: (source, recordId, entries) => void relay.publishNow(source, recordId, entries),
    retryPolicy,
    work: workOf({ world, sleep }, retryPolicy),
    mutex: createKeyedMutex(),
    meter: { attemptReached: () => undefined, providerAnswered: () => undefined },
    log: silentLog,
  };
  return { ports, relay };
}

export async function bootProvisioning(dependencies: PayingServiceDependencies): Promise<object> {
  const { world, store, messaging, executor, every, quietly, process } = dependencies;
  const { ports, relay } = portsOf(dependencies);
  const records = store.collection(incarnationsCollection);
  await registerIncarnation({ records, executor, clock: world.timeline.clock });
  await abandonInterruptedEvents(ports);
  relay.start();
  void quietly(reconcile(ports));
  every(reconcileEveryMs, () => reconcile(ports));
  await messaging.consume(
    { stream: providerEventStreams.events, durable, concurrency },
    onProviderEvent((event) => handleProviderEvent(ports, event)),
  );
  await messaging.consume({ stream: lifecycleStreams.settled, durable, concurrency }, onLifecycleSettled(ports));
  const askExecutors = await watchInterrupted(dependencies, ports.work, () => runningWork(ports));
  const deletions: DeletionPorts = { ...ports, executorState: executorStateIn(store), deleting: new Set() };
  await messaging.consume(
    { stream: deletionStream, durable, concurrency },
    onDeletionRequested({
      admit: (request) => admitDeletion(deletions, request),
      run: (deletion) => callDeletionListeners(deletions, deletion),
      log: silentLog,
    }),
  );
  every(sweepEveryMs, () => resumeDeletions(deletions));
  const endpoints = [
    ...creationEndpoints(ports, { askExecutors }),
    ...requestEndpoints(ports, { ...ports, askExecutors }),
    admissionEndpoint({ ...ports, askExecutors }),
  ];
  await messaging.serve({ name: process.service, version: '0.1.0', description: 'simulated' }, endpoints);
  return {};
}
