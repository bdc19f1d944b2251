/** The commit gate: the published question by which inventory reconcilers of other teams decide whether they may create. */
import { creationOperationId } from '@platform/contracts-provisioning';
import { isCommitted } from '../domain/marker';
import type { ProvisioningCollections } from './ports';

/**
 * Whether the creation of this tenant is committed (specification §6, rule 8): true for a legacy, default or bootstrap
 * tenant, which has neither marker nor attempt; false for a creation that is preparing, unpaid, stopped or cancelled. The
 * attempt is read after the marker, because it is older: a creation that begins meanwhile is seen. Changes nothing. Throws
 * StoreUnavailableError: a failure of the store is never an answer, so callers fail closed. It does not replace the checks
 * that the tenant exists, may do this and is not suspended.
 */
export async function isProvisioningCommitted(
  { markers, attempts }: Pick<ProvisioningCollections, 'markers' | 'attempts'>,
  tenantId: string,
): Promise<boolean> {
  const marker = await markers.findById(creationOperationId(tenantId));
  return isCommitted(marker, marker ? null : await attempts.findById(tenantId));
}
