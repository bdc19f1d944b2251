/**
 * What a reconciliation found at the provider that a creation or a checkout of lost records has made: a customer that no
 * workspace names. Each request of a person gets a new id, so after a restore one who asks again would pay a second time
 * beside what was lost.
 */
import type { Filter, RevisionedCollection } from '@platform/mongo';
import { emailDigest } from '@platform/payment-provider';
import type { Subscription } from '../../mirror/domain/subscription';
import { workspaceOfCustomer } from '../../mirror/workflows/workspace-of-customer';
import type { Difference } from '../domain/difference';

export interface LostCreationPorts {
  readonly differences: Pick<RevisionedCollection<Difference>, 'find'>;
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'find'>;
}

const open = { kind: 'customer_unknown', status: 'open' } as const;

/** The creations of this person that left such a customer, by their ids. Throws StoreUnavailableError. */
export async function lostCreationsOf(ports: LostCreationPorts, email: string): Promise<readonly string[]> {
  const lost = await lostIn(ports, { ...open, emailDigest: emailDigest(email), tenantId: null }, { _id: 1 });
  return lost.flatMap(({ operationId }) => operationId ?? []);
}

/** The customers that lost checkouts of this workspace made at the provider. Throws StoreUnavailableError. */
export async function lostCustomersOf(ports: LostCreationPorts, tenantId: string): Promise<readonly string[]> {
  const lost = await lostIn(ports, { ...open, tenantId }, { createdAt: 1, _id: 1 });
  return lost.flatMap(({ objectId }) => objectId ?? []);
}

/**
 * A case that a person has closed counts no more: what was lost has been ended, or both are meant to go on. What was
 * under way when it was seen is not lost once a workspace names the customer.
 */
async function lostIn(
  ports: LostCreationPorts,
  filter: Filter,
  sort: Readonly<Record<string, 1>>,
): Promise<readonly Difference[]> {
  const lost: Difference[] = [];
  for (const found of await ports.differences.find(filter, { sort, limit: 100 }))
    if (!(await workspaceOfCustomer(ports, found.objectId ?? ''))) lost.push(found);
  return lost;
}
