/**
 * Payment intents: the invoices' own, and direct ones for a fixed amount. Confirming behaves as the test card says.
 */
import { confirmIntent } from '../billing/confirm';
import { newIntent } from '../billing/intents';
import { endpoint } from '../http/endpoint';
import { clone } from '../clone';
import { errors, ProviderError } from '../http/errors';
import {
  changedMetadata,
  currency,
  flag,
  hash,
  integer,
  list,
  metadata,
  notOffered,
  oneOf,
  only,
  required,
  text,
  unsettable,
  type Read,
} from '../http/params';
import type { PaymentIntent } from '../tables';
import type { Twin } from '../twin';
import { listEndpoint } from './listing';
import { customerNamed, found } from './lookup';
import { methodNamed } from './payment-methods';

const onlyCard = list(only(text(), (each) => each === 'card', 'other payment method types than card'));
const confirmParams = {
  payment_method: text(),
  return_url: text(2_000),
  off_session: flag,
  setup_future_usage: oneOf('off_session', 'on_session'),
  error_on_requires_action: flag,
  use_stripe_sdk: flag,
  payment_method_types: onlyCard,
  capture_method: only(text(), (each) => each === 'automatic' || each === 'automatic_async', 'manual capture'),
  payment_method_data: notOffered('inline payment method data; create a payment method'),
  mandate_data: notOffered('mandates'),
  mandate: notOffered('mandates'),
  receipt_email: unsettable(text(512)),
};
const changeParams = {
  amount: integer(1, 99_999_999),
  currency,
  customer: text(),
  description: unsettable(text(1_000)),
  metadata,
  payment_method: text(),
  setup_future_usage: confirmParams.setup_future_usage,
  receipt_email: confirmParams.receipt_email,
};
const createParams = {
  ...changeParams,
  ...confirmParams,
  amount: required(integer(1, 99_999_999)),
  currency: required(currency),
  confirm: flag,
  automatic_payment_methods: hash({
    enabled: required(flag),
    allow_redirects: oneOf('always', 'never'),
  }),
  confirmation_method: only(oneOf('automatic', 'manual'), (each) => each === 'automatic', 'manual confirmation'),
  transfer_data: notOffered('connected accounts'),
  application_fee_amount: notOffered('connected accounts'),
  on_behalf_of: notOffered('connected accounts'),
};

/** Contains the intent, like the provider's errors about intents. */
function stateError(intent: Readonly<PaymentIntent>, verb: string): Error {
  const { status, body } = errors.invalid(
    `You cannot ${verb} this PaymentIntent because it has a status of ${intent.status}.`,
    undefined,
    'payment_intent_unexpected_state',
  );
  return new ProviderError(status, { ...body, payment_intent: clone(intent) });
}

