/**
 * The rows of a cancelled creation: the tenant's row is marked, and the person's billing profile is erased, since
 * nothing is owed. This follows the tombstone, which is final, so any process may complete it at any time.
 */
import type { Revisioned } from '@platform/kernel';
import { writeFenced } from '@platform/durable/record';
import type { Draft, RevisionedCollection } from '@platform/mongo';
import type { ProvisioningPorts } from './ports';

type RowPorts = Pick<ProvisioningPorts, 'tenants' | 'billingProfiles' | 'retryPolicy'>;

/** True when both rows are done, or do not exist. Throws StoreUnavailableError when they cannot be read. */
export async function coverRows(ports: RowPorts, tenantId: string): Promise<boolean> {
  return (
    (await change(ports, ports.tenants, tenantId, (tenant) =>
      tenant.status === 'cancelled' ? null : { ...tenant, status: 'cancelled' as const },
    )) &&
    (await change(ports, ports.billingProfiles, tenantId, (billing) =>
      billing.profile === null ? null : { ...billing, profile: null },
    ))
  );
}

/** True when the tenant's row says that the workspace is deleted, or there is none. Throws StoreUnavailableError. */
export function markRowDeleted(ports: RowPorts, tenantId: string): Promise<boolean> {
  return change(ports, ports.tenants, tenantId, (tenant) =>
    tenant.status === 'deleted' ? null : { ...tenant, status: 'deleted' as const },
  );
}

async function change<T extends Revisioned>(
  { retryPolicy }: RowPorts,
  collection: RevisionedCollection<T>,
  id: string,
  next: (record: T) => T | null,
): Promise<boolean> {
  const record = await collection.findById(id);
  const changed = record && next(record);
  if (!record || !changed) return true;
  return (await writeFenced(collection, record, changed as Draft<T>, [], retryPolicy)).kind === 'written';
}
