/** Setup intents: save a card for later payments, with the holder's authentication where the card requires it. */
import { confirmSetup, newSetupIntent } from '../billing/setup';
import { endpoint } from '../http/endpoint';
import { errors } from '../http/errors';
import {
  changedMetadata,
  flag,
  hash,
  list,
  metadata,
  notOffered,
  oneOf,
  only,
  required,
  text,
  unsettable,
} from '../http/params';
import type { SetupIntent } from '../tables';
import type { Twin } from '../twin';
import { listEndpoint } from './listing';
import { customerNamed, found } from './lookup';
import { methodNamed } from './payment-methods';

const shared = { customer: text(), description: unsettable(text()), metadata, payment_method: text() };
const createParams = {
  ...shared,
  confirm: flag,
  return_url: text(2_000),
  usage: oneOf('off_session', 'on_session'),
  use_stripe_sdk: flag,
  payment_method_types: list(only(text(), (each) => each === 'card', 'other payment method types than card')),
  automatic_payment_methods: hash({ enabled: required(flag), allow_redirects: oneOf('always', 'never') }),
  mandate_data: notOffered('mandates'),
};

function confirm(
  twin: Twin,
  intent: SetupIntent,
  chosen: string | null | undefined,
  returnUrl: string | undefined,
): SetupIntent {
  if (['succeeded', 'canceled'].includes(intent.status))
    throw errors.invalid(
      `You cannot confirm this SetupIntent because it has already ${intent.status === 'succeeded' ? 'succeeded' : 'been canceled'}.`,
      undefined,
      'setup_intent_unexpected_state',
    );
  const method = chosen ?? intent.payment_method;
  if (!method)
    throw errors.invalid(
      "You cannot confirm this SetupIntent because it's missing a payment method.",
      undefined,
      'setup_intent_unexpected_state',
    );
  confirmSetup(twin, intent, methodNamed(twin, method, 'payment_method'), returnUrl);
  return intent;
}

export const setupIntentEndpoints = [
  endpoint('POST', '/v1/setup_intents', createParams, (twin, given) => {
    if (given.customer !== undefined) customerNamed(twin, given.customer);
    const method =
      given.payment_method === undefined ? null : methodNamed(twin, given.payment_method, 'payment_method').id;
    const intent = newSetupIntent(twin, {
      customer: given.customer ?? null,
      method,
      description: given.description ?? null,
      metadata: changedMetadata({}, given.metadata),
      usage: given.usage ?? 'off_session',
    });
    if (given.automatic_payment_methods)
      intent.automatic_payment_methods = {
        enabled: given.automatic_payment_methods.enabled,
        allow_redirects: given.automatic_payment_methods.allow_redirects ?? 'always',
      };
    return given.confirm ? confirm(twin, intent, method, given.return_url) : intent;
  }),
  endpoint('GET', '/v1/setup_intents/:intent', { client_secret: text() }, (twin, _given, { intent }) =>
    found(twin, 'setup_intent', intent),
  ),
  endpoint('POST', '/v1/setup_intents/:intent', shared, (twin, given, { intent: id }) => {
    const intent = twin.state.edit('setup_intent', found(twin, 'setup_intent', id).id);
    const { metadata: change, payment_method: method, ...plain } = given;
    if (plain.customer !== undefined) customerNamed(twin, plain.customer);
    Object.assign(intent, plain);
    intent.metadata = changedMetadata(intent.metadata, change);
    if (method !== undefined)
      Object.assign(intent, {
        payment_method: methodNamed(twin, method, 'payment_method').id,
        status: 'requires_confirmation',
      });
    return intent;
  }),
  endpoint(
    'POST',
    '/v1/setup_intents/:intent/confirm',
    {
      payment_method: text(),
      return_url: text(2_000),
      use_stripe_sdk: flag,
      mandate_data: notOffered('mandates'),
    },
    (twin, given, { intent }) =>
      confirm(
        twin,
        twin.state.edit('setup_intent', found(twin, 'setup_intent', intent).id),
        given.payment_method,
        given.return_url,
      ),
  ),
  endpoint(
    'POST',
    '/v1/setup_intents/:intent/cancel',
    { cancellation_reason: oneOf('abandoned', 'duplicate', 'requested_by_customer') },
    (twin, given, { intent: id }) => {
      const intent = twin.state.edit('setup_intent', found(twin, 'setup_intent', id).id);
      if (['succeeded', 'canceled'].includes(intent.status))
        throw errors.invalid(
          `You cannot cancel this SetupIntent because it has a status of ${intent.status}.`,
          undefined,
          'setup_intent_unexpected_state',
        );
      Object.assign(intent, {
        status: 'canceled',
        cancellation_reason: given.cancellation_reason ?? null,
        next_action: null,
      });
      twin.emit('setup_intent.canceled', intent);
      return intent;
    },
  ),
  listEndpoint('/v1/setup_intents', 'setup_intent', { customer: text(), payment_method: text() }),
];
