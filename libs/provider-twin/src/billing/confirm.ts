// Confirming a payment intent, whoever owns it: one that collects an invoice settles the invoice (and through it the
// subscription) in the same instant.
import { errors } from '../http/errors';
import type { Invoice, PaymentIntent, PaymentMethod } from '../tables';
import type { Twin } from '../twin';
import { afterAttempt } from './collection';
import { attemptPayment, authenticate, type Attempt, type AttemptOptions } from './intents';

function invoiceOf(twin: Twin, intent: string): Invoice | undefined {
  const payment = twin.state.where('invoice_payment', 'intent', intent).find((each) => each.status === 'open');
  return payment && twin.state.edit('invoice', payment.invoice);
}

function settle(twin: Twin, intent: PaymentIntent, attempt: Attempt): Attempt {
  const invoice = invoiceOf(twin, intent.id);
  if (!invoice) return attempt;
  if (attempt.kind !== 'requires_action') {
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

/** The holder of the card accepted or refused the authentication of a waiting intent. */
export function answerAuthentication(twin: Twin, id: string, accepted: boolean): PaymentIntent {
  const intent = twin.state.edit('payment_intent', id);
  if (intent.status !== 'requires_action')
    throw errors.invalid(
      `This PaymentIntent's status is ${intent.status}; nothing waits for authentication.`,
      undefined,
      'payment_intent_unexpected_state',
    );
  const method = twin.state.get('payment_method', String(intent.payment_method));
  if (!method) throw errors.noSuch('PaymentMethod', String(intent.payment_method));
  settle(twin, intent, authenticate(twin, intent, method, accepted));
  return intent;
}
