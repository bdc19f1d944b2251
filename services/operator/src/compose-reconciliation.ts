/** Composes the daily comparison with the payment provider, with the metrics of the differences. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Gateway } from './compose-gateway';
import { planMigrationItemsCollection } from './migrations/store/plan-migration-items';
import { differencesCollection } from './reconciliation/store/differences';
import { reconciliationsCollection } from './reconciliation/store/reconciliations';
import { createDailyReconciliation, secondsBehind } from './reconciliation/workflows/run-reconciliation';

const lookEveryMs = 60_000;

export async function composeReconciliation({ service, ports, provider }: Gateway): Promise<void> {
  const { store, metrics, config, log } = service;
  const differences = store.collection(differencesCollection);
  const reconciliations = store.collection(reconciliationsCollection);
  metrics.observedGauge(
    {
      name: 'reconciliation_differences_open',
      help: 'Differences between the payment provider and the records that no person has settled.',
    },
    () => differences.count({ status: 'open' }),
  );
  metrics.observedGauge(
    {
      name: 'reconciliation_behind_seconds',
      help: 'Seconds since the end of the last day that was compared with the payment provider; 0 before the first one is due.',
    },
    () => secondsBehind({ reconciliations, databaseNow: ports.databaseNow }),
  );
  const pauseMs = 1_000 / config.RECONCILIATION_WORKSPACES_PER_SECOND;
  const round = createDailyReconciliation({
    ...ports,
    provider,
    differences,
    reconciliations,
    items: store.collection(planMigrationItemsCollection),
    pace: () => delay(pauseMs),
    log,
  });
  await service.repeat('daily reconciliation', lookEveryMs, async (stopping) => {
    const ended = await round(stopping);
    if (ended.kind === 'completed') log.info({ period: ended.period.id, opened: ended.opened }, 'reconciled');
    if (ended.kind === 'waits') log.warn({ reason: ended.reason }, 'daily reconciliation waits');
  });
}
