/** Composes the watch that reads each recorded resolution again for a day, and the metric of contradictions. */
import type { Gateway } from './compose-gateway';
import { contradictionsCollection } from './contradictions/store/contradictions';
import { createResolutionWatch } from './contradictions/workflows/watch-resolutions';
import { planMigrationItemsCollection } from './migrations/store/plan-migration-items';

const lookEveryMs = 60_000;

export async function composeContradictions({ service, ports, provider }: Gateway): Promise<void> {
  const { store, metrics, clock, log, messaging } = service;
  const contradictions = store.collection(contradictionsCollection);
  const relay = await service.openRelay('outbox relay of contradictions', { contradictions: contradictions.outbox });
  relay.start();
  metrics.observedGauge(
    { name: 'resolutions_contradicted', help: 'Resolutions that the provider contradicts, and no person has settled.' },
    () => contradictions.count({ status: 'open' }),
  );
  const look = createResolutionWatch({
    contradictions,
    operations: ports.operations,
    items: store.collection(planMigrationItemsCollection),
    subscriptions: ports.subscriptions,
    provider,
    messaging,
    publishNow: (id, entries) => void relay.publishNow('contradictions', id, entries),
    service: service.service,
    clock,
    log,
  });
  await service.repeat('recorded resolutions', lookEveryMs, look);
}
