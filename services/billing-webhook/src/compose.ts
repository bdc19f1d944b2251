/**
 * The composition root of the receiver: the only file that imports every part. Parts open in this order and close in
 * reverse.
 */
import { webhookCodes } from '@platform/contracts-billing-webhook';
import { providerEventStreams } from '@platform/contracts-provisioning';
import { startService, type StartedService } from '@platform/durable/boot';
import { defineCodes, serverSettings } from '@platform/http-server';
import { keepTrail } from '@platform/durable/trail';
import type { ServiceContext } from '@platform/service-host';
import { createMeter, observe } from './compose-metrics';
import { webhookSecretsOf, type Config } from './config';
import { webhookRoute } from './http/webhook-route';
import { onProviderOutcome } from './messages/on-provider-outcome';
import {
  contradictedEventsEndpoint,
  judgedEventEndpoint,
  webhookEventsEndpoint,
} from './messages/serve-webhook-events';
import { receiverPorts } from './receiver';
import { auditBlocksCollection, eventTrail } from './store/audit-blocks';
import { schemaSteps } from './store/schema-steps';
import { webhookDigestsCollection } from './store/webhook-digests';
import { webhookEventsCollection } from './store/webhook-events';
import { askOwnerOver } from './workflows/ask-owner';
import { timedBudget } from './workflows/await-outcome';
import { completeEvent } from './workflows/complete-event';
import { listEvents } from './workflows/list-events';
import type { WebhookPorts } from './workflows/ports';
import { receiveEvent } from './workflows/receive-event';
import { removeOldEvents } from './workflows/remove-old-events';
import { stopInterrupted } from './workflows/stop-interrupted';
import { watchEndpoint } from './workflows/watch-endpoint';

const outcomeConcurrency = 32;
const retentionEveryMs = 3_600_000;
const watchEveryMs = 300_000;
const interruptedEveryMs = 10_000;

export async function compose(context: ServiceContext<Config>): Promise<{ readonly url: string }> {
  const service = await startService(context, {
    collections: [webhookEventsCollection, webhookDigestsCollection, auditBlocksCollection],
    schemaSteps,
    streams: Object.values(providerEventStreams),
  });
  const { config, executorState } = service;
  const { ports, relay } = await openWorkflows(service);
  relay.start();
  // Outcomes that wait in the stream are read before any event without an outcome is judged.
  await listen(service, ports);
  await service.repeat('events without an outcome', interruptedEveryMs, () =>
    stopInterrupted({ ...ports, executorState }),
  );
  await repeatWork(service, ports);
  observe(service, ports);
  const route = webhookRoute({
    receive: (received) => receiveEvent(ports, received),
    secrets: webhookSecretsOf(config.WEBHOOK_SECRETS),
    toleranceSeconds: config.WEBHOOK_TOLERANCE_SECONDS,
    // This machine's clock decides whether a signature is too old, so the clock is watched.
    clock: context.clock,
    meter: ports.meter,
  });
  return service.listen({
    routes: [route],
    codes: defineCodes(webhookCodes),
    ratePerMinute: config.RATE_LIMIT_PER_MINUTE,
    ...serverSettings(config),
    openapi: {
      title: 'Payment-provider webhooks',
      description: `Receives, admits and dispatches events once. Instance ${service.executor.instance}.`,
    },
  });
}

async function openWorkflows(service: StartedService<Config>) {
  const { store, clock, ids, executor, log, config, metrics, messaging } = service;
  const relay = await service.openRelay('outbox relay', { events: store.collection(webhookEventsCollection).outbox });
  const ports = receiverPorts({
    store,
    clock,
    ids,
    executor,
    log,
    publishNow: (eventId, entries) => void relay.publishNow('events', eventId, entries),
    budget: () => timedBudget(config.WEBHOOK_WAIT_MS),
    askOwner: askOwnerOver(messaging),
    meter: createMeter(metrics),
  });
  return { ports, relay };
}

/** Reads the outcomes that owners report, and answers inspection requests about events. */
async function listen(service: StartedService<Config>, ports: WebhookPorts): Promise<void> {
  await service.consume(
    'outcomes',
    { stream: providerEventStreams.outcomes, durable: 'billing-webhook', concurrency: outcomeConcurrency },
    onProviderOutcome((outcome) => completeEvent(ports, outcome)),
  );
  await service.answer('Events of the payment provider, for people', [
    webhookEventsEndpoint((request) => listEvents(ports, request)),
    contradictedEventsEndpoint(ports),
    judgedEventEndpoint(ports),
  ]);
}

/** Starts the periodic work: retention of old events, the watch on the endpoint, and the audit trail of resolutions. */
async function repeatWork(service: StartedService<Config>, ports: WebhookPorts): Promise<void> {
  const { config, store, clock } = service;
  const trail = eventTrail(store);
  await service.repeat('retention', retentionEveryMs, (stopping) =>
    removeOldEvents(ports, config.WEBHOOK_RETENTION_DAYS, stopping),
  );
  await service.repeat('watch', watchEveryMs, () => watchEndpoint(ports, config.WEBHOOK_WARN_HOURS));
  await service.audit((stopping) => keepTrail(trail, clock, stopping));
}
