/** The part of the composition that handles provider events: their admissions, outcomes and the mirrors they refresh. */
import { providerEventStreams } from '@platform/contracts-provisioning';
import type { Messaging } from '@platform/messaging';
import type { Store } from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import { startPeriodic, type ServiceContext, type WorkUnderWay } from '@platform/service-host';
import type { Config } from './config';
import { onProviderEvent } from './provider-events/messages/on-provider-event';
import { auditBlocksCollection } from './operations/store/audit-blocks';
import { checkoutReceiptsCollection } from './checkout/store/checkout-receipts';
import { mirrorRefreshesCollection } from './mirror/store/mirror-refreshes';
import { providerEventAdmissionsCollection } from './provider-events/store/provider-event-admissions';
import type { EventPorts } from './provider-events/workflows/event-ports';
import { handleProviderEvent } from './provider-events/workflows/handle-provider-event';
import type { OperatorPorts } from './operations/workflows/ports';
import type { ReadPorts } from './operations/workflows/read-operation';
import { keepAudit } from './operations/workflows/keep-audit';
import { refreshMirrors } from './mirror/workflows/refresh-mirrors';
import { stopInterruptedEvents } from './provider-events/workflows/stop-interrupted-events';

const eventConcurrency = 16;
const refreshEveryMs = 5_000;
const auditEveryMs = 30_000;

export interface EventParts {
  readonly store: Store;
  readonly messaging: Messaging;
  readonly ports: OperatorPorts;
  readonly reads: ReadPorts;
  readonly under: WorkUnderWay;
}

/** Declares the collections; before the indexes are ensured. */
export function declareEventCollections(store: Store): void {
  store.collection(providerEventAdmissionsCollection);
  store.collection(mirrorRefreshesCollection);
  store.collection(checkoutReceiptsCollection);
  store.collection(auditBlocksCollection);
}

/** Stops what earlier boots left, then takes events. */
export async function composeEvents(
  context: ServiceContext<Config>,
  { store, messaging, ports, reads, under }: EventParts,
): Promise<void> {
  const { open, log, clock, ids } = context;
  const admissions = store.collection(providerEventAdmissionsCollection);
  const relay = await open(
    'outbox relay of provider events',
    createOutboxRelay({
      sources: { admissions: admissions.outbox },
      publish: (message) => messaging.publish(message),
      clock,
      log,
    }),
    (opened) => opened.close(),
  );
  const events: EventPorts = {
    ...ports,
    ids,
    admissions,
    receipts: store.collection(checkoutReceiptsCollection),
    publishEventNow: (eventId, entries) => void relay.publishNow('admissions', eventId, entries),
    publish: (entry) => messaging.publish(entry),
  };
  observe(context, events);
  await stopInterruptedEvents(events, reads.executorState);
  relay.start();
  const handle = onProviderEvent((event) => under.track(handleProviderEvent(events, event)));
  await open(
    'provider events',
    messaging.consume(
      { stream: providerEventStreams.events, durable: 'operator', concurrency: eventConcurrency },
      handle,
    ),
    (subscription) => subscription.close(),
  );
  const audit = { operations: ports.operations, blocks: store.collection(auditBlocksCollection), clock };
  await open(
    'audit trail',
    startPeriodic({ name: 'audit trail', everyMs: auditEveryMs, log, work: (stopping) => keepAudit(audit, stopping) }),
    (opened) => opened.close(),
  );
  await open(
    'mirror refreshes',
    startPeriodic({
      name: 'mirror refreshes',
      everyMs: refreshEveryMs,
      log,
      work: (stopping) => refreshMirrors(events, stopping),
    }),
    (opened) => opened.close(),
  );
}

function observe({ metrics }: ServiceContext<Config>, { admissions, refreshes }: EventPorts): void {
  metrics.observedGauge(
    { name: 'provider_events_pending', help: 'Provider events that are admitted and not finished.' },
    () => admissions.count({ status: 'pending' }),
  );
  metrics.observedGauge(
    {
      name: 'mirror_refreshes_waiting',
      help: 'Mirrors that must be read anew after a transition, or when the provider answers.',
    },
    () => refreshes.count({}),
  );
}
