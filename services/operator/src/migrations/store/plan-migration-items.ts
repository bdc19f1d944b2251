/** Collection `plan_migration_items`: one row per captured workspace, `_id` is `<migrationId>:<tenantId>`. Never dropped. */
import { migrationItemStatuses } from '@platform/contracts-operator';
import type { CollectionDeclaration } from '@platform/mongo';
import { byResolution } from '@platform/durable/trail';
import type { MigrationItem } from '../domain/migration-item';

export const planMigrationItemsCollection: CollectionDeclaration<MigrationItem> = {
  name: 'plan_migration_items',
  vocabulary: { status: migrationItemStatuses },
  announces: true,
  tells: ({ migrationId, tenantId, status }) => ({ record: 'migration_item', migrationId, tenantId, state: status }),
  indexes: [
    { name: 'in_order', key: { migrationId: 1, ordinal: 1, _id: 1 } },
    { name: 'by_status_in_order', key: { migrationId: 1, status: 1, ordinal: 1, _id: 1 } },
    { name: 'unresolved', key: { createdAt: 1, _id: 1 }, only: { status: 'reconciliation_required' } },
    { name: 'by_tenant', key: { tenantId: 1, createdAt: 1, _id: 1 } },
    byResolution,
  ],
};
