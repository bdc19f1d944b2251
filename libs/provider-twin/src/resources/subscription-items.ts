/** Endpoints of single subscription items: the same changes, prorations and invoices as through the subscription. */
import { changeItems, itemsAfter, type ChangeOptions, type ItemChange } from '../billing/changes';
import { followSubscription } from '../billing/schedules';
import { endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import { changedMetadata, flag, integer, metadata, notOffered, oneOf, required, text, timestamp } from '../http/params';
import type { Subscription, SubscriptionItem } from '../tables';
import type { Twin } from '../twin';
import { referenced } from './lookup';
import { inlinePriceParam } from './price-params';
import { priceNamed } from './requested-price';

const how = {
  proration_behavior: oneOf('create_prorations', 'none', 'always_invoice'),
  proration_date: timestamp,
  payment_behavior: oneOf('allow_incomplete', 'default_incomplete', 'error_if_incomplete'),
};
const what = {
  price: text(),
  price_data: inlinePriceParam,
  quantity: integer(0, 1_000_000),
  metadata,
  plan: notOffered('plans; use prices'),
  tax_rates: notOffered('tax'),
  discounts: notOffered('coupons and discounts'),
};

function owner(twin: Twin, id: string | undefined): { subscription: Readonly<Subscription>; item: SubscriptionItem } {
  for (const subscription of twin.state.rows('subscription')) {
    const item = subscription.items.data.find((each) => each.id === id);
    if (item) return { subscription, item };
  }
  throw errors.noSuch('subscription_item', id ?? '');
}

function change(
  twin: Twin,
  before: Readonly<Subscription>,
  changes: ItemChange[],
  options: ChangeOptions,
): Subscription {
  if (['canceled', 'incomplete', 'incomplete_expired'].includes(before.status))
    throw errors.invalid(`This subscription is ${before.status}: its items cannot be changed.`, 'subscription');
  const subscription = twin.state.edit('subscription', before.id);
  changeItems(twin, subscription, itemsAfter(twin, subscription, changes), options);
  followSubscription(twin, subscription);
  twin.emit('customer.subscription.updated', subscription, before);
  return subscription;
}

const optionsOf = (given: {
  proration_behavior?: ChangeOptions['proration'];
  proration_date?: number;
  payment_behavior?: ChangeOptions['behaviour'];
}): ChangeOptions => ({
  proration: given.proration_behavior,
  prorationDate: given.proration_date,
  behaviour: given.payment_behavior,
});

export const subscriptionItemEndpoints = [
  endpoint('POST', '/v1/subscription_items', { ...what, ...how, subscription: required(text()) }, (twin, given) => {
    const subscription = referenced(twin, 'subscription', given.subscription, 'subscription');
    const price = priceNamed(twin, given, '');
    if (!price) throw errors.missing('price');
    const added = { price, quantity: given.quantity, metadata: changedMetadata({}, given.metadata) };
    const after = change(twin, subscription, [added], optionsOf(given)).items.data;
    return after.at(-1) ?? {};
  }),
  endpoint('GET', '/v1/subscription_items/:item', {}, (twin, _given, { item }) => owner(twin, item).item),
  endpoint('POST', '/v1/subscription_items/:item', { ...what, ...how }, (twin, given, { item: id }) => {
    const { subscription, item } = owner(twin, id);
    const changed: ItemChange = {
      id: item.id,
      price: priceNamed(twin, given, ''),
      quantity: given.quantity,
      metadata: given.metadata === undefined ? undefined : changedMetadata(item.metadata, given.metadata),
    };
    change(twin, subscription, [changed], optionsOf(given));
    return owner(twin, item.id).item;
  }),
  endpoint('DELETE', '/v1/subscription_items/:item', { ...how, clear_usage: flag }, (twin, given, { item: id }) => {
    const { subscription, item } = owner(twin, id);
    change(twin, subscription, [{ id: item.id, deleted: true }], optionsOf(given));
    return { id: item.id, object: 'subscription_item', deleted: true };
  }),
  endpoint('GET', '/v1/subscription_items', { ...page, subscription: required(text()) }, (twin, given) => {
    const { items } = referenced(twin, 'subscription', given.subscription, 'subscription');
    return pageOf([...items.data].reverse(), given, '/v1/subscription_items', 'subscription_item');
  }),
];
