/**
 * The receiver of provider events on simulated ports. Its workflows begin after the signature check, which other tests
 * cover.
 */
import { providerEventStreams } from '@platform/contracts-provisioning';
import { executorStateIn, incarnationsCollection } from '@platform/durable/boot';
import { silentLog } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import { createOutboxRelay } from '@platform/outbox';
import { registerIncarnation } from '@platform/service-host';
import type { ReceivedEvent } from '../../../services/billing-webhook/src/domain/webhook-event';
import { onProviderOutcome } from '../../../services/billing-webhook/src/messages/on-provider-outcome';
import { receiverPorts } from '../../../services/billing-webhook/src/receiver';
import { webhookEventsCollection } from '../../../services/billing-webhook/src/store/webhook-events';
import { askOwnerOver } from '../../../services/billing-webhook/src/workflows/ask-owner';
import type { WaitBudget } from '../../../services/billing-webhook/src/workflows/ports';
import { completeEvent } from '../../../services/billing-webhook/src/workflows/complete-event';
import { receiveEvent } from '../../../services/billing-webhook/src/workflows/receive-event';
import type { Reception } from '../../../services/billing-webhook/src/workflows/reception';
import { stopInterrupted } from '../../../services/billing-webhook/src/workflows/stop-interrupted';
import { sweepEveryMs, type ServiceDependencies } from './dependencies';

export interface ReceiverApi {
  /** One delivery by the provider; returns the HTTP status. */
  receive(event: ReceivedEvent): Promise<number>;
}

const statuses: Readonly<Record<Reception['kind'], number>> = {
  accepted: 200,
  conflict: 409,
  unresolved: 500,
  not_recorded: 503,
};
const meter = {
  verified: () => undefined,
  rejected: () => undefined,
  duplicate: () => undefined,
  reached: () => undefined,
  clockSkew: () => undefined,
};
const budgetMs = 8_000;
const lookEveryMs = 1_000;

export async function bootBillingWebhook({
  world,
  store,
  messaging,
  executor,
  sleep,
  every,
  quietly,
}: ServiceDependencies): Promise<ReceiverApi> {
  const { clock, ids } = world.timeline;
  const relay = createOutboxRelay({
    sources: { events: store.collection(webhookEventsCollection).outbox },
    publish: messaging.publish,
    clock,
    log: silentLog,
    sweepIntervalMs: sweepEveryMs,
    wait: (milliseconds) => sleep(milliseconds),
  });
  const budget = (): WaitBudget => ({
    over: sleep(budgetMs).then(() => 'over' as const),
    look: () => sleep(lookEveryMs).then(() => 'look' as const),
    cancel: () => undefined,
  });
  const ports = receiverPorts({
    store,
    clock,
    ids,
    executor,
    log: silentLog,
    meter,
    budget,
    askOwner: askOwnerOver(messaging),
    publishNow: (eventId, entries) => void relay.publishNow('events', eventId, entries),
  });
  const records = store.collection(incarnationsCollection);
  await registerIncarnation({ records, executor, clock });
  relay.start();
  await messaging.consume(
    { stream: providerEventStreams.outcomes, durable: 'billing-webhook', concurrency: 32 },
    onProviderOutcome((outcome) => completeEvent(ports, outcome)),
  );
  const executorState = executorStateIn(store);
  void quietly(stopInterrupted({ ...ports, executorState }));
  every(sweepEveryMs, () => stopInterrupted({ ...ports, executorState }));
  return {
    receive: (event) =>
      receiveEvent(ports, event).then(
        ({ kind }) => statuses[kind],
        (error: unknown) => {
          if (error instanceof StoreUnavailableError) return 503;
          throw error;
        },
      ),
  };
}
