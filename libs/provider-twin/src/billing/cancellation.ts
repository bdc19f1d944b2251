/**
 * How a subscription ends: at once or at a moment that was set. An ended subscription never bills again; its unpaid
 * invoices stay for a person but are no longer collected automatically.
 */
import { clone } from '../clone';
import { listOf } from '../http/pagination';
import type { Subscription } from '../tables';
import type { Twin } from '../twin';
import { collect } from './collection';
import { draftInvoice, finalise, pendingItems, voidInvoice } from './invoices';
import { giveUpUpdate } from './given-up-updates';
import { pendingProration, periodCharge, priceText } from './lines';
import { prorated } from './proration';
import { currentPeriod } from './items';
import { invoiceFields } from './subscription-invoices';

export interface Cancellation {
  invoiceNow?: boolean | undefined;
  prorate?: boolean | undefined;
  reason?: 'cancellation_requested' | 'payment_failed' | undefined;
  comment?: string | null | undefined;
  feedback?: string | null | undefined;
}

function stopCollecting(twin: Twin, subscription: Readonly<Subscription>): void {
  for (const invoice of twin.state.where('invoice', 'customer', subscription.customer)) {
    if (invoice.parent?.subscription_details?.subscription !== subscription.id) continue;
    if (invoice.status !== 'draft' && invoice.status !== 'open') continue;
    const draft = twin.state.edit('invoice', invoice.id);
    Object.assign(draft, { auto_advance: false, next_payment_attempt: null, automatically_finalizes_at: null });
  }
}

function creditUnused(twin: Twin, subscription: Subscription): void {
  const period = currentPeriod(subscription);
  const now = twin.now();
  for (const item of subscription.items.data) {
    const whole = periodCharge(twin, item, period);
    const amount = -prorated(whole.amount, period, now);
    if (amount === 0) continue;
    pendingProration(twin, subscription.customer, {
      ...whole,
      amount,
      period: { start: now, end: period.end },
      description: `Unused time on ${priceText(twin, item.price, whole.quantity)}`,
    });
  }
}

function end(twin: Twin, subscription: Subscription, status: 'canceled' | 'incomplete_expired'): void {
  const now = twin.now();
  subscription.status = status;
  subscription.ended_at = now;
  subscription.canceled_at ??= now;
  subscription.items = listOf(subscription.items.data, subscription.items.url);
  if (subscription.schedule) {
    const schedule = twin.state.get('subscription_schedule', subscription.schedule);
    if (schedule && ['active', 'not_started'].includes(schedule.status)) {
      const row = twin.state.edit('subscription_schedule', schedule.id);
      Object.assign(row, { status: 'canceled', canceled_at: now, current_phase: null });
      twin.emit('subscription_schedule.canceled', row);
    }
  }
}

/** Ends a subscription now. */
export function cancelSubscription(twin: Twin, id: string, how: Cancellation): Subscription {
  giveUpUpdate(twin, id);
  const subscription = twin.state.edit('subscription', id);
  if (how.prorate) creditUnused(twin, subscription);
  if (how.invoiceNow) {
    const pending = pendingItems(twin, subscription.customer, id);
    if (pending.length > 0) {
      const invoice = draftInvoice(
        twin,
        invoiceFields(twin, subscription, 'subscription_update', currentPeriod(subscription)),
        () => [],
        pending,
      );
      subscription.latest_invoice = invoice.id;
      finalise(twin, invoice);
      if (invoice.status === 'open' && invoice.collection_method === 'charge_automatically') collect(twin, invoice);
    }
  }
  stopCollecting(twin, subscription);
  const details = subscription.cancellation_details;
  subscription.canceled_at = twin.now();
  subscription.cancellation_details = {
    comment: how.comment ?? details?.comment ?? null,
    feedback: how.feedback ?? details?.feedback ?? null,
    feedback_option: null,
    reason: how.reason ?? 'cancellation_requested',
  };
  end(twin, subscription, 'canceled');
  twin.emit('customer.subscription.deleted', subscription);
  return subscription;
}

/** Ends a subscription whose first payment never came. */
export function expireIncomplete(twin: Twin, id: string): void {
  const before = clone(twin.state.get('subscription', id));
  const subscription = twin.state.edit('subscription', id);
  const first = subscription.latest_invoice ? twin.state.get('invoice', subscription.latest_invoice) : undefined;
  end(twin, subscription, 'incomplete_expired');
  if (first?.status === 'open') voidInvoice(twin, twin.state.edit('invoice', first.id));
  twin.emit('customer.subscription.updated', subscription, before);
}
