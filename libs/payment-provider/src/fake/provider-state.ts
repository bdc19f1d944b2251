/** The fake's accounts: what the provider would remember of customers, subscriptions and balance transactions. */
import type { Ids } from '@platform/kernel';
import type {
  ProviderBalanceTransaction,
  ProviderCustomer,
  ProviderPaymentMethod,
  ProviderSchedule,
  ProviderSubscription,
} from '../port';
import { invalid, missing, type Change } from './change';
import { createBalances } from './balance-changes';
import { createCreations } from './creation-changes';
import { createEndings } from './ending-changes';
import { createPriceChanges } from './price-changes';
import { createSchedules } from './schedule-changes';

export interface ProviderSeed {
  readonly customers?: readonly (Pick<ProviderCustomer, 'id'> & Partial<ProviderCustomer>)[];
  readonly subscriptions?: readonly (Pick<ProviderSubscription, 'id' | 'customerId'> & Partial<ProviderSubscription>)[];
  readonly priceIds?: readonly string[];
  /** Monthly amounts of prices in minor units, for previews; 0 where none is given. */
  readonly amounts?: Readonly<Record<string, number>>;
  readonly paymentMethods?: readonly ProviderPaymentMethod[];
}

function wholeSubscription(
  given: Pick<ProviderSubscription, 'id' | 'customerId'> & Partial<ProviderSubscription>,
): ProviderSubscription {
  return {
    status: 'active',
    collectionPaused: false,
    cancelAtPeriodEnd: false,
    itemId: `si_${given.id}`,
    priceId: 'price_starter',
    currentPeriodEnd: null,
    scheduleId: null,
    metadata: {},
    ...given,
  };
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
        const complete = wholeSubscription(subscription);
        subscriptions.set(complete.id, complete);
        priceIds.add(complete.priceId);
      }
      for (const method of seed.paymentMethods ?? []) creations.addPaymentMethod(method);
      for (const priceId of seed.priceIds ?? []) priceIds.add(priceId);
      for (const [priceId, amount] of Object.entries(seed.amounts ?? {})) amounts.set(priceId, amount);
    },
    changeSubscription,
    ...createPriceChanges({ customers, subscriptions, priceIds, amounts, changeSubscription }),
    ...creations,
    ...createEndings({ subscriptions, schedules, changeSubscription }),
    ...createSchedules({ subscriptions, schedules, priceIds, ids, now }),
    ...createBalances({ customers, transactions, ids, now }),
  };
}
