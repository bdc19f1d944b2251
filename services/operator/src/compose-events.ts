/** The part of the composition that handles provider events: their admissions, outcomes and the mirrors they refresh. */
import { providerEventStreams } from '@platform/contracts-provisioning';
import { instanceBlocksCollection, instanceTrail } from '@platform/durable/boot';
import { keepTrail } from '@platform/durable/trail';
import type { ServiceContext } from '@platform/service-host';
import { checkoutReceiptsCollection } from './checkout/store/checkout-receipts';
import { endWaitingCheckouts } from './checkout/workflows/end-waiting-checkouts';
import type { Gateway } from './compose-gateway';
import type { Config } from './config';
import { mirrorRefreshesCollection } from './mirror/store/mirror-refreshes';
import { refreshMirrors } from './mirror/workflows/refresh-mirrors';
import { auditBlocksCollection } from './operations/store/audit-blocks';
import { lookAtPayments } from './operations/workflows/await-payment';
import { keepAudit } from './operations/workflows/keep-audit';
import { onProviderEvent } from './provider-events/messages/on-provider-event';
import { admissionEndpoint } from './provider-events/messages/serve-admissions';
import { providerEventAdmissionsCollection } from './provider-events/store/provider-event-admissions';
import type { EventPorts } from './provider-events/workflows/event-ports';
import { handleProviderEvent } from './provider-events/workflows/handle-provider-event';
import { stopInterruptedEvents } from './provider-events/workflows/stop-interrupted-events';

const eventConcurrency = 16;
const refreshEveryMs = 5_000;
/**
 * The provider's event ends a checkout within seconds; this ends checkouts whose event has not arrived, or arrived
 * before the bank's answer.
 */
const checkoutsLookedAtEveryMs = 60_000;
/** The event of the invoice ends such a wait within seconds; this ends waits whose event has not arrived. */
const paymentsLookedAtEveryMs = 60_000;

export const eventCollections = [
  providerEventAdmissionsCollection,
  mirrorRefreshesCollection,
  checkoutReceiptsCollection,
  auditBlocksCollection,
  instanceBlocksCollection,
];

/** Stops events that earlier boots left unfinished, then reads new events; maintains the audit trail of operations. */
export async function composeEvents({ service, ports }: Gateway): Promise<void> {
  const { clock, ids, store, messaging, executorState } = service;
  const admissions = store.collection(providerEventAdmissionsCollection);
  const relay = await service.openRelay('outbox relay of provider events', { admissions: admissions.outbox });
  const events: EventPorts = {
    ...ports,
    ids,
    admissions,
    receipts: store.collection(checkoutReceiptsCollection),
    publishEventNow: (eventId, entries) => void relay.publishNow('admissions', eventId, entries),
    publish: (entry) => messaging.publish(entry),
  };
  observe(service, events);
  await stopInterruptedEvents(events, executorState);
  relay.start();
  await service.consume(
    'provider events',
    { stream: providerEventStreams.events, durable: 'operator', concurrency: eventConcurrency },
    onProviderEvent((event) => handleProviderEvent(events, event)),
  );
  await service.answer('What became of the provider events of the operator', [
    admissionEndpoint({ admissions, askExecutors: service.askExecutors }),
  ]);
  const audit = { operations: ports.operations, blocks: store.collection(auditBlocksCollection), clock };
  const instances = instanceTrail(store);
  await service.audit(
    (stopping) => keepAudit(audit, stopping),
    (stopping) => keepTrail(instances, clock, stopping),
  );
  await service.repeat('waiting checkouts', checkoutsLookedAtEveryMs, (stopping) =>
    endWaitingCheckouts(events, stopping),
  );
  await service.repeat('payments to be confirmed', paymentsLookedAtEveryMs, (stopping) =>
    lookAtPayments(events, stopping),
  );
  await service.repeat('mirror refreshes', refreshEveryMs, (stopping) => refreshMirrors(events, stopping));
}

function observe({ metrics }: ServiceContext<Config>, { admissions, refreshes }: EventPorts): void {
  metrics.observedGauge(
    { name: 'provider_events_pending', help: 'Provider events that are admitted and not finished.' },
    () => admissions.count({ status: 'pending' }),
  );
  metrics.observedGauge(
    {
      name: 'mirror_refreshes_waiting',
      help: 'Mirrors that must be read again after a transition, or when the provider answers.',
    },
    () => refreshes.count({}),
  );
}
