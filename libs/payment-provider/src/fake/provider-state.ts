/** The fake's accounts: what the provider would store of customers, subscriptions and balance transactions. */
import type { Ids } from '@platform/kernel';
import type { ValuesOf } from '../effects';
import type {
  ProviderBalanceTransaction,
  ProviderCustomer,
  ProviderEventSummary,
  ProviderIssuedInvoice,
  ProviderPaymentMethod,
  ProviderPrice,
  ProviderSchedule,
  ProviderSubscription,
} from '../objects';
import { balanceBehaviours } from './balance-changes';
import { createCreations } from './creation-changes';
import { confirmPayment, expirePayment } from './held-payments';
import { scheduleBehaviours } from './schedule-changes';
import { previewPriceChange, subscriptionBehaviours } from './subscription-changes';

export interface ProviderSeed {
  readonly customers?: readonly (Pick<ProviderCustomer, 'id'> & Partial<ProviderCustomer>)[];
  readonly subscriptions?: readonly (Pick<ProviderSubscription, 'id' | 'customerId'> & Partial<ProviderSubscription>)[];
  readonly priceIds?: readonly string[];
  /** Amounts of monthly prices in dollars, in minor units; default 0. */
  readonly amounts?: Readonly<Record<string, number>>;
  /** Prices of other intervals or currencies, and inactive ones. */
  readonly prices?: readonly (Omit<ProviderPrice, 'active'> & Partial<ProviderPrice>)[];
  readonly paymentMethods?: readonly ProviderPaymentMethod[];
  readonly issued?: readonly ProviderIssuedInvoice[];
  /** Transactions, unless said otherwise as people create them in the provider's dashboard: now, naming no operation. */
  readonly transactions?: readonly (Pick<ProviderBalanceTransaction, 'id' | 'customerId' | 'amount'> &
    Partial<ProviderBalanceTransaction>)[];
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
    quantity: 1,
    currentPeriodEnd: null,
    scheduleId: null,
    metadata: {},
    ...given,
  };
}

const monthly = { currency: 'usd', interval: 'month', intervalCount: 1, active: true } as const;

/** Objects in the order of their creation; a change is decided on the state at the moment of its request. */
export function createProviderState(ids: Ids, now: () => Date) {
  const customers = new Map<string, ProviderCustomer>();
  const subscriptions = new Map<string, ProviderSubscription>();
  const schedules = new Map<string, ProviderSchedule>();
  const transactions: ProviderBalanceTransaction[] = [];
  const priceIds = new Set<string>();
  const amounts = new Map<string, number>();
  const prices = new Map<string, ProviderPrice>();
  const scheduleCustomers = new Map<string, string>();
  const issued: ProviderIssuedInvoice[] = [];
  const events: ProviderEventSummary[] = [];
  const tell = (type: string, customerId: string) =>
    void events.push({ id: `evt_${events.length + 1}`, type, createdAt: now(), customerId });
  const account = {
    ...{ customers, subscriptions, schedules, scheduleCustomers, transactions, priceIds, amounts, issued, events },
    ...{ ids, now, tell },
  };
  const { behaviours: creationBehaviours, ...creations } = createCreations(account);
  const asking = new Set<string>();
  const paying = { ...account, invoices: creations.invoices, asking };

  return {
    ...account,
    ...creations,
    behaviours: {
      ...subscriptionBehaviours(paying),
      ...scheduleBehaviours(account),
      ...balanceBehaviours(account),
      ...creationBehaviours,
    },
    /** The customer's invoices in their current state. */
    issuedTo: (customerId: string): ProviderIssuedInvoice[] =>
      issued
        .filter((each) => each.customerId === customerId)
        .map((each) => ({ ...each, status: creations.invoices.get(each.id)?.status ?? each.status })),
    price: (id: string): ProviderPrice | undefined =>
      prices.get(id) ?? (priceIds.has(id) ? { ...monthly, id, unitAmount: amounts.get(id) ?? 0 } : undefined),
    previewPriceChange: (change: ValuesOf<'change_price'>) => previewPriceChange(account, amounts, change),
    askForConfirmation: (subscriptionId: string) => void asking.add(subscriptionId),
    confirmPayment: (invoiceId: string) => confirmPayment(paying, invoiceId),
    expirePayment: (invoiceId: string) => expirePayment(paying, invoiceId),
    seed(seed: ProviderSeed): void {
      for (const customer of seed.customers ?? [])
        customers.set(customer.id, { deleted: false, currency: null, balance: 0, metadata: {}, ...customer });
      for (const subscription of seed.subscriptions ?? []) {
        const complete = wholeSubscription(subscription);
        subscriptions.set(complete.id, complete);
        priceIds.add(complete.priceId);
      }
      for (const transaction of seed.transactions ?? [])
        transactions.push({
          ...{ currency: 'usd', endingBalance: transaction.amount, type: 'adjustment', createdAt: now(), metadata: {} },
          ...transaction,
        });
      issued.push(...(seed.issued ?? []));
      for (const method of seed.paymentMethods ?? []) creations.addPaymentMethod(method);
      for (const priceId of seed.priceIds ?? []) priceIds.add(priceId);
      for (const [priceId, amount] of Object.entries(seed.amounts ?? {})) amounts.set(priceId, amount);
      for (const price of seed.prices ?? []) prices.set(price.id, { active: true, ...price });
    },
  };
}
