/** Changes a subscription as a request specifies: its fields, its end, its items and its trial. */
import { changeItems, collectChange, itemsAfter, type ItemChange } from '../billing/changes';
import { currentPeriod, setPeriod } from '../billing/items';
import { followSubscription } from '../billing/schedules';
import { endTrial } from '../billing/trials';
import { clone } from '../clone';
import { errors } from '../http/errors';
import { changedMetadata, type Read } from '../http/params';
import type { Subscription } from '../tables';
import type { Twin } from '../twin';
import { found } from './lookup';
import { priceNamed } from './requested-price';
import { ownMethod } from './payment-methods';
import type { updateParams } from './subscription-params';

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

/** The parameters that an update may have when it waits for its payment. */
const pendingParams: ReadonlySet<string> = new Set([
  'payment_behavior',
  'proration_behavior',
  'proration_date',
  'billing_cycle_anchor',
  'items',
]);

/** Throws when an update that waits for its payment contains more than a change of items. */
function checkPending(given: Read<typeof updateParams>): void {
  if (given.payment_behavior === 'pending_if_incomplete') {
    const unfit = Object.keys(given).find((name) => !pendingParams.has(name));
    if (unfit)
      throw errors.invalid(
        `You cannot pass \`${unfit}\` when \`payment_behavior\` is \`pending_if_incomplete\`.`,
        unfit,
      );
  }
}

export function update(twin: Twin, given: Read<typeof updateParams>, id: string | undefined): Subscription {
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
  checkPending(given);
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
    if (end <= twin.now()) {
      endTrial(twin, subscription);
      // A trial that a request ends is invoiced and paid at once; a trial that expires leaves its invoice as a draft
      // for an hour.
      const invoice = twin.state.get('invoice', subscription.latest_invoice ?? '');
      if (subscription.status === 'active' && invoice?.status === 'draft')
        collectChange(
          twin,
          subscription,
          twin.state.edit('invoice', invoice.id),
          given.payment_behavior ?? 'allow_incomplete',
        );
    } else {
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
