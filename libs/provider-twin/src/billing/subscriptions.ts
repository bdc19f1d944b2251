// How a subscription begins and renews: its items, its periods and the invoices that they cause.
import { clone } from '../clone';
import { errors } from '../http/errors';
import { listOf } from '../http/pagination';
import type { Customer, Invoice, Plan, Price, Subscription, SubscriptionItem } from '../tables';
import type { Twin } from '../twin';
import { collect, defaultMethodOf, draftInvoice, finalise, pendingItems, type InvoiceFields } from './invoices';
import { periodCharge, subscriptionLine } from './lines';
import { periodAround } from './periods';
import { prorated } from './proration';
import { newSetupIntent } from './setup';

export interface ItemFields {
  price: Readonly<Price>;
  quantity: number;
  metadata?: Record<string, string>;
}

export type PaymentBehaviour =
  'allow_incomplete' | 'default_incomplete' | 'error_if_incomplete' | 'pending_if_incomplete';

export interface SubscriptionFields {
  id?: string;
  customer: Readonly<Customer>;
  items: ItemFields[];
  metadata?: Record<string, string>;
  defaultMethod?: string | null;
  behaviour?: PaymentBehaviour;
  collectionMethod?: 'charge_automatically' | 'send_invoice';
  daysUntilDue?: number | null;
  trialEnd?: number | null;
  anchor?: number;
  prorate?: boolean;
  cancelAt?: number | 'period_end' | null;
  cancelAtPeriodEnd?: boolean;
  description?: string | null;
  missingMethod?: 'cancel' | 'create_invoice' | 'pause';
  saveMethod?: 'off' | 'on_subscription';
  /** The first invoice stays a draft for an hour, as when a schedule and not a request begins the subscription. */
  deferred?: boolean;
}

/** The older shape of a recurring price, which items still carry. */
export function planOf(price: Readonly<Price>): Plan {
  const every = price.recurring;
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: every?.interval ?? 'month',
    interval_count: every?.interval_count ?? 1,
    livemode: false,
    metadata: { ...price.metadata },
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: every?.trial_period_days ?? null,
    usage_type: 'licensed',
  };
}

/** An item of a subscription for the given period; it is not added anywhere yet. */
export function newItem(
  twin: Twin,
  subscription: string,
  fields: ItemFields,
  period: { start: number; end: number },
): SubscriptionItem {
  return {
    id: twin.newId('si'),
    object: 'subscription_item',
    billing_thresholds: null,
    created: twin.now(),
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata: fields.metadata ?? {},
    plan: planOf(fields.price),
    price: clone(fields.price) as Price,
    quantity: fields.quantity,
    subscription,
    tax_rates: [],
  };
}

