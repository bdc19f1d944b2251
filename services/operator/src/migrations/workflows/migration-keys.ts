/** How the register of work under way names a job and its workspaces. */
import { workKey } from '@platform/kernel';
import { planMigrationItemsCollection } from '../store/plan-migration-items';
import { planMigrationsCollection } from '../store/plan-migrations';

export const migrationKey = (migrationId: string): string => workKey(planMigrationsCollection.name, migrationId);
export const migrationItemKey = (itemId: string): string => workKey(planMigrationItemsCollection.name, itemId);
