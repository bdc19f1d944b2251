/**
 * Subscriptions: create, change, pause collection, cancel, list. Search is refused on purpose: the provider's search
 * index lags, and a list by customer does not.
 */
import { cancelSubscription } from '../billing/cancellation';
import { resumePaused } from '../billing/trials';
import { created, endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import { flag, integer, oneOf, only, text, timestamp } from '../http/params';
import type { Subscription } from '../tables';
import { selected } from './listing';
import { found, newestFirst } from './lookup';
import { update } from './subscription-change';
import { create } from './subscription-creation';
import { createParams, updateParams } from './subscription-params';

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
