/**
 * Payment methods: cards by documented test name, by token or by number. As at the provider, attaching runs the
 * issuer's check, so cards that always decline are refused then; a method belongs to at most one customer.
 */
import { methodTypes } from './method-types';
import { bankAccountFields, isBankAccountName } from '../billing/bank-accounts';
import {
  behaviourOf,
  cardNamed,
  cardNumbered,
  declineMessage,
  fingerprintOf,
  testCards,
  type TestCard,
} from '../billing/cards';
import { endpoint, page } from '../http/endpoint';
import { errors, ProviderError } from '../http/errors';
import { listOf, pageOf } from '../http/pagination';
import {
  changedMetadata,
  hash,
  integer,
  metadata,
  oneOf,
  only,
  required,
  text,
  unsettable,
  type Read,
} from '../http/params';
import type { PaymentMethod } from '../tables';
import type { Twin } from '../twin';
import { customerNamed, found, newestFirst } from './lookup';

const address = hash({
  city: unsettable(text()),
  country: unsettable(text(2)),
  line1: unsettable(text()),
  line2: unsettable(text()),
  postal_code: unsettable(text()),
  state: unsettable(text()),
});
const billingDetails = hash({
  address: unsettable(address),
  email: unsettable(text(512)),
  name: unsettable(text()),
  phone: unsettable(text()),
});
const allowRedisplay = oneOf('always', 'limited', 'unspecified');
const cardParam = hash({
  number: text(30),
  exp_month: integer(1, 12),
  exp_year: integer(),
  cvc: text(4),
  token: text(),
});

interface CardFields {
  expMonth: number;
  expYear: number;
}

