/**
 * Pending updates: a change of items whose invoice could not be paid waits on the subscription, which continues without
 * it. Payment of the invoice applies the change; voiding it, or the end of the waiting time, drops it.
 */
import { clone } from '../clone';
import type { Invoice, Subscription, SubscriptionItem } from '../tables';
import type { Twin } from '../twin';
import { currentPeriod } from './items';

const pendingLifeSeconds = 23 * 3600;

/** Makes a draft subscription wait for the payment of its latest invoice, with the items of the change. */
export function holdUpdate(twin: Twin, subscription: Subscription, items: SubscriptionItem[]): void {
  subscription.pending_update = {
    billing_cycle_anchor: null,
    cancel_at_period_end: null,
    discount: null,
    discounts: null,
    metadata: null,
    expires_at: Math.min(twin.now() + pendingLifeSeconds, currentPeriod(subscription).end),
    subscription_items: items,
    trial_end: null,
    trial_from_plan: null,
  } as NonNullable<Subscription['pending_update']>;
}

function waitsFor(twin: Twin, invoice: Readonly<Invoice>): Readonly<Subscription> | undefined {
  const subscription = twin.state.get('subscription', invoice.parent?.subscription_details?.subscription ?? '');
  return subscription?.pending_update && subscription.latest_invoice === invoice.id ? subscription : undefined;
}

/** The invoice of a waiting change is paid: the change takes effect. */
export function applyUpdate(twin: Twin, invoice: Readonly<Invoice>): void {
  const before = waitsFor(twin, invoice);
  if (!before) return;
  const was = clone(before);
  const subscription = twin.state.edit('subscription', before.id);
  subscription.items.data = subscription.pending_update?.subscription_items ?? subscription.items.data;
  subscription.pending_update = null;
  twin.emit('customer.subscription.pending_update_applied', subscription);
  twin.emit('customer.subscription.updated', subscription, was);
}

/** The invoice of a waiting change is void: the change is dropped. */
export function dropUpdate(twin: Twin, invoice: Readonly<Invoice>): void {
  const before = waitsFor(twin, invoice);
  if (!before) return;
  const was = clone(before);
  const subscription = twin.state.edit('subscription', before.id);
  subscription.pending_update = null;
  twin.emit('customer.subscription.pending_update_expired', subscription);
  twin.emit('customer.subscription.updated', subscription, was);
}
