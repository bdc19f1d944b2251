/**
 * Checkout sessions: a page on which a person pays. Completing one creates the customer, the saved card and the sold
 * subscription or payment, all in one instant; a declined card leaves it open.
 */
import { errors } from '../http/errors';
import { blankCustomer } from '../resources/customers';
import { methodNamed } from '../resources/payment-methods';
import type { PaymentMethod, Session } from '../tables';
import type { Twin } from '../twin';
import { newIntent, attemptPayment } from './intents';
import { confirmSetup, newSetupIntent } from './setup';
import { createSubscription } from './subscriptions';

function customerOf(twin: Twin, session: Session): string {
  if (session.customer) return session.customer;
  const customer = twin.state.add('customer', blankCustomer(twin.newId('cus'), twin.now()));
  customer.email = session.customer_email;
  twin.emit('customer.created', customer);
  return customer.id;
}

function saved(twin: Twin, method: Readonly<PaymentMethod>, customer: string): PaymentMethod {
  const draft = twin.state.edit('payment_method', method.id);
  if (draft.customer !== null && draft.customer !== customer)
    throw errors.invalid('The payment method belongs to another customer.', 'payment_method');
  if (draft.customer === null) {
    draft.customer = customer;
    twin.emit('payment_method.attached', draft);
  }
  return draft;
}

function sell(twin: Twin, session: Session, customerId: string, method: PaymentMethod): void {
  const content = twin.state.get('checkout_content', session.id);
  const customer = twin.state.get('customer', customerId);
  if (!content || !customer) throw new Error(`${session.id} has no content`);
  if (session.mode === 'setup') {
    const { metadata, description } = content.payment;
    const intent = newSetupIntent(twin, {
      customer: customerId,
      method: method.id,
      metadata: { ...metadata },
      description,
    });
    confirmSetup(twin, intent, method);
    session.setup_intent = intent.id;
    session.payment_status = 'no_payment_required';
    return;
  }
  if (session.mode === 'payment') {
    const intent = newIntent(twin, {
      amount: session.amount_total ?? 0,
      currency: session.currency ?? 'usd',
      customer: customerId,
      method: method.id,
      description: content.payment.description,
      metadata: { ...content.payment.metadata },
    });
    const attempt = attemptPayment(twin, intent, method, { absentHolder: true });
    if (attempt.kind === 'declined') throw attempt.error.withoutEffects();
    session.payment_intent = intent.id;
    session.payment_status = attempt.kind === 'processing' ? 'unpaid' : 'paid';
    return;
  }
  const items = content.lines.map((line) => {
    const price = twin.state.get('price', line.price);
    if (!price) throw errors.noSuchReference('price', line.price, 'line_items');
    return { price, quantity: line.quantity };
  });
  const { trialDays, trialEnd, metadata, description } = content.subscription;
  const subscription = createSubscription(twin, {
    customer,
    items,
    metadata: { ...metadata },
    description,
    defaultMethod: method.id,
    behaviour: 'error_if_incomplete',
    trialEnd: trialEnd ?? (trialDays > 0 ? twin.now() + trialDays * 86_400 : null),
  });
  session.subscription = subscription.id;
  session.invoice = subscription.latest_invoice;
  const waits = twin.state.get('invoice', subscription.latest_invoice ?? '')?.status === 'open';
  const free = session.amount_total === 0 || subscription.status === 'trialing';
  session.payment_status = free ? 'no_payment_required' : waits ? 'unpaid' : 'paid';
}

/** Pays an open session with a card. Throws 402 when the card is declined; then nothing is kept. */
export function completeSession(twin: Twin, id: string, methodId: string, email?: string): Session {
  const session = twin.state.edit('checkout.session', id);
  if (session.status !== 'open') throw errors.invalid(`This Checkout Session is ${session.status}.`);
  if (email !== undefined && session.customer === null) session.customer_email = email;
  const method = methodNamed(twin, methodId, 'payment_method');
  const customer = customerOf(twin, session);
  sell(twin, session, customer, saved(twin, method, customer));
  const holder = twin.state.get('customer', customer);
  Object.assign(session, {
    status: 'complete',
    customer: session.mode === 'payment' && session.customer_creation === 'if_required' ? session.customer : customer,
    url: null,
    customer_details: {
      address: holder?.address ?? null,
      business_name: null,
      email: holder?.email ?? session.customer_email,
      individual_name: null,
      name: holder?.name ?? null,
      phone: holder?.phone ?? null,
      tax_exempt: 'none',
      tax_ids: [],
    },
  });
  twin.emit('checkout.session.completed', session);
  return session;
}

/** Closes an open session. */
export function expireSession(twin: Twin, id: string): Session {
  const session = twin.state.edit('checkout.session', id);
  if (session.status !== 'open')
    throw errors.invalid(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
    );
  session.status = 'expired';
  session.url = null;
  twin.emit('checkout.session.expired', session);
  return session;
}

/** The address for a person who has finished or cancelled, with the session's id where the caller asked for it. */
export const returnUrl = (template: string, session: string): string =>
  template.replaceAll('{CHECKOUT_SESSION_ID}', session);
