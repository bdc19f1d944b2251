/** The fake's subscriptions: their collection, their price, and how they end. */
import type { Ids } from '@platform/kernel';
import type { ValuesOf } from '../effects';
import type { Invoices } from './behaviour';
import { heldChange } from './held-payments';
import type {
  ProviderChangePreview,
  ProviderCustomer,
  ProviderHeldChange,
  ProviderIssuedInvoice,
  ProviderSchedule,
  ProviderSubscription,
} from '../objects';
import { invalid, missing, type Behaviours, type Change, type Metadata } from './behaviour';

interface Account {
  readonly customers: ReadonlyMap<string, ProviderCustomer>;
  readonly subscriptions: Map<string, ProviderSubscription>;
  readonly schedules: Map<string, ProviderSchedule>;
  readonly priceIds: ReadonlySet<string>;
  readonly amounts: ReadonlyMap<string, number>;
  readonly issued: ProviderIssuedInvoice[];
  readonly tell: (type: string, customerId: string) => void;
  readonly invoices: Invoices;
  /** Subscriptions whose card holder must confirm payments. */
  readonly asking: ReadonlySet<string>;
  readonly ids: Ids;
  readonly now: () => Date;
}

const unconfirmed = {
  refusal: { httpStatus: 402, error: { type: 'card_error', code: 'subscription_payment_intent_requires_action' } },
};

type PriceChange = ValuesOf<'change_price'>;

type SubscriptionStep =
  | 'pause_collection'
  | 'resume_collection'
  | 'change_price'
  | 'hold_price_change'
  | 'change_plan'
  | 'cancel_at_period_end'
  | 'keep_after_period'
  | 'cancel_now';

export function subscriptionBehaviours(account: Account): Behaviours<SubscriptionStep> {
  const { subscriptions, priceIds } = account;

  function change(
    id: string,
    changed: Partial<ProviderSubscription>,
    metadata: Metadata,
  ): Change<ProviderSubscription> {
    const current = subscriptions.get(id);
    if (!current) return missing('id');
    // The provider answers as if a subscription that has ended were unknown.
    if (current.status === 'canceled' || current.status === 'incomplete_expired') return missing('subscription');
    return {
      apply: () => {
        const next = { ...current, ...changed, metadata: { ...current.metadata, ...metadata } };
        subscriptions.set(id, next);
        account.tell('customer.subscription.updated', next.customerId);
        return next;
      },
    };
  }

  function changePrice(
    { subscriptionId, itemId, priceId, quantity = 1 }: PriceChange,
    metadata: Metadata,
  ): Change<ProviderSubscription> {
    const current = subscriptions.get(subscriptionId);
    if (!current) return missing('id');
    if (current.itemId !== itemId) return invalid('items[0][id]', 'resource_missing');
    if (!priceIds.has(priceId)) return invalid('items[0][price]', 'resource_missing');
    if (account.asking.has(subscriptionId)) return unconfirmed;
    const total = priceDifference(account.amounts, current, priceId);
    const changed = change(subscriptionId, { priceId, quantity }, metadata);
    if ('refusal' in changed) return changed;
    return {
      apply: () => {
        const next = changed.apply();
        if (total !== 0) account.issued.push(updateInvoice(account, next, total));
        return next;
      },
    };
  }

  function holdPrice({ subscriptionId, itemId, priceId, quantity = 1 }: PriceChange): Change<ProviderHeldChange> {
    const current = subscriptions.get(subscriptionId);
    if (!current || current.status === 'canceled' || current.status === 'incomplete_expired')
      return missing('subscription');
    if (current.itemId !== itemId) return invalid('items[0][id]', 'resource_missing');
    if (!priceIds.has(priceId)) return invalid('items[0][price]', 'resource_missing');
    return { apply: () => heldChange(account, current, { priceId, quantity }) };
  }

  return {
    pause_collection: ({ subscriptionId }, metadata) => change(subscriptionId, { collectionPaused: true }, metadata),
    resume_collection: ({ subscriptionId }, metadata) => change(subscriptionId, { collectionPaused: false }, metadata),
    change_price: changePrice,
    hold_price_change: holdPrice,
    change_plan: changePrice,
    cancel_at_period_end: ({ subscriptionId }, metadata) =>
      endsWithPeriod(account, change, subscriptionId)(true, metadata),
    keep_after_period: ({ subscriptionId }, metadata) =>
      endsWithPeriod(account, change, subscriptionId)(false, metadata),
    cancel_now: ({ subscriptionId }) => cancelNow(account, change, subscriptionId),
  };
}

