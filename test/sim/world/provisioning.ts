/** Provisioning on simulated ports, wired as its composition root wires it. */
import { LIFECYCLE_STREAMS } from '@platform/contracts-lifecycle-delivery';
import { PROVIDER_EVENT_STREAMS } from '@platform/contracts-provisioning';
import { silentLog } from '@platform/kernel';
import { createOutboxRelay } from '@platform/outbox';
import { registerIncarnation, supersession } from '@platform/service-host';
import { onLifecycleSettled } from '../../../services/provisioning/src/messages/on-lifecycle-settled';
import { onProviderEvent } from '../../../services/provisioning/src/messages/on-provider-event';
import { creationEndpoints } from '../../../services/provisioning/src/messages/serve-creation';
import { questionEndpoints } from '../../../services/provisioning/src/messages/serve-questions';
import { incarnationsCollection } from '../../../services/provisioning/src/store/collections';
import {
  abandonInterruptedEvents,
  handleProviderEvent,
} from '../../../services/provisioning/src/workflows/handle-provider-event';
import { collectionsOf, createTurns, type ProvisioningPorts } from '../../../services/provisioning/src/workflows/ports';
import { reconcile } from '../../../services/provisioning/src/workflows/reconcile';
import { countHandlerRuns } from './handler-runs';
import { sweepEveryMs, type PayingMeans } from './means';

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

function portsOf({ world, store, provider, messaging, executor, sleep, process }: PayingMeans) {
  const { clock } = world.timeline;
  const declared = collectionsOf(store);
  const collections = { ...declared, admissions: countHandlerRuns(declared.admissions, world, process) };
  const sources = {
    attempts: collections.attempts.outbox,
    lifecycle_outbox: collections.markers.outbox,
    provider_event_admissions: collections.admissions.outbox,
  };
  const relay = createOutboxRelay({
    sources,
    publish: messaging.publish,
    clock,
    log: silentLog,
    sweepIntervalMs: sweepEveryMs,
    wait: (milliseconds) => sleep(milliseconds),
  });
  const ports: ProvisioningPorts = {
    ...collections,
    provider,
    messaging,
    clock,
    executor,
    limits,
    databaseNow: () => store.now(),
    nudge: (source, recordId, entries) => void relay.nudge(source, recordId, entries),
    patience: { tries: 3, pause: (attempt) => sleep(200 * attempt) },
    turns: createTurns(),
    meter: { attemptReached: () => undefined, providerAnswered: () => undefined },
    log: silentLog,
  };
  return { ports, relay };
}

export async function bootProvisioning(means: PayingMeans): Promise<object> {
  const { world, store, messaging, executor, every, quietly, process } = means;
  const { ports, relay } = portsOf(means);
  const records = store.collection(incarnationsCollection);
  await registerIncarnation({ records, executor, clock: world.timeline.clock });
  const executorState = async (incarnation: string) => supersession(await records.findById(incarnation));
  await abandonInterruptedEvents(ports);
  relay.start();
  void quietly(reconcile(ports));
  every(reconcileEveryMs, () => reconcile(ports));
  await messaging.consume(
    { stream: PROVIDER_EVENT_STREAMS.events, durable, concurrency },
    onProviderEvent((event) => handleProviderEvent(ports, event)),
  );
  await messaging.consume({ stream: LIFECYCLE_STREAMS.settled, durable, concurrency }, onLifecycleSettled(ports));
  const endpoints = [
    ...creationEndpoints(ports, executorState, (work) => work),
    ...questionEndpoints(ports, { ...ports, executorState }),
  ];
  await messaging.serve({ name: process.service, version: '0.1.0', description: 'simulated' }, endpoints);
  return {};
}
