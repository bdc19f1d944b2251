/** Items of a subscription and the period that they share. */
import { clone } from '../clone';
import { errors } from '../http/errors';
import type { Plan, Price, Subscription, SubscriptionItem } from '../tables';
import type { Twin } from '../twin';

export interface ItemFields {
  price: Readonly<Price>;
  quantity: number;
  metadata?: Record<string, string>;
  taxRates?: string[];
  discounts?: string[];
}

/** The older form of a recurring price, which items still contain. */
export function planOf(price: Readonly<Price>): Plan {
  const every = price.recurring;
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: every?.interval ?? 'month',
    interval_count: every?.interval_count ?? 1,
    livemode: false,
    metadata: { ...price.metadata },
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: every?.trial_period_days ?? null,
    usage_type: 'licensed',
  };
}

/** An item of a subscription for the given period; it is not stored yet. */
export function newItem(
  twin: Twin,
  subscription: string,
  fields: ItemFields,
  period: { start: number; end: number },
): SubscriptionItem {
  return {
    id: twin.newId('si'),
    object: 'subscription_item',
    billing_thresholds: null,
    created: twin.now(),
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: fields.discounts ?? [],
    metadata: fields.metadata ?? {},
    plan: planOf(fields.price),
    price: clone(fields.price) as Price,
    quantity: fields.quantity,
    subscription,
    tax_rates: (fields.taxRates ?? []) as unknown as NonNullable<SubscriptionItem['tax_rates']>,
  };
}

/** Refuses items that one subscription cannot have: none, one-time prices, mixed currencies or periods. */
export function checkItems(prices: Readonly<Price>[]): Readonly<Price> {
  const [first] = prices;
  if (!first) throw errors.missing('items');
  prices.forEach((price, at) => {
    const param = `items[${at}][price]`;
    if (!price.recurring)
      throw errors.invalid(
        `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
        param,
      );
    if (price.currency !== first.currency)
      throw errors.invalid('All prices on a subscription must use the same currency.', param);
    if (
      price.recurring.interval !== first.recurring?.interval ||
      price.recurring.interval_count !== first.recurring.interval_count
    )
      throw errors.notOffered('prices with different billing periods on one subscription', param);
  });
  return first;
}

/** The recurrence that all items share. */
export function everyOf(subscription: Readonly<Subscription>): { interval: string; interval_count: number } {
  const every = subscription.items.data[0]?.price.recurring;
  if (!every) throw new Error(`${subscription.id} has no recurring item`);
  return every;
}

/** The current period, which all items share. */
export function currentPeriod(subscription: Readonly<Subscription>): { start: number; end: number } {
  const item = subscription.items.data[0];
  if (!item) throw new Error(`${subscription.id} has no item`);
  return { start: item.current_period_start, end: item.current_period_end };
}

/** Gives all items of a draft subscription the same period. */
export function setPeriod(subscription: Subscription, period: { start: number; end: number }): void {
  for (const item of subscription.items.data)
    Object.assign(item, { current_period_start: period.start, current_period_end: period.end });
}
