/** The composition root: starts the delivery on the service's store and broker, and serves health and metrics. */
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import { startService } from '@platform/durable/boot';
import { keepTrail } from '@platform/durable/trail';
import type { Log } from '@platform/kernel';
import type { Metrics, ServiceContext } from '@platform/service-host';
import type { Config } from './config';
import { deliveryCollections, startDelivery, type HttpResources, type RunningDelivery } from './delivery';
import { createHttpEndpoints } from './endpoints/http-endpoints';
import { secretFiles } from './endpoints/secret-files';
import { waiverTrail } from './store/audit-blocks';
import { schemaSteps } from './store/schema-steps';

export async function compose(context: ServiceContext<Config>): Promise<{ readonly url: string }> {
  const service = await startService(context, {
    collections: deliveryCollections,
    schemaSteps,
    streams: Object.values(lifecycleStreams),
  });
  const { store, messaging, clock, log } = service;
  const delivery = await service.open(
    'delivery',
    startDelivery({
      store,
      messaging,
      clock,
      random: Math.random,
      log,
      passedOver: passedOverBy(service.metrics, log),
      http: httpOf(context.config, service.metrics),
    }),
    (running) => running.close(),
  );
  service.onStreamsRecreated(() => delivery.streamsRecreated());
  const trail = waiverTrail(store);
  await service.audit((stopping) => keepTrail(trail, clock, stopping));
  service.outboxes.set('lifecycle_messages', {
    backlog: async () => (await delivery.relay.backlog()).lifecycle_messages,
  });
  observe(service.metrics, delivery);
  return service.listen({ routes: [] });
}

/** Plain HTTP is for the local platform alone. */
function httpOf(config: Config, metrics: Metrics): HttpResources {
  const posts = metrics.counter({
    name: 'lifecycle_http_posts_total',
    help: 'Messages posted to endpoints of teams, by what came of it',
    labels: ['consumer', 'outcome'],
  });
  return {
    endpoints: createHttpEndpoints({
      allowsPlainHttp: config.PLATFORM_MODE === 'local',
      allowedHosts: config.HTTP_DELIVERY_ALLOWED_HOSTS,
      timeoutMs: config.HTTP_DELIVERY_TIMEOUT_MS,
    }),
    secrets: secretFiles(config.HTTP_DELIVERY_DIR),
    concurrency: config.HTTP_DELIVERY_CONCURRENCY,
    posted: (consumer, outcome) => posts.add({ consumer, outcome }),
  };
}

/** Counts by consumer and logs once a minute, so that a flood of reports causes no flood of log lines. */
function passedOverBy(metrics: Metrics, log: Log): (consumer: string) => void {
  const counter = metrics.counter({
    name: 'lifecycle_reports_passed_over_total',
    help: 'Reports of a consumer that floods, acknowledged unread',
    labels: ['consumer'],
  });
  const said = new Map<string, number>();
  return (consumer) => {
    counter.add({ consumer });
    const now = performance.now();
    if (now - (said.get(consumer) ?? -Infinity) < 60_000) return;
    said.set(consumer, now);
    log.warn({ consumer }, 'a consumer reports more that changes nothing than it may; its reports are not read');
  };
}

function observe(metrics: Metrics, { ports, relay }: RunningDelivery): void {
  metrics.observedGauge(
    { name: 'lifecycle_deliveries_waiting', help: 'Deliveries without a receipt that show no failure' },
    () => ports.deliveries.count({ status: 'pending' }),
  );
  metrics.observedGauge({ name: 'lifecycle_deliveries_failed', help: 'Deliveries whose last run failed' }, () =>
    ports.deliveries.count({ status: 'failed' }),
  );
  metrics.observedGauge(
    { name: 'lifecycle_receipts_refused', help: 'Reports of consumers that could not be taken, since ever' },
    async () => (await ports.readConsumers()).reduce((sum, { refusals }) => sum + (refusals?.count ?? 0), 0),
  );
  metrics.observedGauge(
    { name: 'lifecycle_outbox_entries', help: 'Settlements that have not been announced yet' },
    async () => (await relay.backlog()).lifecycle_messages.count,
  );
}
