// Creates a subscription from a request.
import type { SubscriptionFields } from '../billing/blank-subscription';
import type { ItemFields } from '../billing/items';
import { createSubscription } from '../billing/subscriptions';
import { errors } from '../http/errors';
import { changedMetadata, type Read } from '../http/params';
import type { Subscription } from '../tables';
import type { Twin } from '../twin';
import { customerNamed } from './lookup';
import { priceNamed } from './requested-price';
import { ownMethod } from './payment-methods';
import type { createParams } from './subscription-params';

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

export function create(twin: Twin, given: Read<typeof createParams>): Subscription {
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
