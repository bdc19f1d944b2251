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

/** Whether a creation of this person was lost. Throws StoreUnavailableError. */
export function hasLostCreation(ports: LostCreationPorts, email: string): Promise<boolean> {
  return isLost(ports, { ...open, emailDigest: emailDigest(email), tenantId: null }, { _id: 1 });
}

/**
 * Whether a checkout of this workspace was lost that made its customer; one of a customer that the record names is seen
 * at the provider. Throws StoreUnavailableError.
 */
export function hasLostCheckout(ports: LostCreationPorts, tenantId: string): Promise<boolean> {
  return isLost(ports, { ...open, tenantId }, { createdAt: 1, _id: 1 });
}

/**
 * A case that a person has closed counts no more: what was lost has been ended, or both are meant to go on. What was
 * under way when it was seen is not lost once a workspace names the customer.
 */
async function isLost(ports: LostCreationPorts, filter: Filter, sort: Readonly<Record<string, 1>>): Promise<boolean> {
  const found = await ports.differences.find(filter, { sort, limit: 100 });
  for (const { objectId = '' } of found) if (!(await workspaceOfCustomer(ports, objectId))) return true;
  return false;
}