/** Refuses what one subscription cannot hold: no items, one-time prices, mixed currencies or periods. */
export function checkItems(prices: Readonly<Price>[]): Readonly<Price> {
  const [first] = prices;
  if (!first) throw errors.missing('items');
  prices.forEach((price, at) => {
    const param = `items[${at}][price]`;
    if (!price.recurring)
      throw errors.invalid(
        `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
        param,
      );
    if (price.currency !== first.currency)
      throw errors.invalid('All prices on a subscription must use the same currency.', param);
    if (
      price.recurring.interval !== first.recurring?.interval ||
      price.recurring.interval_count !== first.recurring.interval_count
    )
      throw errors.notOffered('prices with different billing periods on one subscription', param);
  });
  return first;
}

/** The recurrence that all items share. */
export function everyOf(subscription: Readonly<Subscription>): { interval: string; interval_count: number } {
  const every = subscription.items.data[0]?.price.recurring;
  if (!every) throw new Error(`${subscription.id} has no recurring item`);
  return every;
}

/** The current period, which all items share. */
export function currentPeriod(subscription: Readonly<Subscription>): { start: number; end: number } {
  const item = subscription.items.data[0];
  if (!item) throw new Error(`${subscription.id} has no item`);
  return { start: item.current_period_start, end: item.current_period_end };
}

/** Gives all items of a draft subscription the same period. */
export function setPeriod(subscription: Subscription, period: { start: number; end: number }): void {
  for (const item of subscription.items.data)
    Object.assign(item, { current_period_start: period.start, current_period_end: period.end });
}

function blankSubscription(
  twin: Twin,
  id: string,
  fields: SubscriptionFields,
  currency: string,
  period: { start: number; end: number },
  anchor: number,
): Subscription {
  const now = twin.now();
  const trialEnd = fields.trialEnd ?? null;
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: anchor,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: fields.cancelAtPeriodEnd || fields.cancelAt === 'period_end' ? period.end : (fields.cancelAt ?? null),
    cancel_at_period_end: fields.cancelAtPeriodEnd ?? false,
    canceled_at: fields.cancelAtPeriodEnd || fields.cancelAt ? now : null,
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      reason: fields.cancelAtPeriodEnd || fields.cancelAt ? 'cancellation_requested' : null,
    },
    collection_method: fields.collectionMethod ?? 'charge_automatically',
    created: now,
    currency,
    customer: fields.customer.id,
    customer_account: null,
    days_until_due: fields.daysUntilDue ?? null,
    default_payment_method: fields.defaultMethod ?? null,
    default_source: null,
    default_tax_rates: [],
    description: fields.description ?? null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: listOf(
      fields.items.map((each) => newItem(twin, id, each, period)),
      `/v1/subscription_items?subscription=${id}`,
    ),
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: fields.metadata ?? {},
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: fields.saveMethod ?? 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: trialEnd ? 'trialing' : 'active',
    test_clock: null,
    transfer_data: null,
    trial_end: trialEnd,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: fields.missingMethod ?? 'create_invoice' },
    },
    trial_start: trialEnd ? now : null,
  };
}

/** The fields that all invoices of a subscription share. */
export function invoiceFields(
  twin: Twin,
  subscription: Readonly<Subscription>,
  reason: InvoiceFields['reason'],
  period: { start: number; end: number },
): InvoiceFields {
  const customer = twin.state.get('customer', subscription.customer);
  if (!customer) throw new Error(`${subscription.id} has no customer`);
  return {
    customer,
    currency: subscription.currency,
    reason,
    period,
    subscription,
    defaultMethod: null,
    collectionMethod: subscription.collection_method,
    daysUntilDue: subscription.days_until_due,
  };
}

/** The invoice of one period for all items; a share of it when `from` lies inside the period. */
export function periodInvoice(
  twin: Twin,
  subscription: Readonly<Subscription>,
  reason: InvoiceFields['reason'],
  charge: { start: number; end: number },
  options: {
    free?: boolean;
    shareOf?: { start: number; end: number };
    invoicePeriod?: { start: number; end: number };
  } = {},
): Invoice {
  const fields = invoiceFields(
    twin,
    subscription,
    reason,
    options.invoicePeriod ?? { start: twin.now(), end: twin.now() },
  );
  return draftInvoice(
    twin,
    fields,
    (invoice) =>
      subscription.items.data.map((item) => {
        const charged = periodCharge(twin, item, charge, options.free);
        const amount = options.shareOf ? prorated(charged.amount, options.shareOf, charge.start) : charged.amount;
        return subscriptionLine(twin, invoice, { ...charged, amount });
      }),
    pendingItems(twin, subscription.customer, subscription.id),
  );
}

function collectFirst(twin: Twin, invoice: Invoice, behaviour: PaymentBehaviour): void {
  if (!defaultMethodOf(twin, invoice))
    throw errors.invalid(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      undefined,
      'resource_missing',
    );
  const attempt = collect(twin, invoice);
  if (attempt.kind === 'succeeded') return;
  if (behaviour === 'error_if_incomplete')
    throw attempt.kind === 'declined' ? attempt.error.withoutEffects() : errors.authenticationNeeded(false);
}

interface FirstPeriods {
  anchor: number;
  period: { start: number; end: number };
  share: { start: number; end: number } | undefined;
}

function firstPeriods(fields: SubscriptionFields, price: Readonly<Price>, now: number): FirstPeriods {
  const every = price.recurring;
  if (!every) throw errors.missing('items');
  const anchor = fields.anchor ?? fields.trialEnd ?? now;
  if (fields.trialEnd) return { anchor, period: { start: now, end: fields.trialEnd }, share: undefined };
  const whole = periodAround(anchor, every, now);
  if (whole.start === now) return { anchor, period: whole, share: undefined };
  return { anchor, period: { start: now, end: whole.end }, share: whole };
}

function firstInvoice(
  twin: Twin,
  subscription: Subscription,
  first: SubscriptionFields & Pick<FirstPeriods, 'period' | 'share'>,
): Invoice {
  const invoice = periodInvoice(twin, subscription, 'subscription_create', first.period, {
    free: Boolean(first.trialEnd),
    ...(first.share ? { shareOf: first.share } : {}),
  });
  subscription.latest_invoice = invoice.id;
  if (!first.deferred && (subscription.collection_method === 'charge_automatically' || invoice.total === 0))
    finalise(twin, invoice);
  else invoice.automatically_finalizes_at = twin.now() + 3600;
  return invoice;
}

const payable = (twin: Twin, subscription: Readonly<Subscription>): boolean =>
  Boolean(
    subscription.default_payment_method ??
    twin.state.get('customer', subscription.customer)?.invoice_settings.default_payment_method,
  );

/** Starts a subscription and its first invoice. Throws the provider's refusals; nothing is kept when it throws. */
export function createSubscription(twin: Twin, fields: SubscriptionFields): Subscription {
  const price = checkItems(fields.items.map((each) => each.price));
  const { customer } = fields;
  if (customer.currency && customer.currency !== price.currency)
    throw errors.invalid(
      `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${customer.currency}`,
    );
  const now = twin.now();
  const { anchor, period, share } = firstPeriods(fields, price, now);
  const id = fields.id ?? twin.newId('sub');
  const subscription = twin.state.add(
    'subscription',
    blankSubscription(twin, id, fields, price.currency, period, anchor),
  );
  twin.state.edit('customer', customer.id).currency ??= price.currency;
  const skipped = share !== undefined && fields.prorate === false;
  const invoice = skipped ? undefined : firstInvoice(twin, subscription, { ...fields, period, share });
  const behaviour = fields.behaviour ?? 'allow_incomplete';
  if (subscription.status === 'trialing' && !payable(twin, subscription))
    subscription.pending_setup_intent = newSetupIntent(twin, { customer: customer.id, method: null }).id;
  const owed = invoice?.status === 'open' && subscription.collection_method === 'charge_automatically';
  if (owed) subscription.status = 'incomplete';
  twin.emit('customer.subscription.created', subscription);
  if (owed && behaviour !== 'default_incomplete') collectFirst(twin, invoice, behaviour);
  return subscription;
}
