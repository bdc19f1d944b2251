/** The fake's accounts: what the provider would remember of customers, subscriptions and balance transactions. */
import type { Ids } from '@platform/kernel';
import type { ProviderBalanceTransaction, ProviderCustomer, ProviderSchedule, ProviderSubscription } from '../port';
import type { ProviderErrorSummary } from '../outcome-taxonomy';
import type { BalanceTransactionDraft, PriceChange, ScheduledPrice } from '../requests';

export interface ProviderSeed {
  readonly customers?: readonly (Pick<ProviderCustomer, 'id'> & Partial<ProviderCustomer>)[];
  readonly subscriptions?: readonly (Pick<ProviderSubscription, 'id' | 'customerId'> & Partial<ProviderSubscription>)[];
  readonly priceIds?: readonly string[];
}

/** A change that can be refused by the account's state: nothing is touched before `apply`. */
export type Change<T> = { readonly apply: () => T } | { readonly refusal: { readonly httpStatus: number; readonly error: ProviderErrorSummary } };

const missing = (param: string) => ({ refusal: { httpStatus: 404, error: { type: 'invalid_request_error', code: 'resource_missing', param } } });
const invalid = (param: string, code?: string) => ({ refusal: { httpStatus: 400, error: { type: 'invalid_request_error', ...(code && { code }), param } } });

const periodMs = 30 * 86_400_000;

/** Objects in the order of their creation; a change decides on the state at the moment at which it is asked for. */
export function createProviderState(ids: Ids, now: () => Date) {
  const customers = new Map<string, ProviderCustomer>();
  const subscriptions = new Map<string, ProviderSubscription>();
  const schedules = new Map<string, ProviderSchedule>();
  const transactions: ProviderBalanceTransaction[] = [];
  const priceIds = new Set<string>();

  function changeSubscription(id: string, change: Partial<ProviderSubscription>, metadata: Readonly<Record<string, string>>): Change<ProviderSubscription> {
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
    seed(seed: ProviderSeed): void {
      for (const customer of seed.customers ?? []) customers.set(customer.id, { deleted: false, currency: null, balance: 0, ...customer });
      for (const subscription of seed.subscriptions ?? []) {
        const complete: ProviderSubscription = {
          status: 'active', collectionPaused: false, cancelAtPeriodEnd: false, itemId: `si_${subscription.id}`, priceId: 'price_starter', currentPeriodEnd: null, scheduleId: null, metadata: {}, ...subscription,
        };
        subscriptions.set(complete.id, complete);
        priceIds.add(complete.priceId);
      }
      for (const priceId of seed.priceIds ?? []) priceIds.add(priceId);
    },
    changeSubscription,
    changePrice(change: PriceChange, metadata: Readonly<Record<string, string>>): Change<ProviderSubscription> {
      const current = subscriptions.get(change.subscriptionId);
      if (!current) return missing('id');
      if (current.itemId !== change.itemId) return invalid('items[0][id]', 'resource_missing');
      if (!priceIds.has(change.priceId)) return invalid('items[0][price]', 'resource_missing');
      return changeSubscription(change.subscriptionId, { priceId: change.priceId }, metadata);
    },
    cancelAtPeriodEnd(id: string, metadata: Readonly<Record<string, string>>): Change<ProviderSubscription> {
      if (subscriptions.get(id)?.scheduleId) return invalid('cancel_at_period_end');
      return changeSubscription(id, { cancelAtPeriodEnd: true }, metadata);
    },
    cancelNow(id: string): Change<ProviderSubscription> {
      const current = subscriptions.get(id);
      // The provider answers as if a subscription that has ended were unknown.
      if (!current || current.status === 'canceled') return missing('subscription');
      const { scheduleId } = current;
      const ended = changeSubscription(id, { status: 'canceled', scheduleId: null }, {});
      return 'refusal' in ended ? ended : {
        apply: () => {
          const schedule = scheduleId === null ? undefined : schedules.get(scheduleId);
          if (schedule) schedules.set(schedule.id, { ...schedule, status: 'canceled' });
          return ended.apply();
        },
      };
    },
    createSchedule(subscriptionId: string): Change<ProviderSchedule> {
      const current = subscriptions.get(subscriptionId);
      if (!current) return missing('from_subscription');
      if (current.scheduleId !== null || current.status === 'canceled') return invalid('from_subscription');
      return {
        apply: () => {
          const startDate = now();
          const endDate = current.currentPeriodEnd ?? new Date(startDate.getTime() + periodMs);
          const schedule: ProviderSchedule = { id: `sub_sched_${ids.next()}`, status: 'active', subscriptionId, phases: [{ startDate, endDate, priceId: current.priceId }], metadata: {} };
          schedules.set(schedule.id, schedule);
          subscriptions.set(subscriptionId, { ...current, scheduleId: schedule.id });
          return schedule;
        },
      };
    },
    schedulePrice({ scheduleId, current, priceId }: ScheduledPrice, metadata: Readonly<Record<string, string>>): Change<ProviderSchedule> {
      const schedule = schedules.get(scheduleId);
      if (!schedule) return missing('schedule');
      if (schedule.status !== 'active') return invalid('schedule');
      if (!priceIds.has(priceId)) return invalid('phases[1][items][0][price]', 'resource_missing');
      return {
        apply: () => {
          const next = { ...schedule, phases: [current, { startDate: current.endDate, endDate: new Date(current.endDate.getTime() + periodMs), priceId }], metadata: { ...schedule.metadata, ...metadata } };
          schedules.set(scheduleId, next);
          return next;
        },
      };
    },
    releaseSchedule(scheduleId: string): Change<ProviderSchedule> {
      const schedule = schedules.get(scheduleId);
      if (!schedule) return missing('schedule');
      if (schedule.status !== 'active') return invalid('schedule');
      return {
        apply: () => {
          const subscription = schedule.subscriptionId === null ? undefined : subscriptions.get(schedule.subscriptionId);
          if (subscription) subscriptions.set(subscription.id, { ...subscription, scheduleId: null });
          const released: ProviderSchedule = { ...schedule, status: 'released', subscriptionId: null };
          schedules.set(scheduleId, released);
          return released;
        },
      };
    },
    addBalanceTransaction(draft: BalanceTransactionDraft, metadata: Readonly<Record<string, string>>): Change<ProviderBalanceTransaction> {
      const customer = customers.get(draft.customerId);
      if (!customer || customer.deleted) return missing('customer');
      if (customer.currency !== null && customer.currency !== draft.currency) return invalid('currency');
      return {
        apply: () => {
          const balance = customer.balance + draft.amount;
          const transaction = { id: `cbtxn_${ids.next()}`, customerId: customer.id, amount: draft.amount, currency: draft.currency, endingBalance: balance, createdAt: now(), metadata };
          customers.set(customer.id, { ...customer, balance, currency: draft.currency });
          transactions.push(transaction);
          return transaction;
        },
      };
    },
  };
}
