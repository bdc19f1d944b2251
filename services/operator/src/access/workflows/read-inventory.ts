/**
 * One page of the tenant inventory: the gateway's records, which legacy tenants have too, and provisioning's rows,
 * which exist before a creation commits, merged in the order of the ids. Either list alone would miss tenants: the
 * mirror of a committed workspace may be late, and a legacy tenant has no row.
 */
import type { InventoryPage, InventoryTenant } from '@platform/contracts-operator';
import type { TenantPageRequest, TenantRowPage } from '@platform/contracts-provisioning';
import type { RevisionedCollection } from '@platform/mongo';
import { accessOf } from '../../mirror/domain/access';
import type { Subscription } from '../../mirror/domain/subscription';

export interface InventoryPorts {
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'find'>;
  /** Asks provisioning; null when there is no readable answer. */
  readonly tenantRows: (request: TenantPageRequest) => Promise<TenantRowPage | null>;
}

/** Null when provisioning does not answer: half an inventory would mislead. Throws StoreUnavailableError. */
export async function readInventory(
  { subscriptions, tenantRows }: InventoryPorts,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<InventoryPage | null> {
  const after = cursor !== undefined && { after: [cursor] };
  const records = await subscriptions.find({}, { sort: { _id: 1 }, limit, ...after });
  const judge = records.map(({ _id }) => _id);
  const theirs = await tenantRows({ ...(cursor !== undefined && { after: cursor }), limit, judge });
  if (!theirs) return null;
  const [own, rows] = [new Map(records.map((each) => [each._id, each])), new Map(theirs.rows.map(rowEntry))];
  // A full page may not reach the end of its list, so the merged page ends at the smaller of the two last ids.
  const ends = [records.length === limit && judge.at(-1), theirs.rows.length === limit && theirs.rows.at(-1)?.tenantId];
  const [end] = ends.filter((id) => typeof id === 'string').sort();
  const committed = new Set(theirs.committed);
  const tenants = [...new Set([...own.keys(), ...rows.keys()])]
    .sort()
    .filter((tenantId) => end === undefined || tenantId <= end)
    .filter((tenantId) => !own.get(tenantId)?.deletion && (rows.get(tenantId) ?? 'provisioned') === 'provisioned')
    .map((tenantId) => entryOf(tenantId, own.get(tenantId), committed));
  return { tenants, ...(end !== undefined && { nextCursor: end }) };
}

const rowEntry = ({ tenantId, status }: TenantRowPage['rows'][number]) => [tenantId, status] as const;

/** The entry of one tenant. A tenant without a subscription record is one whose creation has not written its mirror. */
function entryOf(
  tenantId: string,
  subscription: Subscription | undefined,
  committed: ReadonlySet<string>,
): InventoryTenant {
  return {
    tenantId,
    committed: committed.has(tenantId),
    access: subscription ? accessOf(subscription) : { state: 'closed', reason: 'preparing', revision: 0 },
  };
}
