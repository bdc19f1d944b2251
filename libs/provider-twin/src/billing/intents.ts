/**
 * Payment intents: the state of one payment. Confirming runs the card's documented behaviour; a decline leaves the
 * intent open for another method, and authentication leaves it waiting for the holder.
 */
import { clone } from '../clone';
import { ProviderError } from '../http/errors';
import type { PaymentIntent, PaymentMethod } from '../tables';
import type { Twin } from '../twin';
import { isAnsweredLater } from './bank-accounts';
import { behaviourOf, declineMessage } from './cards';
import { newCharge, type Decline } from './charges';

export interface IntentFields {
  amount: number;
  currency: string;
  customer: string | null;
  method: string | null;
  description: string | null;
  metadata?: Record<string, string>;
}

export type Attempt =
  | { kind: 'succeeded' }
  /** A bank answers later. */
  | { kind: 'processing' }
  | { kind: 'requires_action' }
  | { kind: 'declined'; error: ProviderError };

/** Adds an intent that waits for a method or for confirmation. */
export function newIntent(twin: Twin, fields: IntentFields): PaymentIntent {
  const id = twin.newId('pi');
  const intent = twin.state.add('payment_intent', {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: fields.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: twin.newId(`${id}_secret`),
    confirmation_method: 'automatic',
    created: twin.now(),
    currency: fields.currency,
    customer: fields.customer,
    customer_account: null,
    description: fields.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: fields.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: fields.method,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: fields.method ? 'requires_confirmation' : 'requires_payment_method',
    transfer_group: null,
  });
  twin.emit('payment_intent.created', intent);
  return intent;
}

function decline(twin: Twin, intent: PaymentIntent, method: Readonly<PaymentMethod>, why: Decline): Attempt {
  const charge = newCharge(twin, intent, method, why);
  const body = {
    charge: charge.id,
    code: why.code,
    decline_code: why.declineCode,
    doc_url: `https://stripe.com/docs/error-codes/${why.code.replaceAll('_', '-')}`,
    message: declineMessage(why.declineCode),
    type: 'card_error' as const,
  };
  intent.latest_charge = charge.id;
  intent.payment_method = null;
  intent.next_action = null;
  intent.status = 'requires_payment_method';
  // The stored type allows every object of the SDK here; like the provider, the twin stores the method in it.
  intent.last_payment_error = {
    ...body,
    payment_method: clone(method) as NonNullable<PaymentIntent['last_payment_error']>['payment_method'],
  } as PaymentIntent['last_payment_error'];
  twin.emit('payment_intent.payment_failed', intent);
  return {
    kind: 'declined',
    error: new ProviderError(402, { ...body, payment_intent: clone(intent), payment_method: clone(method) }, true),
  };
}

function succeed(twin: Twin, intent: PaymentIntent, method: Readonly<PaymentMethod>): Attempt {
  const charge = newCharge(twin, intent, method);
  Object.assign(intent, {
    latest_charge: charge.id,
    last_payment_error: null,
    next_action: null,
    status: 'succeeded',
    amount_received: intent.amount,
  });
  twin.emit('payment_intent.succeeded', intent);
  return { kind: 'succeeded' };
}

function process(twin: Twin, intent: PaymentIntent): Attempt {
  intent.status = 'processing';
  intent.last_payment_error = null;
  twin.emit('payment_intent.processing', intent);
  return { kind: 'processing' };
}

function requireAuthentication(twin: Twin, intent: PaymentIntent, returnUrl: string | undefined): Attempt {
  const url = `${twin.origin}/_twin/authenticate/${intent.id}`;
  intent.status = 'requires_action';
  intent.next_action = returnUrl
    ? { redirect_to_url: { return_url: returnUrl, url }, type: 'redirect_to_url' }
    : {
        type: 'use_stripe_sdk',
        use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url, source: intent.id },
      };
  twin.emit('payment_intent.requires_action', intent);
  return { kind: 'requires_action' };
}

/** Whether a card was set up for payments without its holder. */
function isSetUp(twin: Twin, method: Readonly<PaymentMethod>): boolean {
  return twin.state.get('card_set_up', method.id) !== undefined;
}

/** Records that the holder authenticated a card for later payments. */
export function noteSetUp(twin: Twin, methodId: string): void {
  if (!twin.state.get('card_set_up', methodId)) twin.state.add('card_set_up', { id: methodId });
}

export interface AttemptOptions {
  returnUrl?: string | undefined;
  /** Authentication is impossible: a card that requires its holder is declined. */
  absentHolder?: boolean | undefined;
}

/** Tries to pay a draft intent with a method. Never throws for a card's result. */
export function attemptPayment(
  twin: Twin,
  intent: PaymentIntent,
  method: Readonly<PaymentMethod>,
  options: AttemptOptions = {},
): Attempt {
  intent.payment_method = method.id;
  if (isAnsweredLater(method)) return process(twin, intent);
  const behaviour = behaviourOf(method.card?.fingerprint);
  if (behaviour.kind === 'declines') return decline(twin, intent, method, behaviour);
  if (behaviour.kind === 'authenticates' && !(behaviour.unlessSetUp && isSetUp(twin, method))) {
    if (options.absentHolder)
      return decline(twin, intent, method, { code: 'authentication_required', declineCode: 'authentication_required' });
    return requireAuthentication(twin, intent, options.returnUrl);
  }
  return succeed(twin, intent, method);
}

/** Records the bank's answer to a payment that was processing. */
export function answerBank(twin: Twin, intent: PaymentIntent, method: Readonly<PaymentMethod>, paid: boolean): Attempt {
  if (paid) return succeed(twin, intent, method);
  return decline(twin, intent, method, {
    code: 'payment_intent_payment_attempt_failed',
    declineCode: 'insufficient_funds',
  });
}

/** The holder answered the authentication of a waiting draft intent. */
export function authenticate(
  twin: Twin,
  intent: PaymentIntent,
  method: Readonly<PaymentMethod>,
  accepted: boolean,
): Attempt {
  if (!accepted)
    return decline(twin, intent, method, {
      code: 'payment_intent_authentication_failure',
      declineCode: 'authentication_required',
    });
  const behaviour = behaviourOf(method.card?.fingerprint);
  if (behaviour.kind === 'authenticates' && behaviour.then === 'insufficient_funds')
    return decline(twin, intent, method, { code: 'card_declined', declineCode: 'insufficient_funds' });
  noteSetUp(twin, method.id);
  return succeed(twin, intent, method);
}
