/** A subscription as requested, before its first invoice. */
import { listOf } from '../http/pagination';
import type { Customer, Subscription } from '../tables';
import type { Twin } from '../twin';
import { newItem, type ItemFields } from './items';

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

/** Fields that a new subscription does not have, and that the twin never fills. */
function unusedParts() {
  return {
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor_config: null,
    billing_schedules: [],
    billing_thresholds: null,
    customer_account: null,
    default_source: null,
    default_tax_rates: [],
    discounts: [],
    ended_at: null,
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    test_clock: null,
    transfer_data: null,
  } satisfies Partial<Subscription>;
}

export function blankSubscription(
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
    ...unusedParts(),
    billing_cycle_anchor: anchor,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
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
    days_until_due: fields.daysUntilDue ?? null,
    default_payment_method: fields.defaultMethod ?? null,
    description: fields.description ?? null,
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
    metadata: fields.metadata ?? {},
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: fields.saveMethod ?? 'off',
    },
    start_date: now,
    status: trialEnd ? 'trialing' : 'active',
    trial_end: trialEnd,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: fields.missingMethod ?? 'create_invoice' },
    },
    trial_start: trialEnd ? now : null,
  };
}
