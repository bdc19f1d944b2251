/**
 * The composition root: reconciles, serves, and closes in reverse. All services share the start of the service itself.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { lifecycleStreams, receivedByDelivery } from '@platform/contracts-lifecycle-delivery';
import { deletionStream, providerEventStreams, workspaceStream } from '@platform/contracts-provisioning';
import {
  instanceBlocksCollection,
  instanceTrail,
  openProvider,
  startService,
  type StartedService,
} from '@platform/durable/boot';
import { interruptionNoticesCollection } from '@platform/durable/executors';
import { backoffMs } from '@platform/kernel';
import { keepTrail } from '@platform/durable/trail';
import { createKeyedMutex } from '@platform/durable/record';
import type { PaymentProvider } from '@platform/payment-provider';
import type { ServiceContext } from '@platform/service-host';
import { createMeter, observe } from './compose-metrics';
import type { Config } from './config';
import { onDeletionRequested } from './messages/on-deletion-requested';
import { onLifecycleSettled } from './messages/on-lifecycle-settled';
import { onProviderEvent } from './messages/on-provider-event';
import { admissionEndpoint } from './messages/serve-admissions';
import { creationEndpoints } from './messages/serve-creation';
import { deletionEndpoints } from './messages/serve-deletions';
import { eventAdmissionEndpoints } from './messages/serve-event-admissions';
import { listenerEndpoints } from './messages/serve-listeners';
import { requestEndpoints } from './messages/serve-requests';
import { attemptTrail, auditBlocksCollection, eventAuditBlocksCollection, eventTrail } from './store/audit-blocks';
import { provisioningCollections } from './store/collections';
import { schemaSteps } from './store/schema-steps';
import { admitDeletion, callDeletionListeners, resumeDeletions, type DeletionPorts } from './workflows/delete-tenant';
import { abandonInterruptedEvents, handleProviderEvent } from './workflows/handle-provider-event';
import { collectionsOf, type ProvisioningPorts } from './workflows/ports';
import { reconcile } from './workflows/reconcile';
import { runningWork } from './workflows/running-work';
import { deletionKey } from './workflows/work-keys';

type Service = StartedService<Config>;

/** Name of this service's durables. */
const durable = 'provisioning';
const concurrency = 16;
/** Time between two checks for deletions whose investigation has ended. */
const resumeEveryMs = 5_000;

export async function compose(context: ServiceContext<Config>): Promise<{ readonly url: string }> {
  const { messages, settled } = lifecycleStreams;
  const service = await startService(context, {
    collections: [
      ...provisioningCollections,
      auditBlocksCollection,
      eventAuditBlocksCollection,
      instanceBlocksCollection,
      interruptionNoticesCollection,
    ],
    schemaSteps,
    streams: [messages, settled, workspaceStream, deletionStream, ...Object.values(providerEventStreams)],
  });
  const { config, clock, store, log, work } = service;
  const { ports, relay } = await openWorkflows(service, await openProvider(service));
  await service.open('creations under way', work, (opened) => opened.drained());
  observe(service, ports, () => work.count(ports.attempts.name));
  const abandoned = await abandonInterruptedEvents(ports);
  if (abandoned > 0)
    log.warn({ abandoned }, 'provider events of an earlier boot were not completed; they need an investigation');
  relay.start();
  await service.repeat('reconciliation', config.RECONCILE_SECONDS * 1_000, (stopping) => reconcile(ports, stopping));
  const [attempts, events, instances] = [attemptTrail(store), eventTrail(store), instanceTrail(store)];
  await service.audit(
    (stopping) => keepTrail(attempts, clock, stopping),
    (stopping) => keepTrail(events, clock, stopping),
    (stopping) => keepTrail(instances, clock, stopping),
  );
  await listen(service, ports);
  await service.watchInterrupted('creations', () => runningWork(ports));
  return service.listen({ routes: [] });
}

/** Reads provider events and settlements, and answers requests. */
async function listen(service: Service, ports: ProvisioningPorts): Promise<void> {
  const { askExecutors, executorState, work } = service;
  const events = onProviderEvent((event) => handleProviderEvent(ports, event));
  await service.consume('provider events', { stream: providerEventStreams.events, durable, concurrency }, events);
  const settlements = onLifecycleSettled(ports);
  await service.consume('settlements', { stream: lifecycleStreams.settled, durable, concurrency }, settlements);
  const deletions: DeletionPorts = { ...ports, executorState, deleting: new Set() };
  const requests = onDeletionRequested({
    admit: (request) => admitDeletion(deletions, request),
    run: (deletion) => work.run(deletionKey(deletion.tenantId), () => callDeletionListeners(deletions, deletion)),
    log: service.log,
  });
  await service.repeat('resumed deletions', resumeEveryMs, (stopping) => resumeDeletions(deletions, stopping));
  await service.consume('requested deletions', { stream: deletionStream, durable, concurrency }, requests);
  await service.answer('Workspace creation, the commit gate, reservations and provisioning listeners', [
    ...creationEndpoints(ports, { askExecutors }),
    ...requestEndpoints(ports, { ...ports, askExecutors }),
    ...deletionEndpoints({ ...ports, askExecutors }),
    ...eventAdmissionEndpoints({ ...ports, askExecutors }),
    ...listenerEndpoints(ports),
    admissionEndpoint({ ...ports, askExecutors }),
  ]);
}

async function openWorkflows(service: Service, provider: PaymentProvider) {
  const { clock, log, executor, config, metrics, store, messaging, work } = service;
  const collections = collectionsOf(store);
  const outboxes = {
    attempts: collections.attempts.outbox,
    lifecycle_outbox: collections.markers.outbox,
    deletions: collections.deletions.outbox,
    creation_remains: collections.remains.outbox,
    provider_event_admissions: collections.admissions.outbox,
  };
  const received = receivedByDelivery((...question) => messaging.request(...question));
  const relay = await service.openRelay('outbox relay', outboxes, { received });
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
    work,
    mutex: createKeyedMutex(),
    meter: createMeter(metrics),
    log,
  };
  return { ports, relay };
}
