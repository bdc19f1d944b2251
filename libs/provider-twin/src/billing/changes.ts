/**
 * Changes of a running subscription's items. The unused part of the old items is credited and the remaining part of the
 * new ones charged, to the second. A change of the billing period (or from free to paid) starts a new cycle now.
 */
import { clone } from '../clone';
import { errors } from '../http/errors';
import type { Invoice, Price, Subscription, SubscriptionItem } from '../tables';
import type { Twin } from '../twin';
import { collect } from './collection';
import { draftInvoice, finalise, pendingItems } from './invoices';
import { dayText, pendingProration, periodCharge, priceText, subscriptionLine } from './lines';
import { giveUpUpdate } from './given-up-updates';
import { holdUpdate } from './pending-updates';
import { periodAround } from './periods';
import { prorated } from './proration';
import { checkItems, currentPeriod, newItem, planOf, setPeriod, everyOf } from './items';
import { invoiceFields } from './subscription-invoices';
import type { PaymentBehaviour } from './blank-subscription';
import { setStatus } from './settlement';

export interface ItemChange {
  /** The item to change or remove; absent for a new item. */
  id?: string | undefined;
  price?: Readonly<Price> | undefined;
  quantity?: number | undefined;
  deleted?: boolean | undefined;
  metadata?: Record<string, string> | undefined;
}

export type ProrationBehaviour = 'create_prorations' | 'always_invoice' | 'none';

export interface ChangeOptions {
  proration?: ProrationBehaviour | undefined;
  prorationDate?: number | undefined;
  behaviour?: PaymentBehaviour | 'pending_if_incomplete' | undefined;
  /** 'now' starts a new cycle. */
  anchor?: 'now' | 'unchanged' | undefined;
}

function changedItem(item: SubscriptionItem, change: ItemChange): SubscriptionItem {
  const price = change.price ? (clone(change.price) as Price) : item.price;
  return {
    ...item,
    price,
    plan: planOf(price),
    quantity: change.quantity ?? (change.price && change.price.id !== item.price.id ? 1 : (item.quantity ?? 1)),
    metadata: change.metadata ?? item.metadata,
  };
}

/** The items after the changes. Throws for items that do not belong to the subscription. */
export function itemsAfter(
  twin: Twin,
  subscription: Readonly<Subscription>,
  changes: ItemChange[],
): SubscriptionItem[] {
  let items = clone(subscription.items.data) as SubscriptionItem[];
  changes.forEach((change, at) => {
    if (change.id === undefined) {
      if (!change.price) throw errors.missing(`items[${at}][price]`);
      if (items.some((each) => each.price.id === change.price?.id))
        throw errors.invalid(
          `Cannot add multiple subscription items with the same plan: ${change.price.id}`,
          `items[${at}][price]`,
        );
      items.push(
        newItem(
          twin,
          subscription.id,
          {
            price: change.price,
            quantity: change.quantity ?? 1,
            ...(change.metadata ? { metadata: change.metadata } : {}),
          },
          currentPeriod(subscription),
        ),
      );
      return;
    }
    if (!items.some((each) => each.id === change.id))
      throw errors.noSuchReference('subscription_item', change.id, `items[${at}][id]`);
    items = change.deleted
      ? items.filter((each) => each.id !== change.id)
      : items.map((each) => (each.id === change.id ? changedItem(each, change) : each));
  });
  if (items.length === 0) throw errors.invalid('A subscription must have at least one active item.', 'items');
  checkItems(items.map((each) => each.price));
  return items;
}

const costOf = (item: Readonly<SubscriptionItem>): number => (item.price.unit_amount ?? 0) * (item.quantity ?? 1);

function differs(a: Readonly<SubscriptionItem> | undefined, b: Readonly<SubscriptionItem> | undefined): boolean {
  return !a || !b || a.price.id !== b.price.id || a.quantity !== b.quantity;
}

function prorate(
  twin: Twin,
  customer: string,
  item: SubscriptionItem,
  period: { start: number; end: number },
  at: number,
  sign: 1 | -1,
): void {
  const whole = periodCharge(twin, item, period);
  const amount = sign * prorated(whole.amount, period, at);
  const word = sign < 0 ? 'Unused' : 'Remaining';
  pendingProration(twin, customer, {
    ...whole,
    amount,
    period: { start: at, end: period.end },
    description: `${word} time on ${priceText(twin, item.price, whole.quantity)} after ${dayText(at)}`,
  });
}

