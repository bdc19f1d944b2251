/** Collection `plan_migrations`: `_id` is the caller's migration id. Rows are never dropped. */
import { migrationStatuses } from '@platform/contracts-operator';
import type { CollectionDeclaration } from '@platform/mongo';
import { byResolution } from '@platform/durable/trail';
import type { PlanMigration } from '../domain/migration';

export const planMigrationsCollection: CollectionDeclaration<PlanMigration> = {
  name: 'plan_migrations',
  vocabulary: { status: migrationStatuses },
  announces: true,
  tells: ({ _id, status }) => ({ record: 'migration', migrationId: _id, state: status }),
  indexes: [
    { name: 'by_creation', key: { createdAt: 1, _id: 1 } },
    { name: 'by_status', key: { status: 1, createdAt: 1, _id: 1 } },
    { name: 'by_status_and_instance', key: { status: 1, 'executor.instance': 1, _id: 1 } },
    byResolution,
  ],
};
