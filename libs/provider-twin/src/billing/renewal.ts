/**
 * Renewals: at the end of a period the next one begins and its draft invoice appears; an hour later it is finalised and
 * collected. Paused collection changes what happens to the invoice, never the period.
 */
import { clone } from '../clone';
import type { Subscription } from '../tables';
import type { Twin } from '../twin';
import { markUncollectible, voidInvoice, finalise } from './invoices';
import { periodAround } from './periods';
import { currentPeriod, everyOf, setPeriod } from './items';
import { periodInvoice } from './subscription-invoices';

const finalisationDelaySeconds = 3600;

/** Begins the next period of a subscription. */
export function renew(twin: Twin, id: string): object {
  const before = clone(twin.state.get('subscription', id));
  const subscription = twin.state.edit('subscription', id);
  const last = currentPeriod(subscription);
  const next = periodAround(subscription.billing_cycle_anchor, everyOf(subscription), last.end);
  setPeriod(subscription, { start: last.end, end: next.end });
  const invoice = periodInvoice(
    twin,
    subscription,
    'subscription_cycle',
    { start: last.end, end: next.end },
    { invoicePeriod: last },
  );
  subscription.latest_invoice = invoice.id;
  twin.emit('customer.subscription.updated', subscription, before);
  const pause = subscription.pause_collection?.behavior;
  if (pause === 'keep_as_draft' || subscription.status === 'unpaid') invoice.auto_advance = false;
  else if (pause) {
    finalise(twin, invoice);
    if (invoice.status === 'open' && pause === 'void') voidInvoice(twin, invoice);
    else if (invoice.status === 'open') markUncollectible(twin, invoice);
  } else invoice.automatically_finalizes_at = twin.now() + finalisationDelaySeconds;
  return invoice;
}

/** Ends a pause of collection at its time. */
export function resumeCollection(twin: Twin, id: string): Subscription {
  const before = clone(twin.state.get('subscription', id));
  const subscription = twin.state.edit('subscription', id);
  subscription.pause_collection = null;
  twin.emit('customer.subscription.updated', subscription, before);
  return subscription;
}