/** A stored card method. */
function newMethod(id: string, card: TestCard, at: number, fields: CardFields): PaymentMethod {
  return {
    id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: { city: null, country: null, line1: null, line2: null, postal_code: null, state: null },
      email: null,
      name: null,
      phone: null,
      tax_id: null,
    },
    card: {
      brand: card.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'unchecked' },
      country: 'US',
      display_brand: card.brand,
      exp_month: fields.expMonth,
      exp_year: fields.expYear,
      fingerprint: fingerprintOf(card.number),
      funding: card.funding,
      generated_from: null,
      last4: card.number.slice(-4),
      networks: { available: [card.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: at,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
}

function yearOf(seconds: number): number {
  return new Date(seconds * 1000).getUTCFullYear();
}

/** Fills the fields that methods of every type have. */
const anyCard: TestCard = testCards[0]!;

/** The method that a parameter names; a documented test name creates a new one. Throws 400 when there is none. */
export function methodNamed(twin: Twin, id: string, param: string): Readonly<PaymentMethod> {
  const stored = twin.state.get('payment_method', id);
  if (stored) return stored;
  const bank = isBankAccountName(id);
  const card = bank ? anyCard : cardNamed(id);
  if (!card) throw errors.noSuchReference('PaymentMethod', id, param);
  const fields = { expMonth: 8, expYear: yearOf(twin.now()) + 1 };
  const { card: details, ...method } = newMethod(twin.newId('pm'), card, twin.now(), fields);
  return twin.state.add('payment_method', {
    ...method,
    ...(bank ? bankAccountFields(id) : details && { card: details }),
  });
}

/** A method of this customer. Throws 400 when it belongs to another customer or to none. */
export function ownMethod(twin: Twin, customer: string, id: string, param: string): Readonly<PaymentMethod> {
  const method = twin.state.get('payment_method', id);
  if (!method) throw errors.noSuchReference('PaymentMethod', id, param);
  if (method.customer !== customer)
    throw errors.invalid(
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      param,
      'resource_missing',
    );
  return method;
}

function issuerRefusal(method: Readonly<PaymentMethod>): ProviderError | undefined {
  const behaviour = behaviourOf(method.card?.fingerprint);
  if (behaviour.kind !== 'declines' || !behaviour.whenAttached) return undefined;
  const { code, declineCode } = behaviour;
  return new ProviderError(402, {
    code,
    decline_code: declineCode,
    doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`,
    message: declineMessage(declineCode),
    type: 'card_error',
    ...(code === 'incorrect_cvc' ? { param: 'cvc' } : {}),
  });
}

/** Detaches a draft method from its customer permanently. */
export function forgetOwner(twin: Twin, method: PaymentMethod): void {
  method.customer = null;
  if (!twin.state.get('detached_method', method.id)) twin.state.add('detached_method', { id: method.id });
}

/** Attaches a method to a customer. Throws 402 when the issuer refuses the card, 400 when it has another owner. */
export function attach(twin: Twin, id: string, customerId: string): PaymentMethod {
  const customer = customerNamed(twin, customerId);
  const method = methodNamed(twin, id, 'payment_method');
  if (method.customer !== null && method.customer !== customer.id)
    throw errors.invalid('The payment method you provided has already been attached to a customer.', 'payment_method');
  if (twin.state.get('detached_method', method.id))
    throw errors.invalid(
      'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.',
      'payment_method',
    );
  const refusal = issuerRefusal(method);
  if (refusal) throw refusal;
  const draft = twin.state.edit('payment_method', method.id);
  if (draft.customer === customer.id) return draft;
  draft.customer = customer.id;
  if (draft.card?.checks) draft.card.checks.cvc_check = 'pass';
  twin.emit('payment_method.attached', draft);
  return draft;
}

function cardOf(given: Read<typeof create>['card']): TestCard {
  if (!given) throw errors.missing('card');
  if (given.token !== undefined) {
    const card = cardNamed(given.token);
    if (!card) throw errors.noSuchReference('token', given.token, 'card[token]');
    return card;
  }
  if (given.number === undefined) throw errors.missing('card[number]');
  const card = cardNumbered(given.number);
  if (!card)
    throw new ProviderError(402, {
      code: 'incorrect_number',
      doc_url: 'https://stripe.com/docs/error-codes/incorrect-number',
      message: 'Your card number is incorrect.',
      param: 'number',
      type: 'card_error',
    });
  return card;
}

function setDetails(method: PaymentMethod, given: Read<typeof update>): void {
  const { billing_details: details, metadata: change, allow_redisplay: redisplay, card } = given;
  if (details) {
    const { address: place, ...plain } = details;
    Object.assign(method.billing_details, plain);
    if (place) Object.assign(method.billing_details.address ?? {}, place);
  }
  if (redisplay) method.allow_redisplay = redisplay;
  if (method.card && card?.exp_month) method.card.exp_month = card.exp_month;
  if (method.card && card?.exp_year) method.card.exp_year = card.exp_year;
  method.metadata = changedMetadata(method.metadata, change);
}

const create = {
  type: only(text(), (each) => each === 'card', 'other payment method types than card'),
  card: cardParam,
  billing_details: billingDetails,
  metadata,
  allow_redisplay: allowRedisplay,
};
const update = {
  billing_details: billingDetails,
  metadata,
  allow_redisplay: allowRedisplay,
  card: hash({ exp_month: integer(1, 12), exp_year: integer() }),
};

export const paymentMethodEndpoints = [
  endpoint('POST', '/v1/payment_methods', create, (twin, given) => {
    if (given.type === undefined) throw errors.missing('type');
    const card = cardOf(given.card);
    const expYear = given.card?.exp_year ?? yearOf(twin.now()) + 1;
    const expMonth = given.card?.exp_month ?? 8;
    const past = Date.UTC(expYear < 100 ? 2000 + expYear : expYear, expMonth) / 1000 <= twin.now();
    if (past)
      throw new ProviderError(402, {
        code: 'invalid_expiry_year',
        doc_url: 'https://stripe.com/docs/error-codes/invalid-expiry-year',
        message: "Your card's expiration year is invalid.",
        param: 'exp_year',
        type: 'card_error',
      });
    const method = twin.state.add(
      'payment_method',
      newMethod(twin.newId('pm'), card, twin.now(), {
        expMonth,
        expYear: expYear < 100 ? 2000 + expYear : expYear,
      }),
    );
    const { card: _card, type: _type, ...details } = given;
    setDetails(method, details);
    return method;
  }),
  endpoint('GET', '/v1/payment_methods/:method', {}, (twin, _given, { method: id = '' }) =>
    cardNamed(id) ? methodNamed(twin, id, 'payment_method') : found(twin, 'payment_method', id),
  ),
  endpoint('POST', '/v1/payment_methods/:method', update, (twin, given, { method: id }) => {
    const before = found(twin, 'payment_method', id);
    if (before.customer === null)
      throw errors.invalid('You must save this PaymentMethod to a customer before you can update it.');
    const method = twin.state.edit('payment_method', before.id);
    setDetails(method, given);
    twin.emit('payment_method.updated', method, before);
    return method;
  }),
  endpoint(
    'POST',
    '/v1/payment_methods/:method/attach',
    { customer: required(text()) },
    (twin, given, { method = '' }) => {
      if (!twin.state.get('payment_method', method) && !cardNamed(method)) throw errors.noSuch('PaymentMethod', method);
      return attach(twin, method, given.customer);
    },
  ),
  endpoint('POST', '/v1/payment_methods/:method/detach', {}, (twin, _given, { method: id }) => {
    const before = found(twin, 'payment_method', id);
    if (before.customer === null)
      throw errors.invalid(
        'The payment method you provided is not attached to a customer so detachment is impossible.',
      );
    const method = twin.state.edit('payment_method', before.id);
    forgetOwner(twin, method);
    const owner = twin.state.get('customer', before.customer);
    if (owner?.invoice_settings.default_payment_method === method.id)
      twin.state.edit('customer', owner.id).invoice_settings.default_payment_method = null;
    twin.emit('payment_method.detached', method, before);
    return method;
  }),
  endpoint('GET', '/v1/payment_methods', { ...page, customer: text(), type: oneOf(...methodTypes) }, (twin, given) => {
    // The twin stores only cards, so a list of any other type is empty.
    if (given.customer === undefined || (given.type ?? 'card') !== 'card') return listOf([], '/v1/payment_methods');
    return pageOf(
      newestFirst(twin, 'payment_method', (each) => each.customer === given.customer),
      given,
      '/v1/payment_methods',
      'PaymentMethod',
    );
  }),
];
