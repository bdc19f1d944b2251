// Subscriptions: create, change, pause collection, cancel, list. Search is refused on purpose: the provider's search
// index lags behind, and a list by customer does not.
import { clone } from '../clone';
import { cancelSubscription } from '../billing/cancellation';
import { changeItems, itemsAfter, type ItemChange } from '../billing/changes';
import { followSubscription } from '../billing/schedules';
import {
  createSubscription,
  currentPeriod,
  setPeriod,
  type ItemFields,
  type SubscriptionFields,
} from '../billing/subscriptions';
import { endTrial, resumePaused } from '../billing/trials';
import { created, endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import {
  changedMetadata,
  currency,
  either,
  flag,
  hash,
  integer,
  list,
  metadata,
  notOffered,
  oneOf,
  only,
  required,
  text,
  timestamp,
  unsettable,
  type Read,
} from '../http/params';
import type { Price, Subscription } from '../tables';
import type { Twin } from '../twin';
import { selected } from './listing';
import { customerNamed, found, newestFirst, referenced } from './lookup';
import { ownMethod } from './payment-methods';
import { inlinePrice, inlinePriceParam } from './products';

const noTax = notOffered('tax');
const noDiscount = notOffered('coupons and discounts');
const noConnect = notOffered('connected accounts');
const none = unsettable(only(text(), () => false, 'this parameter'));

const shared = {
  cancel_at: unsettable(either(timestamp, oneOf('min_period_end', 'max_period_end'))),
  cancel_at_period_end: flag,
  collection_method: oneOf('charge_automatically', 'send_invoice'),
  days_until_due: integer(0, 365),
  default_payment_method: unsettable(text()),
  description: unsettable(text(500)),
  metadata,
  off_session: flag,
  payment_behavior: oneOf('allow_incomplete', 'default_incomplete', 'error_if_incomplete', 'pending_if_incomplete'),
  payment_settings: hash({
    payment_method_types: unsettable(
      list(only(text(), (each) => each === 'card', 'other payment method types than card')),
    ),
    save_default_payment_method: oneOf('off', 'on_subscription'),
    payment_method_options: hash({
      card: hash({
        request_three_d_secure: only(
          oneOf('any', 'automatic', 'challenge'),
          (each) => each === 'automatic',
          'forced authentication; use a test card that asks for it',
        ),
      }),
    }),
  }),
  proration_behavior: oneOf('create_prorations', 'none', 'always_invoice'),
  trial_from_plan: flag,
  trial_settings: hash({
    end_behavior: required(
      hash({
        missing_payment_method: required(oneOf('cancel', 'create_invoice', 'pause')),
        billing_cycle_anchor: notOffered('anchors of trial ends'),
      }),
    ),
  }),
  automatic_tax: hash({ enabled: required(only(flag, (each) => !each, 'tax')) }),
  default_tax_rates: noTax,
  discounts: noDiscount,
  coupon: noDiscount,
  promotion_code: noDiscount,
  application_fee_percent: noConnect,
  on_behalf_of: noConnect,
  transfer_data: noConnect,
  default_source: none,
  billing_thresholds: notOffered('billing thresholds'),
  invoice_settings: notOffered('invoice settings of subscriptions'),
  add_invoice_items: notOffered('additional invoice items'),
  pending_invoice_item_interval: notOffered('pending invoice item intervals'),
  billing_mode: hash({
    type: required(only(oneOf('flexible', 'classic'), (each) => each === 'flexible', 'the classic billing mode')),
  }),
};
const quantity = integer(0, 1_000_000);
const createItem = hash({
  price: text(),
  price_data: inlinePriceParam,
  quantity,
  metadata,
  plan: notOffered('plans; use prices'),
  tax_rates: noTax,
  discounts: noDiscount,
});
const createParams = {
  ...shared,
  customer: required(text()),
  items: required(list(createItem, 20)),
  currency,
  backdate_start_date: notOffered('backdating'),
  billing_cycle_anchor: timestamp,
  billing_cycle_anchor_config: notOffered('anchor configurations; use billing_cycle_anchor'),
  trial_end: either(timestamp, oneOf('now')),
  trial_period_days: integer(0, 730),
};
const updateItem = hash({
  id: text(),
  price: text(),
  price_data: inlinePriceParam,
  quantity,
  deleted: flag,
  clear_usage: flag,
  metadata,
  tax_rates: noTax,
  discounts: noDiscount,
});
const updateParams = {
  ...shared,
  items: list(updateItem, 20),
  billing_cycle_anchor: oneOf('now', 'unchanged'),
  proration_date: timestamp,
  trial_end: either(timestamp, oneOf('now')),
  pause_collection: unsettable(
    hash({ behavior: required(oneOf('keep_as_draft', 'mark_uncollectible', 'void')), resumes_at: timestamp }),
  ),
  cancellation_details: hash({
    comment: unsettable(text()),
    feedback: unsettable(
      oneOf(
        'customer_service',
        'low_quality',
        'missing_features',
        'other',
        'switched_service',
        'too_complex',
        'too_expensive',
        'unused',
      ),
    ),
  }),
};

/** The price that an item of a request names or describes. */
export function priceNamed(
  twin: Twin,
  given: {
    price?: string;
    price_data?: Read<{ d: typeof inlinePriceParam }>['d'];
  },
  param: string,
): Readonly<Price> | undefined {
  if (given.price_data) return inlinePrice(twin, given.price_data);
  if (given.price === undefined) return undefined;
  const named = param ? `${param}[price]` : 'price';
  const price = referenced(twin, 'price', given.price, named);
  if (!price.active)
    throw errors.invalid(`The price specified is inactive. This field only accepts active prices.`, named);
  return price;
}

function itemFields(twin: Twin, given: Read<typeof createParams>['items']): ItemFields[] {
  if (given.length === 0) throw errors.missing('items');
  return given.map((each, at) => {
    const price = priceNamed(twin, each, `items[${at}]`);
    if (!price) throw errors.missing(`items[${at}][price]`);
    return { price, quantity: each.quantity ?? 1, metadata: changedMetadata({}, each.metadata) };
  });
}

function trialEnd(twin: Twin, given: Read<typeof createParams>, items: ItemFields[]): number | null {
  if (given.trial_end !== undefined && given.trial_period_days !== undefined)
    throw errors.invalid('You may only specify one of these parameters: trial_end, trial_period_days.', 'trial_end');
  const planned = given.trial_from_plan ? (items[0]?.price.recurring?.trial_period_days ?? 0) : 0;
  const days = given.trial_period_days ?? planned;
  const at = given.trial_end === undefined ? twin.now() + days * 86_400 : given.trial_end;
  if (at === 'now' || at === twin.now()) return null;
  if (at < twin.now())
    throw errors.invalid('Invalid timestamp: must be an integer Unix timestamp in the future.', 'trial_end');
  if (at > twin.now() + 730 * 86_400) throw errors.invalid('The maximum trial is 730 days (2 years).', 'trial_end');
  return at;
}

function create(twin: Twin, given: Read<typeof createParams>): Subscription {
  const customer = customerNamed(twin, given.customer);
  const items = itemFields(twin, given.items);
  if (given.currency && items.some((each) => each.price.currency !== given.currency))
    throw errors.invalid(
      `The price specified only supports \`${items[0]?.price.currency}\`. This doesn't match the expected currency: \`${given.currency}\`.`,
      'currency',
    );
  if (given.default_payment_method)
    ownMethod(twin, customer.id, given.default_payment_method, 'default_payment_method');
  if (given.payment_behavior === 'pending_if_incomplete')
    throw errors.invalid(
      'payment_behavior=pending_if_incomplete is not supported when creating a subscription.',
      'payment_behavior',
    );
  if (given.collection_method === 'send_invoice' && given.days_until_due === undefined)
    throw errors.missing('days_until_due');
  const anchor = given.billing_cycle_anchor;
  if (typeof given.cancel_at === 'number' && given.cancel_at <= twin.now())
    throw errors.invalid('Invalid timestamp: must be an integer Unix timestamp in the future.', 'cancel_at');
  if (anchor !== undefined && anchor < twin.now())
    throw errors.invalid('Invalid timestamp: must be an integer Unix timestamp in the future.', 'billing_cycle_anchor');
  const fields: SubscriptionFields = {
    customer,
    items,
    metadata: changedMetadata({}, given.metadata),
    defaultMethod: given.default_payment_method ?? null,
    behaviour: given.payment_behavior ?? 'allow_incomplete',
    collectionMethod: given.collection_method ?? 'charge_automatically',
    daysUntilDue: given.days_until_due ?? null,
    trialEnd: trialEnd(twin, given, items),
    description: given.description ?? null,
    cancelAtPeriodEnd: given.cancel_at_period_end ?? false,
    cancelAt: typeof given.cancel_at === 'string' ? 'period_end' : (given.cancel_at ?? null),
    prorate: given.proration_behavior !== 'none',
    saveMethod: given.payment_settings?.save_default_payment_method ?? 'off',
    ...(anchor === undefined ? {} : { anchor }),
    ...(given.trial_settings ? { missingMethod: given.trial_settings.end_behavior.missing_payment_method } : {}),
  };
  return createSubscription(twin, fields);
}

function setCancellation(twin: Twin, subscription: Subscription, given: Read<typeof updateParams>): void {
  const { cancel_at_period_end: atEnd, cancel_at: at, cancellation_details: details } = given;
  if (atEnd !== undefined && at)
    throw errors.invalid('You may only specify one of these parameters: cancel_at, cancel_at_period_end.', 'cancel_at');
  const end = currentPeriod(subscription).end;
  const moment = atEnd === true ? end : atEnd === false || at === null ? null : typeof at === 'string' ? end : at;
  if (moment !== undefined) {
    if (moment !== null && moment <= twin.now())
      throw errors.invalid('Invalid timestamp: must be an integer Unix timestamp in the future.', 'cancel_at');
    subscription.cancel_at_period_end = atEnd === true;
    subscription.cancel_at = moment;
    subscription.canceled_at = moment === null ? null : twin.now();
    if (subscription.cancellation_details)
      subscription.cancellation_details.reason = moment === null ? null : 'cancellation_requested';
  }
  if (details && subscription.cancellation_details) Object.assign(subscription.cancellation_details, details);
}

function setPlain(twin: Twin, subscription: Subscription, given: Read<typeof updateParams>): void {
  if (given.default_payment_method)
    ownMethod(twin, subscription.customer, given.default_payment_method, 'default_payment_method');
  if (given.default_payment_method !== undefined) subscription.default_payment_method = given.default_payment_method;
  if (given.description !== undefined) subscription.description = given.description;
  if (given.collection_method) subscription.collection_method = given.collection_method;
  if (given.days_until_due !== undefined) subscription.days_until_due = given.days_until_due;
  if (given.payment_settings?.save_default_payment_method && subscription.payment_settings)
    subscription.payment_settings.save_default_payment_method = given.payment_settings.save_default_payment_method;
  if (given.trial_settings)
    subscription.trial_settings = {
      end_behavior: {
        billing_cycle_anchor: null,
        missing_payment_method: given.trial_settings.end_behavior.missing_payment_method,
      },
    };
  if (given.pause_collection !== undefined) {
    const pause = given.pause_collection;
    if (pause?.resumes_at !== undefined && pause.resumes_at <= twin.now())
      throw errors.invalid('`resumes_at` must be a timestamp in the future.', 'pause_collection[resumes_at]');
    subscription.pause_collection = pause && { behavior: pause.behavior, resumes_at: pause.resumes_at ?? null };
  }
  subscription.metadata = changedMetadata(subscription.metadata, given.metadata);
}

function itemChanges(twin: Twin, given: NonNullable<Read<typeof updateParams>['items']>): ItemChange[] {
  return given.map((each, at) => ({
    id: each.id,
    price: priceNamed(twin, each, `items[${at}]`),
    quantity: each.quantity,
    deleted: each.deleted,
    metadata: each.metadata === undefined ? undefined : changedMetadata({}, each.metadata),
  }));
}

function update(twin: Twin, given: Read<typeof updateParams>, id: string | undefined): Subscription {
  const before = found(twin, 'subscription', id);
  if (['canceled', 'incomplete_expired'].includes(before.status)) {
    const harmless = Object.keys(given).every((name) => ['metadata', 'cancellation_details'].includes(name));
    if (!harmless) throw errors.noSuch('subscription', before.id);
  }
  if (before.status === 'incomplete' && given.items)
    throw errors.invalid(
      'This subscription is incomplete: its items cannot be changed until its first invoice is paid.',
      'items',
    );
  if (given.payment_behavior === 'pending_if_incomplete')
    throw errors.notOffered('pending updates', 'payment_behavior');
  const cancels = (['cancel_at_period_end', 'cancel_at'] as const).find((name) => given[name] !== undefined);
  if (before.schedule && cancels)
    throw errors.invalid(
      `The subscription is managed by the subscription schedule \`${before.schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
      cancels,
    );
  const subscription = twin.state.edit('subscription', before.id);
  setPlain(twin, subscription, given);
  setCancellation(twin, subscription, given);
  const options = {
    proration: given.proration_behavior,
    prorationDate: given.proration_date,
    behaviour: given.payment_behavior,
    anchor: given.billing_cycle_anchor,
  };
  if (given.items)
    changeItems(twin, subscription, itemsAfter(twin, subscription, itemChanges(twin, given.items)), options);
  else if (given.billing_cycle_anchor === 'now')
    changeItems(twin, subscription, clone(subscription.items.data), options);
  if (given.trial_end !== undefined) {
    const end = given.trial_end === 'now' ? twin.now() : given.trial_end;
    if (end <= twin.now()) endTrial(twin, subscription);
    else {
      if (subscription.status !== 'trialing')
        throw errors.notOffered('a new trial on a running subscription', 'trial_end');
      Object.assign(subscription, { trial_end: end, billing_cycle_anchor: end });
      setPeriod(subscription, { start: currentPeriod(subscription).start, end });
    }
  }
  followSubscription(twin, subscription);
  twin.emit('customer.subscription.updated', subscription, before);
  return subscription;
}

const endedStatuses = ['canceled', 'incomplete_expired'];
const statuses = oneOf(
  'active',
  'past_due',
  'unpaid',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'trialing',
  'paused',
  'all',
  'ended',
);

function listed(subscription: Readonly<Subscription>, status: string | undefined): boolean {
  if (status === 'all') return true;
  if (status === 'ended') return endedStatuses.includes(subscription.status);
  return status === undefined ? subscription.status !== 'canceled' : subscription.status === status;
}

export const subscriptionEndpoints = [
  endpoint('POST', '/v1/subscriptions', createParams, create),
  endpoint('GET', '/v1/subscriptions/search', { query: text(), limit: integer(1, 100), page: text() }, () => {
    throw errors.notOffered('search, whose index lags behind at the provider; list by customer instead');
  }),
  endpoint('GET', '/v1/subscriptions/:subscription', {}, (twin, _given, { subscription }) =>
    found(twin, 'subscription', subscription),
  ),
  endpoint('POST', '/v1/subscriptions/:subscription', updateParams, (twin, given, { subscription }) =>
    update(twin, given, subscription),
  ),
  endpoint(
    'DELETE',
    '/v1/subscriptions/:subscription',
    {
      invoice_now: flag,
      prorate: flag,
      cancellation_details: updateParams.cancellation_details,
    },
    (twin, given, { subscription: id }) => {
      const subscription = found(twin, 'subscription', id);
      if (endedStatuses.includes(subscription.status)) throw errors.noSuch('subscription', subscription.id);
      return cancelSubscription(twin, subscription.id, {
        invoiceNow: given.invoice_now,
        prorate: given.prorate,
        ...given.cancellation_details,
      });
    },
  ),
  endpoint(
    'POST',
    '/v1/subscriptions/:subscription/resume',
    {
      billing_cycle_anchor: only(oneOf('now', 'unchanged'), (each) => each === 'now', 'resuming in the old cycle'),
      proration_behavior: updateParams.proration_behavior,
      proration_date: timestamp,
    },
    (twin, _given, { subscription: id }) => {
      const before = found(twin, 'subscription', id);
      if (before.status !== 'paused')
        throw errors.invalid('This subscription is not paused; only paused subscriptions can be resumed.');
      const subscription = twin.state.edit('subscription', before.id);
      resumePaused(twin, subscription);
      twin.emit('customer.subscription.resumed', subscription);
      return subscription;
    },
  ),
  endpoint(
    'GET',
    '/v1/subscriptions',
    {
      ...page,
      customer: text(),
      price: text(),
      status: statuses,
      collection_method: oneOf('charge_automatically', 'send_invoice'),
      created,
    },
    (twin, given) => {
      const rows =
        given.customer === undefined
          ? newestFirst(twin, 'subscription')
          : [...twin.state.where('subscription', 'customer', given.customer)].reverse();
      const kept = rows.filter(
        (each) =>
          listed(each, given.status) &&
          (given.price === undefined || each.items.data.some((item) => item.price.id === given.price)) &&
          selected(each, given, ['collection_method']),
      );
      return pageOf(kept, given, '/v1/subscriptions', 'subscription');
    },
  ),
];
