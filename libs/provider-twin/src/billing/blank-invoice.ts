/** A new invoice without lines. */
import { listOf } from '../http/pagination';
import type { Customer, Invoice, InvoiceLine } from '../tables';
import type { Twin } from '../twin';

export interface InvoiceFields {
  customer: Readonly<Customer>;
  currency: string;
  reason: 'manual' | 'subscription_create' | 'subscription_cycle' | 'subscription_update';
  period: { start: number; end: number };
  subscription?: { id: string; metadata: Record<string, string> } | undefined;
  defaultMethod?: string | null;
  collectionMethod?: string;
  daysUntilDue?: number | null;
  metadata?: Record<string, string>;
  description?: string | null;
  prorationDate?: number | undefined;
}

/** Fields that a new invoice does not have, and that the twin never fills. */
function unusedParts() {
  return {
    account_tax_ids: null,
    amount_due: 0,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    custom_fields: null,
    customer_account: null,
    customer_tax_ids: [],
    default_source: null,
    default_tax_rates: [],
    discounts: [],
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    last_finalization_error: null,
    latest_revision: null,
    livemode: false,
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    statement_descriptor: null,
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: 0,
    subtotal_excluding_tax: 0,
    test_clock: null,
    total: 0,
    total_discount_amounts: [],
    total_excluding_tax: 0,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  } satisfies Partial<Invoice>;
}

export function blankInvoice(twin: Twin, fields: InvoiceFields): Invoice {
  const { customer, subscription } = fields;
  const id = twin.newId('in');
  const now = twin.now();
  return {
    id,
    object: 'invoice',
    ...unusedParts(),
    account_country: 'US',
    account_name: 'Provider twin',
    auto_advance: true,
    billing_reason: fields.reason,
    collection_method: fields.collectionMethod ?? 'charge_automatically',
    created: now,
    currency: fields.currency,
    customer: customer.id,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: customer.shipping,
    customer_tax_exempt: 'none',
    default_payment_method: fields.defaultMethod ?? null,
    description: fields.description ?? null,
    due_date: fields.collectionMethod === 'send_invoice' ? now + (fields.daysUntilDue ?? 30) * 86_400 : null,
    issuer: { type: 'self' },
    lines: listOf<InvoiceLine>([], `/v1/invoices/${id}/lines`),
    metadata: fields.metadata ?? {},
    parent: subscription
      ? {
          quote_details: null,
          subscription_details: {
            metadata: { ...subscription.metadata },
            subscription: subscription.id,
            ...(fields.prorationDate === undefined ? {} : { subscription_proration_date: fields.prorationDate }),
          },
          type: 'subscription_details',
        }
      : null,
    period_end: fields.period.end,
    period_start: fields.period.start,
    starting_balance: customer.balance,
    status: 'draft',
  };
}
