/** Collections `migration_audit_blocks` and `migration_item_audit_blocks`: the hash-chained trails of who closed which job and who resolved which workspace of one. Never changed, never removed. */
import type { CollectionDeclaration, Store } from '@platform/mongo';
import type { Trail, TrailBlock } from '@platform/durable/trail';
import type { MigrationItem } from '../domain/migration-item';
import type { PlanMigration } from '../domain/migration';
import { planMigrationItemsCollection } from './plan-migration-items';
import { planMigrationsCollection } from './plan-migrations';

export const migrationBlocksCollection: CollectionDeclaration<TrailBlock> = {
  name: 'migration_audit_blocks',
  indexes: [],
};
export const migrationItemBlocksCollection: CollectionDeclaration<TrailBlock> = {
  name: 'migration_item_audit_blocks',
  indexes: [],
};

export function migrationTrail(store: Store): Trail<PlanMigration> {
  return {
    records: store.collection(planMigrationsCollection),
    blocks: store.collection(migrationBlocksCollection),
    // A record from before reasons were asked for keeps the digest that its block holds.
    vouched: ({ fromPlanId, targetPlanId, requestedBy, reason, status }) => ({
      ...{ fromPlanId, targetPlanId, requestedBy, status },
      ...(reason !== undefined && { reason }),
    }),
  };
}

export function migrationItemTrail(store: Store): Trail<MigrationItem> {
  return {
    records: store.collection(planMigrationItemsCollection),
    blocks: store.collection(migrationItemBlocksCollection),
    vouched: ({ migrationId, tenantId, status }) => ({ migrationId, tenantId, status }),
  };
}
