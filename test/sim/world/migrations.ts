/** Bulk plan migrations of the simulated operator, wired as its composition root wires them. */
import { silentLog } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import type { ExecutorStateOf } from '@platform/durable/boot';
import { createOutboxRelay } from '@platform/outbox';
import type { Evidence } from '@platform/testing';
import type {
  MigrationRequest,
  MigrationFacts,
  PlanMigration,
} from '../../../services/operator/src/migrations/domain/migration';
import { itemId } from '../../../services/operator/src/migrations/domain/migration-item';
import { planMigrationItemsCollection } from '../../../services/operator/src/migrations/store/plan-migration-items';
import { planMigrationsCollection } from '../../../services/operator/src/migrations/store/plan-migrations';
import { finishClosings } from '../../../services/operator/src/migrations/workflows/skip-never-begun';
import { finishClearingItems } from '../../../services/operator/src/migrations/workflows/clear-item-transition';
import type { MigrationPorts } from '../../../services/operator/src/migrations/workflows/ports';
import { requestMigration } from '../../../services/operator/src/migrations/workflows/request-migration';
import { runMigration } from '../../../services/operator/src/migrations/workflows/run-migration';
import { stopInterruptedMigrations } from '../../../services/operator/src/migrations/workflows/stop-migration';
import type { OperatorPorts } from '../../../services/operator/src/operations/workflows/ports';
import { sweepEveryMs, type PayingServiceDependencies } from './dependencies';
import { storedInstants, type StoredInstants } from './stored-instants';
import type { World } from './world';

export interface MigrationApi {
  migrate(request: MigrationRequest): Promise<void>;
}

const unlimitedRate: MigrationPorts['governor'] = {
  acquire: () => Promise.resolve(),
  liveCall: () => undefined,
  answered: () => undefined,
  close: () => undefined,
};

export async function startMigrations(
  { world, store, messaging, sleep, quietly }: PayingServiceDependencies,
  ports: OperatorPorts,
  executorState: ExecutorStateOf,
): Promise<MigrationApi> {
  const migrations = store.collection(planMigrationsCollection);
  const items = store.collection(planMigrationItemsCollection);
  const relay = createOutboxRelay({
    sources: { migrations: migrations.outbox, items: items.outbox },
    publish: messaging.publish,
    clock: world.timeline.clock,
    log: silentLog,
    sweepIntervalMs: sweepEveryMs,
    wait: (milliseconds) => sleep(milliseconds),
  });
  const migrationPorts: MigrationPorts = {
    ...ports,
    migrations,
    items,
    governor: unlimitedRate,
    lanes: 2,
    pulse: () => ({ close: () => Promise.resolve() }),
    stopping: () => false,
    publishMigrationNow: (id, entries) => void relay.publishNow('migrations', id, entries),
    publishItemNow: (id, entries) => void relay.publishNow('items', id, entries),
    itemEnded: () => undefined,
  };
  await stopInterruptedMigrations(migrationPorts, executorState);
  await finishClearingItems(migrationPorts);
  await finishClosings(migrationPorts);
  relay.start();
  const run = (pending: PlanMigration) => void quietly(runMigration(migrationPorts, pending));
  return {
    migrate: (request) =>
      requestMigration(migrationPorts, request, run).then(
        () => undefined,
        (error: unknown) => {
          if (!(error instanceof StoreUnavailableError)) throw error;
        },
      ),
  };
}

/** Tenants whose items were written before the list was declared whole; a later one is a violation of the checker's. */
function capturedBy({ databases }: World, { _id }: MigrationFacts, stored: StoredInstants): string[] {
  const prefix = itemId(_id, '');
  const wholeAt = stored.reached(_id, 'captured')?.getTime() ?? Number.POSITIVE_INFINITY;
  return databases.operator.recorder.logs.writes
    .filter(
      ({ collection, id, expectedRevision, outcome, at }) =>
        collection === planMigrationItemsCollection.name &&
        expectedRevision === null &&
        outcome === 'applied' &&
        id.startsWith(prefix) &&
        Number(at) <= wholeAt,
    )
    .map(({ id }) => id.slice(prefix.length));
}

export function migrationEvidence(world: World, stored = storedInstants(world)): NonNullable<Evidence['migrations']> {
  const { store } = world.databases.operator;
  const items = store.collection(planMigrationItemsCollection).all();
  return store
    .collection(planMigrationsCollection)
    .all()
    .map((migration) => ({
      migrationId: migration._id,
      status: migration.status,
      captured: capturedBy(world, migration, stored),
      items: items
        .filter(({ migrationId }) => migrationId === migration._id)
        .map(({ tenantId, status, providerCalls, resolution }) => ({
          tenantId,
          status,
          providerCalls: providerCalls.map((call) => stored.call(call)),
          ...(resolution && { resolution }),
        })),
    }));
}
