/**
 * Composes bulk plan migrations: jobs that earlier boots left running are stopped first, then requests are accepted.
 */
import type { Route } from '@platform/http-server';
import { keepTrail } from '@platform/durable/trail';
import { startPeriodic, type ServiceContext } from '@platform/service-host';
import type { Gateway } from './compose-gateway';
import type { Config } from './config';
import type { PlanMigration } from './migrations/domain/migration';
import { migrationRoutes } from './migrations/http/migration-routes';
import {
  migrationBlocksCollection,
  migrationItemBlocksCollection,
  migrationItemTrail,
  migrationTrail,
} from './migrations/store/migration-trails';
import { planMigrationItemsCollection } from './migrations/store/plan-migration-items';
import { planMigrationsCollection } from './migrations/store/plan-migrations';
import { finishClosings } from './migrations/workflows/skip-never-begun';
import { finishClearingItems } from './migrations/workflows/clear-item-transition';
import type { MigrationPorts } from './migrations/workflows/ports';
import { listMigrations } from './migrations/workflows/list-migrations';
import { prepareMigration } from './migrations/workflows/prepare-migration';
import { createRateGovernor, type RateGovernor } from './migrations/workflows/rate-governor';
import { readMigration } from './migrations/workflows/read-migration';
import { requestMigration } from './migrations/workflows/request-migration';
import { runMigration } from './migrations/workflows/run-migration';
import { stopInterruptedMigrations } from './migrations/workflows/stop-migration';
import type { Meter } from './operations/workflows/ports';

const clearedEveryMs = 60_000;

export const migrationCollections = [
  planMigrationsCollection,
  planMigrationItemsCollection,
  migrationBlocksCollection,
  migrationItemBlocksCollection,
];

export function openGovernor(config: Config): RateGovernor {
  return createRateGovernor({
    writesPerSecond: config.MIGRATION_WRITES_PER_SECOND,
    providerWritesPerSecond: config.PROVIDER_WRITES_PER_SECOND,
  });
}

/** The same meter; every live provider call also counts against the rate available to migrations. */
export function meterForGovernor(meter: Meter, governor: RateGovernor): Meter {
  return {
    operationReached: meter.operationReached,
    providerAnswered: (step, outcome) => {
      governor.liveCall();
      meter.providerAnswered(step, outcome);
    },
  };
}

/** The routes to request and read migrations. A process that executes them stops interrupted jobs first. */
export async function composeMigrations(gateway: Gateway): Promise<Route[]> {
  const { service, ports, reads, governor } = gateway;
  const { log, config, store } = service;
  const migrations = store.collection(planMigrationsCollection);
  const items = store.collection(planMigrationItemsCollection);
  const relay = await service.openRelay('outbox relay of migrations', {
    migrations: migrations.outbox,
    items: items.outbox,
  });
  let stopping = false;
  const meter = observe(service, { migrations, items });
  const migrationPorts: MigrationPorts = {
    ...ports,
    migrations,
    items,
    governor,
    lanes: config.MIGRATION_LANES,
    pulse: (everyMs, work) => startPeriodic({ name: 'progress of a migration', everyMs, log, work }),
    stopping: () => stopping,
    publishMigrationNow: (id, entries) => void relay.publishNow('migrations', id, entries),
    publishItemNow: (id, entries) => void relay.publishNow('items', id, entries),
    itemEnded: (status) => meter.add({ status }),
  };
  if (!config.CONSOLE_ONLY) {
    await finishEarlierBoots(gateway, migrationPorts);
    relay.start();
  }
  const run = (pending: PlanMigration) =>
    void runMigration(migrationPorts, pending).catch((error: unknown) =>
      log.error({ migrationId: pending._id, error: String(error) }, 'a migration broke'),
    );
  await service.open('migrations', Promise.resolve(), async () => {
    stopping = true;
    governor.close();
    await service.work.drained();
  });
  return migrationRoutes({
    planExists: async (planId) => (await ports.plans.findById(planId)) !== null,
    request: (request) => requestMigration(migrationPorts, request, run),
    prepare: (from, target, page) => prepareMigration(ports, from, target, page),
    list: (query) => listMigrations(migrations, query),
    read: (migrationId, query) =>
      readMigration({ migrations, items, askExecutors: reads.askExecutors }, migrationId, query),
  });
}

async function finishEarlierBoots({ service }: Gateway, ports: MigrationPorts): Promise<void> {
  const { log, store, clock, executorState } = service;
  const stopped = await stopInterruptedMigrations(ports, executorState);
  if (stopped.length > 0)
    log.warn(
      { migrations: stopped },
      'migrations of an earlier boot of this instance were stopped; they need reconciliation',
    );
  await finishClearingItems(ports);
  // A clearing that the store did not answer is not left to the next start: it fences the workspace.
  await service.repeat('ended transitions of migrations', clearedEveryMs, () => finishClearingItems(ports));
  await finishClosings(ports);
  const [jobs, items] = [migrationTrail(store), migrationItemTrail(store)];
  await service.audit(
    (stopping) => keepTrail(jobs, clock, stopping),
    (stopping) => keepTrail(items, clock, stopping),
  );
}

function observe(
  { metrics }: ServiceContext<Config>,
  { migrations, items }: Pick<MigrationPorts, 'migrations' | 'items'>,
) {
  metrics.observedGauge(
    { name: 'migrations_running', help: 'Plan migrations that some executor is admitted to.' },
    () => migrations.count({ status: { $in: ['capturing', 'running'] } }),
  );
  metrics.observedGauge(
    { name: 'migrations_reconciliation_required', help: 'Plan migrations that have stopped and wait for a person.' },
    () => migrations.count({ status: 'reconciliation_required' }),
  );
  metrics.observedGauge(
    {
      name: 'migration_items_reconciliation_required',
      help: 'Workspaces of plan migrations whose outcome is not known.',
    },
    () => items.count({ status: 'reconciliation_required' }),
  );
  return metrics.counter({
    name: 'migration_items_total',
    help: 'Workspaces of plan migrations by the status that they reached here.',
    labels: ['status'],
  });
}
