/** What the fake's account answers when it is asked and not changed. */
import type { Outcome } from '@platform/kernel';
import type { PriceChange } from '../requests';
import type { createProviderState } from './provider-state';

type Read = <T>(find: () => T | undefined) => Promise<Outcome<T>>;

const listed = 100;

/** Newest first, and only for a customer that exists. */
export function fakeReads(state: ReturnType<typeof createProviderState>, read: Read) {
  const ofCustomer = <T>(id: string, all: () => readonly T[]) =>
    read(() => (state.customers.has(id) ? [...all()].reverse().slice(0, listed) : undefined));
  return {
    retrievePaymentMethod: (id: string) => read(() => state.method(id)),
    retrieveInvoice: (id: string) => read(() => state.invoices.get(id)),
    previewPriceChange: (change: PriceChange) => read(() => state.previewPriceChange(change)),
    retrieveCustomer: (id: string) => read(() => state.customers.get(id)),
    retrieveSubscription: (id: string) => read(() => state.subscriptions.get(id)),
    listBalanceTransactions: (id: string) =>
      ofCustomer(id, () => state.transactions.filter((each) => each.customerId === id)),
    listSchedules: (id: string) =>
      ofCustomer(id, () =>
        [...state.schedules.values()].filter(
          ({ subscriptionId }) => subscriptionId !== null && state.subscriptions.get(subscriptionId)?.customerId === id,
        ),
      ),
    listSubscriptions: (id: string) =>
      ofCustomer(id, () => [...state.subscriptions.values()].filter((each) => each.customerId === id)),
  };
}
