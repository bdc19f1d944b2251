/**
 * The end of a trial: the first paid period begins and is invoiced at once. Without a card to charge, the subscription
 * ends or pauses if its settings say so.
 */
import type { Subscription } from '../tables';
import type { Twin } from '../twin';
import { cancelSubscription } from './cancellation';
import { defaultMethodOf } from './invoice-payment';
import { periodAround } from './periods';
import { everyOf, setPeriod } from './items';
import { periodInvoice } from './subscription-invoices';

/** Ends the trial of a draft subscription now. */
export function endTrial(twin: Twin, subscription: Subscription): void {
  const now = twin.now();
  subscription.trial_end = now;
  subscription.billing_cycle_anchor = now;
  const missing = subscription.trial_settings?.end_behavior.missing_payment_method;
  const latest = subscription.latest_invoice ? twin.state.get('invoice', subscription.latest_invoice) : undefined;
  const payable = latest ? defaultMethodOf(twin, latest) !== null : subscription.default_payment_method !== null;
  if (!payable && missing === 'cancel') return void cancelSubscription(twin, subscription.id, {});
  if (!payable && missing === 'pause') {
    subscription.status = 'paused';
    twin.emit('customer.subscription.paused', subscription);
    return;
  }
  firstPaidPeriod(twin, subscription);
}

/** Continues a subscription that was paused because nothing could be charged. */
export function resumePaused(twin: Twin, subscription: Subscription): void {
  subscription.billing_cycle_anchor = twin.now();
  firstPaidPeriod(twin, subscription);
}

function firstPaidPeriod(twin: Twin, subscription: Subscription): void {
  const now = twin.now();
  const period = periodAround(now, everyOf(subscription), now);
  setPeriod(subscription, period);
  subscription.status = 'active';
  const invoice = periodInvoice(twin, subscription, 'subscription_cycle', period, {
    invoicePeriod: { start: subscription.trial_start ?? now, end: now },
  });
  subscription.latest_invoice = invoice.id;
  invoice.automatically_finalizes_at = now + 3600;
}
