/** The commit gate: the published question by which inventory reconcilers of other teams decide whether they may create. */
import { creationOperationId } from '@platform/contracts-provisioning';
import { isCommitted } from '../domain/marker';
import type { ProvisioningCollections } from './ports';

/**
 * Whether the creation of this tenant is committed (specification §6, rule 8): true for a legacy, default or bootstrap
 * tenant, which has no marker; false for a creation that is preparing, unpaid or cancelled. Reads the marker alone and
 * changes nothing. Throws StoreUnavailableError: a failure of the store is never an answer, so callers fail closed. It
 * does not replace the checks that the tenant exists, may do this and is not suspended.
 */
export async function isProvisioningCommitted(
  { markers }: Pick<ProvisioningCollections, 'markers'>,
  tenantId: string,
): Promise<boolean> {
  return isCommitted(await markers.findById(creationOperationId(tenantId)));
}
