/**
 * Collection `lifecycle_deleted_tenants`, `_id` = tenantId: tenants for which nothing is delivered any more. Rows are
 * never removed.
 */
import type { CollectionDeclaration, RevisionedCollection } from '@platform/mongo';
import type { DeletedTenant } from '../domain/deleted-tenant';

export type DeletedTenants = RevisionedCollection<DeletedTenant>;

export const deletedTenantsCollection: CollectionDeclaration<DeletedTenant> = {
  name: 'lifecycle_deleted_tenants',
  indexes: [],
};
