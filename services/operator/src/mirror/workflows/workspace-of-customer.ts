/** The workspace that a customer of the provider belongs to. */
import type { RevisionedCollection } from '@platform/mongo';
import type { Subscription } from '../domain/subscription';

/** A customer that was replaced stays that of its workspace, whose owner sees its invoices. */
export const customerPaths = ['provider.customerId', 'provider.formerCustomerIds'] as const;

/** Undefined where no readable record names the customer, now or before. Throws StoreUnavailableError. */
export async function workspaceOfCustomer(
  { subscriptions }: { readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'find'> },
  customerId: string,
): Promise<Subscription | undefined> {
  for (const path of customerPaths) {
    const [named] = await subscriptions.find({ [path]: customerId }, { sort: { _id: 1 }, limit: 1 });
    if (named) return named;
  }
  return undefined;
}