function confirm(twin: Twin, intent: PaymentIntent, given: Read<typeof confirmParams>): PaymentIntent {
  if (!['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(intent.status))
    throw stateError(intent, 'confirm');
  const chosen = given.payment_method ?? intent.payment_method;
  if (!chosen)
    throw errors.invalid(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
      undefined,
      'payment_intent_unexpected_state',
    );
  const method = methodNamed(twin, chosen, 'payment_method');
  if (method.customer !== null && intent.customer !== null && method.customer !== intent.customer)
    throw errors.invalid(
      'The PaymentMethod provided does not belong to the Customer of this PaymentIntent.',
      'payment_method',
    );
  if (given.setup_future_usage) intent.setup_future_usage = given.setup_future_usage;
  if (given.receipt_email !== undefined) intent.receipt_email = given.receipt_email;
  const attempt = confirmIntent(twin, intent, method, {
    returnUrl: given.return_url,
    absentHolder: given.off_session ?? given.error_on_requires_action,
  });
  if (attempt.kind === 'declined') throw attempt.error;
  if (attempt.kind === 'succeeded' && intent.setup_future_usage && intent.customer && method.customer === null) {
    const saved = twin.state.edit('payment_method', method.id);
    saved.customer = intent.customer;
    twin.emit('payment_method.attached', saved);
  }
  return intent;
}

export const paymentIntentEndpoints = [
  endpoint('POST', '/v1/payment_intents', createParams, (twin, given) => {
    if (given.amount < 50) throw errors.invalid('Amount must be at least $0.50 usd', 'amount', 'amount_too_small');
    if (given.customer !== undefined) customerNamed(twin, given.customer);
    const method =
      given.payment_method === undefined ? null : methodNamed(twin, given.payment_method, 'payment_method').id;
    const intent = newIntent(twin, {
      amount: given.amount,
      currency: given.currency,
      customer: given.customer ?? null,
      method,
      description: given.description ?? null,
      metadata: changedMetadata({}, given.metadata),
    });
    if (given.setup_future_usage) intent.setup_future_usage = given.setup_future_usage;
    intent.receipt_email = given.receipt_email ?? null;
    if (given.automatic_payment_methods)
      intent.automatic_payment_methods = {
        enabled: given.automatic_payment_methods.enabled,
        allow_redirects: given.automatic_payment_methods.allow_redirects ?? 'always',
      };
    return given.confirm ? confirm(twin, intent, { ...given, payment_method: method ?? undefined }) : intent;
  }),
  endpoint('GET', '/v1/payment_intents/:intent', { client_secret: text() }, (twin, _given, { intent }) =>
    found(twin, 'payment_intent', intent),
  ),
  endpoint('POST', '/v1/payment_intents/:intent', changeParams, (twin, given, { intent: id }) => {
    const before = found(twin, 'payment_intent', id);
    const intent = twin.state.edit('payment_intent', before.id);
    const { metadata: change, payment_method: method, ...plain } = given;
    if (['succeeded', 'canceled'].includes(intent.status) && (method !== undefined || plain.amount !== undefined))
      throw stateError(intent, 'update');
    if (plain.customer !== undefined) customerNamed(twin, plain.customer);
    Object.assign(intent, plain);
    intent.metadata = changedMetadata(intent.metadata, change);
    if (method !== undefined) {
      intent.payment_method = methodNamed(twin, method, 'payment_method').id;
      intent.status = 'requires_confirmation';
    }
    return intent;
  }),
  endpoint('POST', '/v1/payment_intents/:intent/confirm', confirmParams, (twin, given, { intent }) =>
    confirm(twin, twin.state.edit('payment_intent', found(twin, 'payment_intent', intent).id), given),
  ),
  endpoint(
    'POST',
    '/v1/payment_intents/:intent/cancel',
    { cancellation_reason: oneOf('abandoned', 'duplicate', 'fraudulent', 'requested_by_customer') },
    (twin, given, { intent: id }) => {
      const intent = twin.state.edit('payment_intent', found(twin, 'payment_intent', id).id);
      if (['succeeded', 'canceled'].includes(intent.status)) throw stateError(intent, 'cancel');
      if (twin.state.where('invoice_payment', 'intent', intent.id).some((each) => each.status === 'open'))
        throw errors.invalid(
          'You cannot cancel this PaymentIntent because it is attached to an invoice. Void the invoice instead.',
          undefined,
          'payment_intent_unexpected_state',
        );
      Object.assign(intent, {
        status: 'canceled',
        canceled_at: twin.now(),
        cancellation_reason: given.cancellation_reason ?? null,
        next_action: null,
      });
      twin.emit('payment_intent.canceled', intent);
      return intent;
    },
  ),
  listEndpoint('/v1/payment_intents', 'payment_intent', { customer: text() }),
  endpoint('GET', '/v1/charges/:charge', {}, (twin, _given, { charge }) => found(twin, 'charge', charge)),
  listEndpoint('/v1/charges', 'charge', { customer: text(), payment_intent: text() }),
];
