/**
 * Confirming any payment intent: one that collects an invoice settles the invoice (and through it the subscription) in
 * the same instant.
 */
import { errors } from '../http/errors';
import type { Invoice, PaymentIntent, PaymentMethod } from '../tables';
import type { Twin } from '../twin';
import { afterAttempt } from './collection';
import { answerBank, attemptPayment, authenticate, type Attempt, type AttemptOptions } from './intents';
import { voidInvoice } from './invoices';

function invoiceOf(twin: Twin, intent: string): Invoice | undefined {
  const payment = twin.state.where('invoice_payment', 'intent', intent).find((each) => each.status === 'open');
  return payment && twin.state.edit('invoice', payment.invoice);
}

function settle(twin: Twin, intent: PaymentIntent, attempt: Attempt): Attempt {
  const invoice = invoiceOf(twin, intent.id);
  if (!invoice) return attempt;
  if (attempt.kind === 'succeeded' || attempt.kind === 'declined') {
    invoice.attempt_count += 1;
    invoice.attempted = true;
  }
  return afterAttempt(twin, invoice, attempt);
}

/** Tries a draft intent on a method and settles what it pays for. */
export function confirmIntent(
  twin: Twin,
  intent: PaymentIntent,
  method: Readonly<PaymentMethod>,
  options: AttemptOptions,
): Attempt {
  return settle(twin, intent, attemptPayment(twin, intent, method, options));
}

/**
 * Records the bank's answer to a payment that was processing. A refused first payment of a subscription voids its
 * invoice and leaves the subscription active; the session that sold it shows this.
 */
function settleProcessing(twin: Twin, intent: PaymentIntent, method: Readonly<PaymentMethod>, paid: boolean): void {
  const invoice = invoiceOf(twin, intent.id);
  const attempt = answerBank(twin, intent, method, paid);
  if (!invoice) return;
  afterAttempt(twin, invoice, attempt);
  if (!paid && invoice.billing_reason === 'subscription_create') voidInvoice(twin, invoice);
  for (const { id, invoice: sold } of twin.state.rows('checkout.session'))
    if (sold === invoice.id) {
      const session = twin.state.edit('checkout.session', id);
      if (paid) session.payment_status = 'paid';
      twin.emit(`checkout.session.async_payment_${paid ? 'succeeded' : 'failed'}`, session);
    }
}

/** The card holder accepted or refused the authentication of a waiting intent, or the bank answered. */
export function answerAuthentication(twin: Twin, id: string, accepted: boolean): PaymentIntent {
  const intent = twin.state.edit('payment_intent', id);
  const waiting = twin.state.get('payment_method', String(intent.payment_method));
  if (intent.status === 'processing' && waiting) {
    settleProcessing(twin, intent, waiting, accepted);
    return intent;
  }
  if (intent.status !== 'requires_action')
    throw errors.invalid(
      `This PaymentIntent's status is ${intent.status}; nothing waits for authentication.`,
      undefined,
      'payment_intent_unexpected_state',
    );
  if (!waiting) throw errors.noSuch('PaymentMethod', String(intent.payment_method));
  settle(twin, intent, authenticate(twin, intent, waiting, accepted));
  return intent;
}