/** Credits the unused time of changed items and charges their remaining cost in this period. */
function addProrations(
  twin: Twin,
  subscription: Readonly<Subscription>,
  before: SubscriptionItem[],
  after: SubscriptionItem[],
  at: number,
  creditsOnly: boolean,
): void {
  const period = currentPeriod(subscription);
  const changed = (id: string): boolean =>
    differs(
      before.find((each) => each.id === id),
      after.find((each) => each.id === id),
    );
  const credited = before.filter((each) => creditsOnly || changed(each.id));
  for (const item of credited) if (costOf(item) > 0) prorate(twin, subscription.customer, item, period, at, -1);
  if (creditsOnly) return;
  for (const item of after)
    if (changed(item.id) && costOf(item) > 0) prorate(twin, subscription.customer, item, period, at, 1);
}

/** Finalises the invoice of a change and collects it. False when the change waits for that payment. */
export function collectChange(
  twin: Twin,
  subscription: Subscription,
  invoice: Invoice,
  behaviour: PaymentBehaviour | 'pending_if_incomplete',
): boolean {
  subscription.latest_invoice = invoice.id;
  finalise(twin, invoice);
  if (invoice.status === 'paid' || invoice.collection_method === 'send_invoice') return true;
  if (behaviour === 'default_incomplete') {
    setStatus(twin, subscription.id, 'past_due');
    return true;
  }
  const attempt = collect(twin, invoice);
  if (attempt.kind === 'succeeded' || attempt.kind === 'processing') return true;
  if (behaviour === 'pending_if_incomplete') return false;
  if (behaviour === 'error_if_incomplete')
    throw attempt.kind === 'declined'
      ? attempt.error.withoutEffects()
      : errors.authenticationNeeded(false, undefined, 'subscription');
  setStatus(twin, subscription.id, 'past_due');
  return true;
}

function sameEvery(a: Readonly<Subscription>, items: SubscriptionItem[]): boolean {
  const every = everyOf(a);
  const next = items[0]?.price.recurring;
  return every.interval === next?.interval && every.interval_count === next.interval_count;
}

const total = (items: SubscriptionItem[]): number => items.reduce((cents, item) => cents + costOf(item), 0);

/** Gives a draft subscription new items, with the resulting prorations and invoices. */
export function changeItems(
  twin: Twin,
  subscription: Subscription,
  after: SubscriptionItem[],
  options: ChangeOptions,
): void {
  giveUpUpdate(twin, subscription.id);
  const proration = options.proration ?? 'create_prorations';
  const behaviour = options.behaviour ?? 'allow_incomplete';
  const before = subscription.items.data;
  const now = twin.now();
  const trialing = subscription.status === 'trialing';
  const at = options.prorationDate ?? now;
  const period = currentPeriod(subscription);
  if (at < period.start || at > period.end)
    throw errors.invalid('The proration date must be within the current billing period.', 'proration_date');
  const restarts =
    !trialing &&
    (options.anchor === 'now' || !sameEvery(subscription, after) || (total(before) === 0 && total(after) > 0));
  if (!trialing && proration !== 'none') addProrations(twin, subscription, before, after, at, restarts);
  subscription.items.data = after;
  if (restarts) {
    if (behaviour === 'pending_if_incomplete')
      throw errors.notOffered('pending updates that begin a new period', 'payment_behavior');
    const credits = proration !== 'none' && total(before) > 0;
    return restart(twin, subscription, behaviour, credits ? { prorationDate: at } : {});
  }
  const pending = pendingItems(twin, subscription.customer, subscription.id);
  if (proration === 'always_invoice' && pending.length > 0) {
    const invoice = draftInvoice(
      twin,
      {
        ...invoiceFields(twin, subscription, 'subscription_update', { start: now, end: now }),
        prorationDate: at,
      },
      () => [],
      pending,
    );
    if (collectChange(twin, subscription, invoice, behaviour)) return;
    subscription.items.data = before;
    holdUpdate(twin, subscription, after);
  }
}

function restart(
  twin: Twin,
  subscription: Subscription,
  behaviour: PaymentBehaviour,
  credited: { readonly prorationDate?: number },
): void {
  const now = twin.now();
  subscription.billing_cycle_anchor = now;
  const period = periodAround(now, everyOf(subscription), now);
  setPeriod(subscription, period);
  const invoice = draftInvoice(
    twin,
    { ...invoiceFields(twin, subscription, 'subscription_update', { start: now, end: now }), ...credited },
    (id) => subscription.items.data.map((item) => subscriptionLine(twin, id, periodCharge(twin, item, period))),
    pendingItems(twin, subscription.customer, subscription.id),
  );
  collectChange(twin, subscription, invoice, behaviour);
}
