/** One attempt to collect an open invoice, and its consequences for the invoice. */
import { errors, type ProviderError } from '../http/errors';
import { methodNamed } from '../resources/payment-methods';
import type { Invoice, PaymentIntent } from '../tables';
import type { Twin } from '../twin';
import { attemptPayment, type Attempt } from './intents';
import { defaultMethodOf, paymentOf } from './invoice-payment';
import { markPaid } from './invoices';
import { setDelinquent } from './settlement';

function intentOf(twin: Twin, invoice: Readonly<Invoice>): PaymentIntent {
  const payment = paymentOf(twin, invoice.id)?.payment.payment_intent;
  if (!payment) throw errors.invalid('This invoice has no payment to collect.');
  return twin.state.edit('payment_intent', payment);
}

const noMethod = (): ProviderError =>
  errors.invalid(
    "There is no default_payment_method set on this Customer or Invoice. Please set either an attached PaymentMethod as the Customer's default_payment_method, or pass one as payment_method.",
  );

/** Tries to collect an open draft invoice once, with the given or the default method. */
export function collect(twin: Twin, invoice: Invoice, methodId?: string | null): Attempt {
  const chosen = methodId ?? defaultMethodOf(twin, invoice);
  if (!chosen) return { kind: 'declined', error: noMethod() };
  const intent = intentOf(twin, invoice);
  const method = methodNamed(twin, chosen, 'payment_method');
  invoice.attempt_count += 1;
  invoice.attempted = true;
  return afterAttempt(twin, invoice, attemptPayment(twin, intent, method));
}

/** The consequences of an attempt on its intent for a draft invoice. */
export function afterAttempt(twin: Twin, invoice: Invoice, attempt: Attempt): Attempt {
  if (attempt.kind === 'processing') return attempt;
  if (attempt.kind === 'succeeded') markPaid(twin, invoice, invoice.amount_due);
  else if (attempt.kind === 'requires_action') twin.emit('invoice.payment_action_required', invoice);
  if (attempt.kind !== 'succeeded') {
    setDelinquent(twin, invoice.customer, true);
    twin.emit('invoice.payment_failed', invoice);
  }
  return attempt;
}
