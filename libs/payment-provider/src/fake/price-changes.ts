/** The fake's price changes, and what one would invoice at once. */
import type { ProviderChangePreview, ProviderCustomer, ProviderSubscription } from '../port';
import type { PriceChange } from '../requests';
import { invalid, missing, type Change } from './change';

interface Account {
  readonly customers: ReadonlyMap<string, ProviderCustomer>;
  readonly subscriptions: ReadonlyMap<string, ProviderSubscription>;
  readonly priceIds: ReadonlySet<string>;
  readonly amounts: ReadonlyMap<string, number>;
  changeSubscription(
    id: string,
    change: Partial<ProviderSubscription>,
    metadata: Readonly<Record<string, string>>,
  ): Change<ProviderSubscription>;
}

export function createPriceChanges({ customers, subscriptions, priceIds, amounts, changeSubscription }: Account) {
  return {
    changePrice(change: PriceChange, metadata: Readonly<Record<string, string>>): Change<ProviderSubscription> {
      const current = subscriptions.get(change.subscriptionId);
      if (!current) return missing('id');
      if (current.itemId !== change.itemId) return invalid('items[0][id]', 'resource_missing');
      if (!priceIds.has(change.priceId)) return invalid('items[0][price]', 'resource_missing');
      return changeSubscription(change.subscriptionId, { priceId: change.priceId }, metadata);
    },
    /** As if the whole period were still to come: the fake prorates nothing by time. */
    previewPriceChange({ subscriptionId, itemId, priceId }: PriceChange): ProviderChangePreview | undefined {
      const current = subscriptions.get(subscriptionId);
      if (!current || current.itemId !== itemId || current.status === 'canceled' || !priceIds.has(priceId))
        return undefined;
      const customer = customers.get(current.customerId);
      const total = (amounts.get(priceId) ?? 0) - (amounts.get(current.priceId) ?? 0);
      return {
        subscriptionId,
        currency: customer?.currency ?? 'usd',
        total,
        amountDue: Math.max(0, total + (customer?.balance ?? 0)),
      };
    },
  };
}
