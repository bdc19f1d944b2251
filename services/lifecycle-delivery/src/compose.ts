/** The composition root: starts the delivery on the service's store and broker, and serves health and metrics. */
import { lifecycleStreams } from '@platform/contracts-lifecycle-delivery';
import { startService } from '@platform/durable/boot';
import { keepTrail } from '@platform/durable/trail';
import type { Metrics, ServiceContext } from '@platform/service-host';
import type { Config } from './config';
import { deliveryCollections, startDelivery, type RunningDelivery } from './delivery';
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
    startDelivery({ store, messaging, clock, random: Math.random, log }),
    (running) => running.close(),
  );
  const trail = waiverTrail(store);
  await service.audit((stopping) => keepTrail(trail, clock, stopping));
  observe(service.metrics, delivery);
  return service.listen({ routes: [] });
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
