/**
 * Setup intents: the holder's consent to charge a card later. Success attaches the card, records the authentication and
 * gives the card to the subscription that waits for it.
 */
import { clone } from '../clone';
import { errors, ProviderError } from '../http/errors';
import type { PaymentMethod, SetupIntent } from '../tables';
import type { Twin } from '../twin';
import { behaviourOf, declineMessage } from './cards';
import { noteSetUp } from './intents';

export interface SetupFields {
  customer: string | null;
  method: string | null;
  description?: string | null;
  metadata?: Record<string, string>;
  usage?: string;
}

/** Adds a setup intent that waits for a method or for confirmation. */
export function newSetupIntent(twin: Twin, fields: SetupFields): SetupIntent {
  const id = twin.newId('seti');
  const intent = twin.state.add('setup_intent', {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: twin.newId(`${id}_secret`),
    created: twin.now(),
    customer: fields.customer,
    customer_account: null,
    description: fields.description ?? null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: fields.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: fields.method,
    payment_method_configuration_details: null,
    payment_method_options: { card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: fields.method ? 'requires_confirmation' : 'requires_payment_method',
    usage: fields.usage ?? 'off_session',
  });
  twin.emit('setup_intent.created', intent);
  return intent;
}

function declineSetup(
  twin: Twin,
  intent: SetupIntent,
  method: Readonly<PaymentMethod>,
  code: string,
  declineCode: string,
): ProviderError {
  const body = {
    code,
    decline_code: declineCode,
    doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`,
    message: declineMessage(declineCode),
    type: 'card_error' as const,
  };
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.next_action = null;
  intent.last_setup_error = {
    ...body,
    payment_method: clone(method) as NonNullable<SetupIntent['last_setup_error']>['payment_method'],
  } as SetupIntent['last_setup_error'];
  twin.emit('setup_intent.setup_failed', intent);
  return new ProviderError(402, { ...body, setup_intent: clone(intent), payment_method: clone(method) }, true);
}

function succeed(twin: Twin, intent: SetupIntent, method: Readonly<PaymentMethod>): void {
  Object.assign(intent, { status: 'succeeded', next_action: null, last_setup_error: null });
  noteSetUp(twin, method.id);
  if (intent.customer && method.customer === null) {
    const saved = twin.state.edit('payment_method', method.id);
    saved.customer = intent.customer;
    twin.emit('payment_method.attached', saved);
  }
  twin.emit('setup_intent.succeeded', intent);
  for (const each of intent.customer ? twin.state.where('subscription', 'customer', intent.customer) : []) {
    if (each.pending_setup_intent !== intent.id) continue;
    const before = clone(each);
    const subscription = twin.state.edit('subscription', each.id);
    Object.assign(subscription, { pending_setup_intent: null, default_payment_method: method.id });
    twin.emit('customer.subscription.updated', subscription, before);
  }
}

/** Confirms a draft setup intent with a method. Throws 402 when the issuer refuses the card. */
export function confirmSetup(
  twin: Twin,
  intent: SetupIntent,
  method: Readonly<PaymentMethod>,
  returnUrl?: string,
): void {
  intent.payment_method = method.id;
  const behaviour = behaviourOf(method.card?.fingerprint);
  if (behaviour.kind === 'declines' && behaviour.whenAttached)
    throw declineSetup(twin, intent, method, behaviour.code, behaviour.declineCode);
  if (behaviour.kind !== 'authenticates') return succeed(twin, intent, method);
  const url = `${twin.origin}/_twin/authenticate/${intent.id}`;
  intent.status = 'requires_action';
  intent.next_action = returnUrl
    ? { redirect_to_url: { return_url: returnUrl, url }, type: 'redirect_to_url' }
    : {
        type: 'use_stripe_sdk',
        use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url, source: intent.id },
      };
  twin.emit('setup_intent.requires_action', intent);
}

/** The holder accepted or refused the authentication of a waiting setup intent. */
export function answerSetupAuthentication(twin: Twin, id: string, accepted: boolean): SetupIntent {
  const intent = twin.state.edit('setup_intent', id);
  const method = twin.state.get('payment_method', String(intent.payment_method));
  if (intent.status !== 'requires_action' || !method)
    throw errors.invalid(
      `This SetupIntent's status is ${intent.status}; nothing waits for authentication.`,
      undefined,
      'setup_intent_unexpected_state',
    );
  if (accepted) succeed(twin, intent, method);
  else declineSetup(twin, intent, method, 'setup_intent_authentication_failure', 'authentication_required');
  return intent;
}
