/** The effects of a paid invoice on its subscription: a first payment starts it, a late payment ends its arrears. */
import { clone } from '../clone';
import type { Invoice, Subscription } from '../tables';
import type { Twin } from '../twin';
import { applyUpdate, dropUpdate } from './pending-updates';

/** Changes a subscription's status and announces it. */
export function setStatus(twin: Twin, id: string, status: Subscription['status']): void {
  const before = twin.state.get('subscription', id);
  if (!before || before.status === status) return;
  const was = clone(before);
  const subscription = twin.state.edit('subscription', id);
  subscription.status = status;
  twin.emit('customer.subscription.updated', subscription, was);
}

function inArrears(twin: Twin, subscription: Readonly<Subscription>, paid: string): boolean {
  return twin.state
    .where('invoice', 'customer', subscription.customer)
    .some(
      (each) =>
        each.id !== paid &&
        each.status === 'open' &&
        each.attempted &&
        each.parent?.subscription_details?.subscription === subscription.id,
    );
}

/** Saves the card that paid, when the subscription requires it. */
function saveMethod(twin: Twin, subscription: Readonly<Subscription>, invoice: string): void {
  if (subscription.payment_settings?.save_default_payment_method !== 'on_subscription') return;
  const payment = twin.state.where('invoice_payment', 'invoice', invoice).find((each) => each.status === 'paid');
  const method = twin.state.get(
    'payment_method',
    twin.state.get('payment_intent', payment?.payment.payment_intent ?? '')?.payment_method ?? '',
  );
  if (!method || (method.customer !== null && method.customer !== subscription.customer)) return;
  if (method.customer === null) {
    const saved = twin.state.edit('payment_method', method.id);
    saved.customer = subscription.customer;
    twin.emit('payment_method.attached', saved);
  }
  twin.state.edit('subscription', subscription.id).default_payment_method = method.id;
}

/** Notes on the customer whether its last invoice could not be collected. */
export function setDelinquent(twin: Twin, customer: string | null, delinquent: boolean): void {
  const before = customer ? twin.state.get('customer', customer) : undefined;
  if (before && before.delinquent !== delinquent) twin.state.edit('customer', before.id).delinquent = delinquent;
}

/** Lets the subscription of an invoice react to its being voided or written off. */
export function afterInvoiceClosed(twin: Twin, invoice: Readonly<Invoice>): void {
  if (invoice.status === 'void') dropUpdate(twin, invoice);
  const subscription = twin.state.get('subscription', invoice.parent?.subscription_details?.subscription ?? '');
  if (!subscription) return;
  if (
    subscription.status === 'incomplete' &&
    invoice.billing_reason === 'subscription_create' &&
    invoice.status === 'void'
  ) {
    Object.assign(twin.state.edit('subscription', subscription.id), { ended_at: twin.now(), canceled_at: twin.now() });
    setStatus(twin, subscription.id, 'incomplete_expired');
  } else if (subscription.status === 'past_due' && subscription.latest_invoice === invoice.id)
    setStatus(twin, subscription.id, 'active');
}

/** Lets the subscription of an invoice react to its payment. */
export function afterInvoicePaid(twin: Twin, invoice: Readonly<Invoice>): void {
  const id = invoice.parent?.subscription_details?.subscription;
  const subscription = id ? twin.state.get('subscription', id) : undefined;
  if (!subscription) return;
  saveMethod(twin, subscription, invoice.id);
  applyUpdate(twin, invoice);
  const trialing = subscription.trial_end !== null && subscription.trial_end > twin.now();
  if (subscription.status === 'incomplete' && invoice.billing_reason === 'subscription_create')
    setStatus(twin, subscription.id, trialing ? 'trialing' : 'active');
  else if (['past_due', 'unpaid'].includes(subscription.status) && !inArrears(twin, subscription, invoice.id))
    setStatus(twin, subscription.id, 'active');
}
