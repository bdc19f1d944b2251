// Checkout sessions: create, read, expire. The page on which a person pays is served by the twin itself.
import { checkoutLines } from '../billing/checkout-lines';
import { expireSession } from '../billing/checkout';
import { priceText } from '../billing/lines';
import { checkItems } from '../billing/subscriptions';
import { endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
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
  timestamp,
  type Read,
} from '../http/params';
import type { CheckoutContent, Session } from '../tables';
import type { Twin } from '../twin';
import { listEndpoint } from './listing';
import { customerNamed, found } from './lookup';
import { inlinePriceParam } from './products';
import { priceNamed } from './subscriptions';

const noTax = notOffered('tax');
const locales = [
  'auto',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'en-GB',
  'es',
  'es-419',
  'et',
  'fi',
  'fil',
  'fr',
  'fr-CA',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'ms',
  'mt',
  'nb',
  'nl',
  'pl',
  'pt',
  'pt-BR',
  'ro',
  'ru',
  'sk',
  'sl',
  'sv',
  'th',
  'tr',
  'vi',
  'zh',
  'zh-HK',
  'zh-TW',
] as const;
const createParams = {
  mode: required(oneOf('payment', 'setup', 'subscription')),
  customer: text(),
  customer_email: text(512),
  customer_creation: oneOf('always', 'if_required'),
  line_items: list(
    hash({
      price: text(),
      price_data: inlinePriceParam,
      quantity: integer(1, 1_000_000),
      tax_rates: noTax,
      dynamic_tax_rates: noTax,
      adjustable_quantity: notOffered('adjustable quantities'),
    }),
    100,
  ),
  success_url: text(5_000),
  cancel_url: text(5_000),
  client_reference_id: text(200),
  currency,
  expires_at: timestamp,
  metadata,
  locale: oneOf(...locales),
  payment_method_types: list(only(text(), (each) => each === 'card', 'other payment method types than card')),
  payment_method_collection: oneOf('always', 'if_required'),
  ui_mode: only(
    oneOf('hosted_page', 'embedded_page', 'elements', 'form'),
    (each) => each === 'hosted_page',
    'other pages than the hosted one',
  ),
  billing_address_collection: oneOf('auto', 'required'),
  submit_type: oneOf('auto', 'book', 'donate', 'pay', 'subscribe'),
  allow_promotion_codes: only(flag, (each) => !each, 'promotion codes'),
  discounts: notOffered('coupons and discounts'),
  automatic_tax: hash({ enabled: required(only(flag, (each) => !each, 'tax')) }),
  tax_id_collection: hash({ enabled: required(only(flag, (each) => !each, 'tax')) }),
  subscription_data: hash({
    metadata,
    description: text(500),
    trial_period_days: integer(1, 730),
    trial_end: timestamp,
    default_tax_rates: noTax,
    trial_settings: hash({
      end_behavior: required(hash({ missing_payment_method: required(oneOf('cancel', 'create_invoice', 'pause')) })),
    }),
  }),
  payment_intent_data: hash({
    metadata,
    description: text(1_000),
    setup_future_usage: notOffered('the choice; a card that pays is always saved'),
  }),
  setup_intent_data: hash({ metadata, description: text(1_000) }),
};
type Given = Read<typeof createParams>;

function contentOf(twin: Twin, id: string, given: Given): CheckoutContent {
  const chosen = (given.line_items ?? []).map((each, at) => {
    const price = priceNamed(twin, each, `line_items[${at}]`);
    if (!price) throw errors.missing(`line_items[${at}][price]`);
    const quantity = each.quantity ?? 1;
    return {
      price,
      quantity,
      line: {
        id: twin.newId('li'),
        price: price.id,
        quantity,
        amount: (price.unit_amount ?? 0) * quantity,
        currency: price.currency,
        description: twin.state.get('product', price.product)?.name ?? priceText(twin, price, quantity),
      },
    };
  });
  if (given.mode !== 'setup' && chosen.length === 0) throw errors.missing('line_items');
  if (given.mode === 'subscription') checkItems(chosen.map((each) => each.price));
  if (given.mode === 'payment' && chosen.some((each) => each.price.recurring))
    throw errors.invalid(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      'mode',
    );
  if (given.mode !== 'subscription' && given.subscription_data)
    throw errors.invalid('You can not pass `subscription_data` in `payment` mode.', 'subscription_data');
  const subscription = given.subscription_data;
  const payment = given.mode === 'setup' ? given.setup_intent_data : given.payment_intent_data;
  return {
    id,
    lines: chosen.map((each) => each.line),
    subscription: {
      metadata: changedMetadata({}, subscription?.metadata),
      description: subscription?.description ?? null,
      trialDays: subscription?.trial_period_days ?? 0,
      trialEnd: subscription?.trial_end ?? null,
    },
    payment: { metadata: changedMetadata({}, payment?.metadata), description: payment?.description ?? null },
  };
}

