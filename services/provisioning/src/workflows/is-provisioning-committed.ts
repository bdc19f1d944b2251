/**
 * The commit gate: the published request by which the inventory reconcilers of other teams decide whether they may
 * create.
 */
import { creationOperationId } from '@platform/contracts-provisioning';
import { UnreadableRecordError } from '@platform/mongo';
import { isCommitted } from '../domain/marker';
import type { ProvisioningCollections } from './ports';

export type GatePorts = Pick<ProvisioningCollections, 'markers' | 'attempts'>;

/**
 * Whether the creation of this tenant is committed (specification §6, rule 8): true for a legacy, default or bootstrap
 * tenant, which has neither marker nor attempt; false for a creation that is preparing, unpaid, stopped or cancelled.
 * The attempt is written before the marker and read after it, so a creation that begins meanwhile is seen. Changes
 * nothing. Throws StoreUnavailableError: a failure of the store is never an answer, so callers fail closed. The gate
 * does not replace the checks that the tenant exists, has permission and is not suspended.
 */
export async function isProvisioningCommitted({ markers, attempts }: GatePorts, tenantId: string): Promise<boolean> {
  const marker = await markers.findById(creationOperationId(tenantId));
  return isCommitted(marker, marker ? null : await attempts.findById(tenantId));
}

/**
 * The tenants, of at most 1,000, for which the gate is open. A record that cannot be read closes it. Throws
 * StoreUnavailableError.
 */
export async function committedAmong(ports: GatePorts, tenantIds: readonly string[]): Promise<string[]> {
  if (tenantIds.length === 0) return [];
  const byId = { sort: { _id: 1 }, limit: tenantIds.length } as const;
  const markerIds = { _id: { $in: tenantIds.map(creationOperationId) } };
  const markers = new Map((await ports.markers.find(markerIds, byId)).map((marker) => [marker.tenantId, marker]));
  const unmarked = tenantIds.filter((tenantId) => !markers.has(tenantId));
  const attempts = new Map(
    unmarked.length === 0
      ? []
      : (await ports.attempts.find({ _id: { $in: unmarked } }, byId)).map((attempt) => [attempt._id, attempt]),
  );
  const unreadable = unmarked.length > 0 && (await hasUnreadable(ports, unmarked, attempts.size));
  const open: string[] = [];
  for (const tenantId of tenantIds) {
    const marker = markers.get(tenantId) ?? null;
    const attempt = attempts.get(tenantId) ?? null;
    if (!isCommitted(marker, attempt)) continue;
    if (!marker && !attempt && unreadable && !(await isReadablyCommitted(ports, tenantId))) continue;
    open.push(tenantId);
  }
  return open;
}

/** Lists skip rows that cannot be read, so a missing row in a list does not prove a legacy tenant. */
async function hasUnreadable(
  { markers, attempts }: GatePorts,
  unmarked: readonly string[],
  readAttempts: number,
): Promise<boolean> {
  const rows = await Promise.all([
    markers.count({ _id: { $in: unmarked.map(creationOperationId) } }),
    attempts.count({ _id: { $in: [...unmarked] } }),
  ]);
  return rows[0] > 0 || rows[1] > readAttempts;
}

async function isReadablyCommitted(ports: GatePorts, tenantId: string): Promise<boolean> {
  try {
    return await isProvisioningCommitted(ports, tenantId);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return false;
    throw error;
  }
}
