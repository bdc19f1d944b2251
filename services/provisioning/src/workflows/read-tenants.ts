/** The rows of tenants, page by page, with the commit gate's answer for each. Read-only. */
import type { TenantPageRequest, TenantRowPage } from '@platform/contracts-provisioning';
import { committedAmong, type GatePorts } from './is-provisioning-committed';
import type { ProvisioningCollections } from './ports';

/** Throws StoreUnavailableError. */
export async function readTenants(
  ports: GatePorts & Pick<ProvisioningCollections, 'tenants'>,
  { after, limit, judge }: TenantPageRequest,
): Promise<TenantRowPage> {
  const rows = await ports.tenants.find(
    {},
    { sort: { _id: 1 }, limit, ...(after !== undefined && { after: [after] }) },
  );
  const asked = new Set([...rows.map(({ _id }) => _id), ...judge]);
  return {
    rows: rows.map(({ _id, status }) => ({ tenantId: _id, status })),
    committed: await committedAmong(ports, [...asked]),
  };
}
