/**
 * Whether a reconciliation found a customer at the provider that a creation of this person made and no workspace names.
 * Each request of a person gets a new id, so after a restore one who asks again would pay for a second workspace beside
 * the lost one.
 */
import type { RevisionedCollection } from '@platform/mongo';
import { emailDigest } from '@platform/payment-provider';
import type { Subscription } from '../../mirror/domain/subscription';
import { workspaceOfCustomer } from '../../mirror/workflows/workspace-of-customer';
import type { Difference } from '../domain/difference';

export interface LostCreationPorts {
  readonly differences: Pick<RevisionedCollection<Difference>, 'find'>;
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'find'>;
}

/**
 * A case that a person has closed counts no more: the lost workspace was ended, or both are meant to go on. A creation
 * that was under way when it was seen is not lost once its workspace names the customer. Throws StoreUnavailableError.
 */
export async function hasLostCreation(ports: LostCreationPorts, email: string): Promise<boolean> {
  const open = { kind: 'customer_unknown', status: 'open', emailDigest: emailDigest(email) } as const;
  const found = await ports.differences.find(open, { sort: { _id: 1 }, limit: 100 });
  for (const { objectId = '' } of found) if (!(await workspaceOfCustomer(ports, objectId))) return true;
  return false;
}
