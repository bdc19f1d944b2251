/** The fake's accounts: what the provider would remember of customers, subscriptions and balance transactions. */
import type { Ids } from '@platform/kernel';
import type {
  ProviderBalanceTransaction,
  ProviderChangePreview,
  ProviderCustomer,
  ProviderPaymentMethod,
  ProviderSchedule,
  ProviderSubscription,
} from '../port';
import type { PriceChange } from '../requests';
import { invalid, missing, type Change } from './change';
import { createBalances } from './balance-changes';
import { createCreations } from './creation-changes';
import { createEndings } from './ending-changes';
import { createSchedules } from './schedule-changes';

export interface ProviderSeed {
  readonly customers?: readonly (Pick<ProviderCustomer, 'id'> & Partial<ProviderCustomer>)[];
  readonly subscriptions?: readonly (Pick<ProviderSubscription, 'id' | 'customerId'> & Partial<ProviderSubscription>)[];
  readonly priceIds?: readonly string[];
  /** Monthly amounts of prices in minor units, for previews; 0 where none is given. */
  readonly amounts?: Readonly<Record<string, number>>;
  readonly paymentMethods?: readonly ProviderPaymentMethod[];
}

/** Objects in the order of their creation; a change decides on the state at the moment at which it is asked for. */
export function createProviderState(ids: Ids, now: () => Date) {
  const customers = new Map<string, ProviderCustomer>();
  const subscriptions = new Map<string, ProviderSubscription>();
  const schedules = new Map<string, ProviderSchedule>();
  const transactions: ProviderBalanceTransaction[] = [];
  const priceIds = new Set<string>();
  const amounts = new Map<string, number>();
  const creations = createCreations({ customers, subscriptions, priceIds, ids, now });

  function changeSubscription(
    id: string,
    change: Partial<ProviderSubscription>,
    metadata: Readonly<Record<string, string>>,
  ): Change<ProviderSubscription> {
    const current = subscriptions.get(id);
    if (!current) return missing('id');
    if (current.status === 'canceled' || current.status === 'incomplete_expired') return invalid('id');
    return {
      apply: () => {
        const next = { ...current, ...change, metadata: { ...current.metadata, ...metadata } };
        subscriptions.set(id, next);
        return next;
      },
    };
  }

  return {
    customers,
    subscriptions,
    schedules,
    transactions,
    priceIds,
    seed(seed: ProviderSeed): void {
      for (const customer of seed.customers ?? [])
        customers.set(customer.id, { deleted: false, currency: null, balance: 0, ...customer });
      for (const subscription of seed.subscriptions ?? []) {
        const complete: ProviderSubscription = {
          status: 'active',
          collectionPaused: false,
          cancelAtPeriodEnd: false,
          itemId: `si_${subscription.id}`,
          priceId: 'price_starter',
          currentPeriodEnd: null,
          scheduleId: null,
          metadata: {},
          ...subscription,
        };
        subscriptions.set(complete.id, complete);
        priceIds.add(complete.priceId);
      }
      for (const method of seed.paymentMethods ?? []) creations.addPaymentMethod(method);
      for (const priceId of seed.priceIds ?? []) priceIds.add(priceId);
      for (const [priceId, amount] of Object.entries(seed.amounts ?? {})) amounts.set(priceId, amount);
    },
    changeSubscription,
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
    ...creations,
    ...createEndings({ subscriptions, schedules, changeSubscription }),
    ...createSchedules({ subscriptions, schedules, priceIds, ids, now }),
    ...createBalances({ customers, transactions, ids, now }),
  };
}