type ChangeOf = (
  id: string,
  changed: Partial<ProviderSubscription>,
  metadata: Metadata,
) => Change<ProviderSubscription>;

/** The provider allows neither on a subscription that a schedule manages. */
function endsWithPeriod({ subscriptions }: Account, change: ChangeOf, subscriptionId: string) {
  return (cancelAtPeriodEnd: boolean, metadata: Metadata) =>
    subscriptions.get(subscriptionId)?.scheduleId
      ? invalid('cancel_at_period_end')
      : change(subscriptionId, { cancelAtPeriodEnd }, metadata);
}

/**
 * Cancels the subscription at once; its schedule ends with it. `change` applies to a subscription that has not ended.
 */
function cancelNow({ subscriptions, schedules }: Account, change: ChangeOf, id: string): Change<ProviderSubscription> {
  const current = subscriptions.get(id);
  if (!current || current.status === 'canceled') return missing('subscription');
  const schedule = schedules.get(current.scheduleId ?? '');
  const ended = change(id, { status: 'canceled', scheduleId: null }, {});
  if ('refusal' in ended) return ended;
  return {
    apply: () => {
      if (schedule) schedules.set(schedule.id, { ...schedule, status: 'canceled' });
      return ended.apply();
    },
  };
}

/** The invoice of a change of price, with the metadata of the change. */
function updateInvoice(
  { customers, ids, now }: Account,
  { id, customerId, metadata }: ProviderSubscription,
  total: number,
): ProviderIssuedInvoice {
  return {
    id: `in_${ids.next()}`,
    customerId,
    subscriptionId: id,
    status: 'paid',
    hostedUrl: null,
    total,
    currency: customers.get(customerId)?.currency ?? 'usd',
    reason: 'subscription_update',
    createdAt: now(),
    subscriptionMetadata: metadata,
  };
}

/** As if the whole period were still to come: the fake does not prorate by time. Minor units. */
function priceDifference(
  amounts: ReadonlyMap<string, number>,
  { priceId: former }: Pick<ProviderSubscription, 'priceId'>,
  priceId: string,
): number {
  return (amounts.get(priceId) ?? 0) - (amounts.get(former) ?? 0);
}

/** Undefined for unknown ids. */
export function previewPriceChange(
  { customers, subscriptions, priceIds, now }: Pick<Account, 'customers' | 'subscriptions' | 'priceIds' | 'now'>,
  amounts: ReadonlyMap<string, number>,
  { subscriptionId, itemId, priceId, prorationDate }: PriceChange,
): ProviderChangePreview | undefined {
  const current = subscriptions.get(subscriptionId);
  if (!current || current.itemId !== itemId || current.status === 'canceled' || !priceIds.has(priceId))
    return undefined;
  const customer = customers.get(current.customerId);
  const balance = customer?.balance ?? 0;
  const total = priceDifference(amounts, current, priceId);
  return {
    subscriptionId,
    currency: customer?.currency ?? 'usd',
    total,
    tax: 0,
    startingBalance: balance,
    endingBalance: Math.min(0, total + balance),
    amountDue: Math.max(0, total + balance),
    prorationDate: prorationDate ?? Math.floor(now().getTime() / 1_000),
  };
}