function expiry(twin: Twin, at: number | undefined): number {
  if (at === undefined) return twin.now() + 86_400;
  if (at < twin.now() + 1_800 || at > twin.now() + 86_400)
    throw errors.invalid(
      'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.',
      'expires_at',
    );
  return at;
}

function create(twin: Twin, given: Given): Session {
  if (given.success_url === undefined) throw errors.missing('success_url');
  for (const [name, url] of [
    ['success_url', given.success_url],
    ['cancel_url', given.cancel_url],
  ] as const)
    if (url !== undefined && !URL.canParse(url.replaceAll(/[{}]/g, '')))
      throw errors.invalid('Not a valid URL', name, 'url_invalid');
  if (given.customer !== undefined && given.customer_email !== undefined)
    throw errors.invalid('You may only specify one of these parameters: customer, customer_email.', 'customer');
  if (given.customer !== undefined) customerNamed(twin, given.customer);
  const id = twin.newId('cs_test');
  const content = twin.state.add('checkout_content', contentOf(twin, id, given));
  const trial = content.subscription.trialDays > 0 || content.subscription.trialEnd !== null;
  const sum = trial ? 0 : content.lines.reduce((cents, line) => cents + line.amount, 0);
  const priced = given.mode !== 'setup';
  return twin.state.add('checkout.session', {
    id,
    object: 'checkout.session',
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: priced ? sum : null,
    amount_total: priced ? sum : null,
    automatic_tax: {
      enabled: false,
      liability: null,
      provider: null,
      status: null,
    },
    billing_address_collection: given.billing_address_collection ?? null,
    cancel_url: given.cancel_url ?? null,
    client_reference_id: given.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: twin.now(),
    currency: content.lines[0]?.currency ?? given.currency ?? null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: given.customer ?? null,
    customer_account: null,
    customer_creation:
      given.mode === 'payment' ? (given.customer_creation ?? 'if_required') : given.customer ? null : 'always',
    customer_details: null,
    customer_email: given.customer_email ?? null,
    discounts: [],
    expires_at: expiry(twin, given.expires_at),
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: given.locale ?? null,
    managed_payments: null,
    metadata: changedMetadata({}, given.metadata),
    mode: given.mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection:
      given.mode === 'subscription' ? (given.payment_method_collection ?? 'always') : 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: priced && sum > 0 ? 'unpaid' : 'no_payment_required',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: given.submit_type ?? null,
    subscription: null,
    success_url: given.success_url,
    total_details: priced ? { amount_discount: 0, amount_shipping: 0, amount_tax: 0 } : null,
    ui_mode: 'hosted_page',
    url: `${twin.origin}/_twin/checkout/${id}`,
    wallet_options: null,
  });
}

export const checkoutSessionEndpoints = [
  endpoint('POST', '/v1/checkout/sessions', createParams, create),
  endpoint('GET', '/v1/checkout/sessions/:session', {}, (twin, _given, { session }) =>
    found(twin, 'checkout.session', session),
  ),
  endpoint('POST', '/v1/checkout/sessions/:session', { metadata }, (twin, given, { session: id }) => {
    const session = twin.state.edit('checkout.session', found(twin, 'checkout.session', id).id);
    session.metadata = changedMetadata(session.metadata, given.metadata);
    return session;
  }),
  endpoint('POST', '/v1/checkout/sessions/:session/expire', {}, (twin, _given, { session }) =>
    expireSession(twin, found(twin, 'checkout.session', session).id),
  ),
  endpoint('GET', '/v1/checkout/sessions/:session/line_items', page, (twin, given, { session }) =>
    pageOf(
      checkoutLines(twin.state, found(twin, 'checkout.session', session).id),
      given,
      `/v1/checkout/sessions/${session}/line_items`,
      'item',
    ),
  ),
  listEndpoint('/v1/checkout/sessions', 'checkout.session', {
    customer: text(),
    subscription: text(),
    payment_intent: text(),
    status: oneOf('open', 'complete', 'expired'),
  }),
];
