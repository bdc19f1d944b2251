/** The fake account's answers to reads. */
import type { Outcome } from '@platform/kernel';
import type { ProviderReads } from '../port';
import type { createCheckouts } from './checkout-changes';
import type { createProviderState } from './provider-state';

type Read = <T>(find: () => T | undefined) => Promise<Outcome<T>>;

/** Newest first, and only for a customer that exists. */
export function fakeReads(
  state: ReturnType<typeof createProviderState>,
  checkouts: ReturnType<typeof createCheckouts>,
  read: Read,
): ProviderReads {
  const ofCustomer = <T>(id: string, all: () => readonly T[]) =>
    read(() => (state.customers.has(id) ? [...all()].reverse() : undefined));
  return {
    retrievePaymentMethod: (id) => read(() => state.method(id)),
    retrieveSchedule: (id) => read(() => state.schedules.get(id)),
    retrievePrice: (id) => read(() => state.price(id)),
    listPaymentMethods: (id) => ofCustomer(id, () => state.methodsOf(id)),
    retrieveInvoice: (id) => read(() => state.invoices.get(id)),
    retrieveCheckoutSession: (id) => read(() => checkouts.find(id)),
    previewPriceChange: (change) => read(() => state.previewPriceChange(change)),
    retrieveCustomer: (id) => read(() => state.customers.get(id)),
    retrieveSubscription: (id) => read(() => state.subscriptions.get(id)),
    listBalanceTransactions: (id) => ofCustomer(id, () => state.transactions.filter((each) => each.customerId === id)),
    listSchedules: (id) =>
      ofCustomer(id, () => [...state.schedules.values()].filter((each) => state.scheduleCustomers.get(each.id) === id)),
    listCheckoutSessions: (id) => ofCustomer(id, () => checkouts.ofCustomer(id)),
    listCustomers: () => read(() => [...state.customers.values()].filter(({ deleted }) => !deleted).reverse()),
    listInvoices: (id) => ofCustomer(id, () => state.issuedTo(id)),
    listEvents: (createdSince) =>
      read(() => state.events.filter(({ createdAt }) => createdAt >= new Date(createdSince)).reverse()),
    readClock: () => read(() => state.now()),
    listSubscriptions: (id) =>
      ofCustomer(id, () => [...state.subscriptions.values()].filter((each) => each.customerId === id)),
  };
}
