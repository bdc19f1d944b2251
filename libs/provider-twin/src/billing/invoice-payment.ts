/** The payment of an invoice: the method that would pay it, the intent that collects it, and giving that up. */
import type { Invoice, InvoicePayment } from '../tables';
import type { Twin } from '../twin';
import { newIntent } from './intents';

/** The method that would pay an invoice automatically. */
export function defaultMethodOf(twin: Twin, invoice: Readonly<Invoice>): string | null {
  const subscription = twin.state.get('subscription', invoice.parent?.subscription_details?.subscription ?? '');
  const customer = twin.state.get('customer', String(invoice.customer));
  return (
    invoice.default_payment_method ??
    subscription?.default_payment_method ??
    customer?.invoice_settings.default_payment_method ??
    null
  );
}

export function openPayment(twin: Twin, invoice: Invoice): void {
  const reason =
    invoice.billing_reason === 'subscription_create'
      ? 'Subscription creation'
      : invoice.parent
        ? 'Subscription update'
        : `Payment for Invoice ${invoice.number}`;
  const intent = newIntent(twin, {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: String(invoice.customer),
    method: defaultMethodOf(twin, invoice),
    description: reason,
  });
  twin.state.add('invoice_payment', {
    id: twin.newId('inpay'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: twin.now(),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/** The payment that collects an open invoice. */
export function paymentOf(twin: Twin, invoice: string): Readonly<InvoicePayment> | undefined {
  return twin.state
    .where('invoice_payment', 'invoice', invoice)
    .find((each) => each.is_default && each.status !== 'canceled');
}

/** Gives up the payment of an invoice that it will not collect. */
export function cancelPayment(twin: Twin, invoice: Readonly<Invoice>, reason: 'automatic' | 'void_invoice'): void {
  const payment = paymentOf(twin, invoice.id);
  if (!payment) return;
  const row = twin.state.edit('invoice_payment', payment.id);
  row.status = 'canceled';
  row.status_transitions.canceled_at = twin.now();
  const intent = twin.state.edit('payment_intent', String(payment.payment.payment_intent));
  if (intent.status === 'succeeded') return;
  Object.assign(intent, {
    status: 'canceled',
    canceled_at: twin.now(),
    cancellation_reason: reason,
    next_action: null,
  });
  twin.emit('payment_intent.canceled', intent);
}
