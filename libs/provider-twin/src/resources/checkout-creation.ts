/** Creates a checkout session from a request: what it sells, its expiry, and the content of its page. */
import { checkItems } from '../billing/items';
import { priceText } from '../billing/lines';
import { errors } from '../http/errors';
import { changedMetadata } from '../http/params';
import type { CheckoutContent, Session } from '../tables';
import type { Twin } from '../twin';
import type { Given } from './checkout-params';
import { customerNamed } from './lookup';
import { priceNamed } from './requested-price';

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

/** Fields that a new session does not have, and that the twin never fills. */
function unusedParts() {
  return {
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    automatic_tax: {
      enabled: false,
      liability: null,
      provider: null,
      status: null,
    },
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer_account: null,
    customer_details: null,
    discounts: [],
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    managed_payments: null,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_configuration_details: null,
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    subscription: null,
    wallet_options: null,
  } satisfies Partial<Session>;
}

function refuseContradictions(twin: Twin, given: Given): void {
  for (const [name, url] of [
    ['success_url', given.success_url],
    ['cancel_url', given.cancel_url],
  ] as const)
    if (url !== undefined && !URL.canParse(url.replaceAll(/[{}]/g, '')))
      throw errors.invalid('Not a valid URL', name, 'url_invalid');
  if (given.customer !== undefined && given.customer_email !== undefined)
    throw errors.invalid('You may only specify one of these parameters: customer, customer_email.', 'customer');
  if (given.customer !== undefined) customerNamed(twin, given.customer);
}

export function create(twin: Twin, given: Given): Session {
  if (given.success_url === undefined) throw errors.missing('success_url');
  refuseContradictions(twin, given);
  const id = twin.newId('cs_test');
  const content = twin.state.add('checkout_content', contentOf(twin, id, given));
  return twin.state.add('checkout.session', newSession(twin, given, given.success_url, content));
}

function newSession(twin: Twin, given: Given, successUrl: string, content: CheckoutContent): Session {
  const { id } = content;
  const trial = content.subscription.trialDays > 0 || content.subscription.trialEnd !== null;
  const sum = trial ? 0 : content.lines.reduce((cents, line) => cents + line.amount, 0);
  const priced = given.mode !== 'setup';
  return {
    id,
    object: 'checkout.session',
    ...unusedParts(),
    amount_subtotal: priced ? sum : null,
    amount_total: priced ? sum : null,
    billing_address_collection: given.billing_address_collection ?? null,
    cancel_url: given.cancel_url ?? null,
    client_reference_id: given.client_reference_id ?? null,
    created: twin.now(),
    currency: content.lines[0]?.currency ?? given.currency ?? null,
    customer: given.customer ?? null,
    customer_creation:
      given.mode === 'payment' ? (given.customer_creation ?? 'if_required') : given.customer ? null : 'always',
    customer_email: given.customer_email ?? null,
    expires_at: expiry(twin, given.expires_at),
    locale: given.locale ?? null,
    metadata: changedMetadata({}, given.metadata),
    mode: given.mode,
    payment_method_collection:
      given.mode === 'subscription' ? (given.payment_method_collection ?? 'always') : 'if_required',
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: priced && sum > 0 ? 'unpaid' : 'no_payment_required',
    status: 'open',
    submit_type: given.submit_type ?? null,
    success_url: successUrl,
    total_details: priced ? { amount_discount: 0, amount_shipping: 0, amount_tax: 0 } : null,
    ui_mode: 'hosted_page',
    url: `${twin.origin}/_twin/checkout/${id}`,
  };
}
