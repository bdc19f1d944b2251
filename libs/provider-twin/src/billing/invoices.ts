// The life of an invoice: draft, open, paid, void or uncollectible. Finalising applies the customer's balance and, when
// something is left to pay, opens a payment intent; nothing left means paid at once.
import { errors, type ProviderError } from '../http/errors';
import { listOf } from '../http/pagination';
import type { Customer, Invoice, InvoiceLine, InvoicePayment, PaymentIntent } from '../tables';
import { documentOrigin, type Twin } from '../twin';
import { methodNamed } from '../resources/payment-methods';
import { balanceChange } from './balance';
import { attemptPayment, newIntent, type Attempt } from './intents';
import { lineOfItem } from './lines';
import { afterInvoiceClosed, afterInvoicePaid, setDelinquent } from './settlement';

/** The provider cannot charge less than this; smaller sums go to the customer's balance. */
const smallestCharge = 50;

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

function blankInvoice(twin: Twin, fields: InvoiceFields): Invoice {
  const { customer, subscription } = fields;
  const id = twin.newId('in');
  const now = twin.now();
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Provider twin',
    account_tax_ids: null,
    amount_due: 0,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: fields.reason,
    collection_method: fields.collectionMethod ?? 'charge_automatically',
    created: now,
    currency: fields.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: customer.shipping,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: fields.defaultMethod ?? null,
    default_source: null,
    default_tax_rates: [],
    description: fields.description ?? null,
    discounts: [],
    due_date: fields.collectionMethod === 'send_invoice' ? now + (fields.daysUntilDue ?? 30) * 86_400 : null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: listOf<InvoiceLine>([], `/v1/invoices/${id}/lines`),
    livemode: false,
    metadata: fields.metadata ?? {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
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
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: fields.period.end,
    period_start: fields.period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: customer.balance,
    statement_descriptor: null,
    status: 'draft',
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
  };
}

/** What the customer's balance leaves to pay of a total, and the balance after it. */
export function settleBalance(total: number, balance: number): { due: number; ending: number; small: boolean } {
  const sum = total + balance;
  if (sum <= 0) return { due: 0, ending: sum, small: false };
  if (sum < smallestCharge) return { due: 0, ending: sum, small: true };
  return { due: sum, ending: 0, small: false };
}

/** Sums the lines of a draft and shows what the customer's balance would leave to pay. */
export function total(twin: Twin, invoice: Invoice): void {
  const sum = invoice.lines.data.reduce((cents, line) => cents + line.amount, 0);
  const balance = twin.state.get('customer', String(invoice.customer))?.balance ?? 0;
  Object.assign(invoice, {
    subtotal: sum,
    subtotal_excluding_tax: sum,
    total: sum,
    total_excluding_tax: sum,
    starting_balance: balance,
  });
  invoice.amount_due = settleBalance(sum, balance).due;
  invoice.amount_remaining = invoice.amount_due;
}

/** Adds a draft with the lines that `build` makes for it and the given pending items. */
export function draftInvoice(
  twin: Twin,
  fields: InvoiceFields,
  build: (invoice: string) => InvoiceLine[],
  pending: string[] = [],
): Invoice {
  const invoice = twin.state.add('invoice', blankInvoice(twin, fields));
  for (const id of pending) {
    const item = twin.state.edit('invoiceitem', id);
    item.invoice = invoice.id;
    invoice.lines.data.push(lineOfItem(twin, invoice.id, item));
  }
  invoice.lines.data.push(...build(invoice.id));
  total(twin, invoice);
  twin.emit('invoice.created', invoice);
  return invoice;
}

/** The pending items of a subscription (or of a customer, for null) that the next invoice collects. */
export function pendingItems(twin: Twin, customer: string, subscription: string | null): string[] {
  return twin.state
    .where('invoiceitem', 'customer', customer)
    .filter(
      (item) => item.invoice === null && (item.parent?.subscription_details?.subscription ?? null) === subscription,
    )
    .map((item) => item.id);
}

function applyBalance(twin: Twin, invoice: Invoice): void {
  const customer = twin.state.edit('customer', String(invoice.customer));
  const { due, ending, small } = settleBalance(invoice.total, customer.balance);
  invoice.starting_balance = customer.balance;
  invoice.ending_balance = ending;
  invoice.amount_due = due;
  invoice.amount_remaining = due;
  if (ending !== customer.balance)
    balanceChange(twin, customer, {
      amount: ending - customer.balance,
      currency: invoice.currency,
      type: small ? 'invoice_too_small' : 'applied_to_invoice',
      invoice: invoice.id,
    });
}

/** The method that would pay an invoice by itself. */
export function defaultMethodOf(twin: Twin, invoice: Readonly<Invoice>): string | null {
  const subscription = twin.state.get('subscription', invoice.parent?.subscription_details?.subscription ?? '');
  const customer = twin.state.get('customer', String(invoice.customer));
  return (
    invoice.default_payment_method ??
    subscription?.default_payment_method ??
    customer?.invoice_settings.default_payment_method ??
    null
  );
}

function openPayment(twin: Twin, invoice: Invoice): void {
  const reason =
    invoice.billing_reason === 'subscription_create'
      ? 'Subscription creation'
      : invoice.parent
        ? 'Subscription update'
        : `Payment for Invoice ${invoice.number}`;
  const intent = newIntent(twin, {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: String(invoice.customer),
    method: defaultMethodOf(twin, invoice),
    description: reason,
  });
  twin.state.add('invoice_payment', {
    id: twin.newId('inpay'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: twin.now(),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/** The payment of an open invoice that collects it. */
export function paymentOf(twin: Twin, invoice: string): Readonly<InvoicePayment> | undefined {
  return twin.state
    .where('invoice_payment', 'invoice', invoice)
    .find((each) => each.is_default && each.status !== 'canceled');
}

/** Marks a draft invoice as paid and lets its subscription react. */
export function markPaid(twin: Twin, invoice: Invoice, paid: number): void {
  const now = twin.now();
  Object.assign(invoice, {
    status: 'paid',
    amount_paid: paid,
    amount_remaining: 0,
    attempted: true,
    next_payment_attempt: null,
  });
  invoice.status_transitions.paid_at = now;
  const payment = paymentOf(twin, invoice.id);
  if (payment && paid > 0) {
    const row = twin.state.edit('invoice_payment', payment.id);
    Object.assign(row, { status: 'paid', amount_paid: paid });
    row.status_transitions.paid_at = now;
    twin.emit('invoice_payment.paid', row);
  }
  setDelinquent(twin, invoice.customer, false);
  twin.emit('invoice.paid', invoice);
  twin.emit('invoice.payment_succeeded', invoice);
  afterInvoicePaid(twin, invoice);
}

/** Makes a draft invoice open; one with nothing left to pay is paid at once. */
export function finalise(twin: Twin, invoice: Invoice): void {
  const customer = twin.state.edit('customer', String(invoice.customer));
  total(twin, invoice);
  invoice.number = `${customer.invoice_prefix ?? 'TWIN'}-${String(customer.next_invoice_sequence ?? 1).padStart(4, '0')}`;
  customer.next_invoice_sequence = (customer.next_invoice_sequence ?? 1) + 1;
  customer.currency ??= invoice.currency;
  applyBalance(twin, invoice);
  invoice.status = 'open';
  invoice.automatically_finalizes_at = null;
  invoice.effective_at = twin.now();
  invoice.status_transitions.finalized_at = twin.now();
  invoice.hosted_invoice_url = `${documentOrigin}/invoices/${invoice.id}`;
  invoice.invoice_pdf = `${documentOrigin}/invoices/${invoice.id}/pdf`;
  if (invoice.amount_due > 0) openPayment(twin, invoice);
  twin.emit('invoice.finalized', invoice);
  if (invoice.amount_due === 0) markPaid(twin, invoice, 0);
}

function intentOf(twin: Twin, invoice: Readonly<Invoice>): PaymentIntent {
  const payment = paymentOf(twin, invoice.id)?.payment.payment_intent;
  if (!payment) throw errors.invalid('This invoice has no payment to collect.');
  return twin.state.edit('payment_intent', payment);
}

const noMethod = (): ProviderError =>
  errors.invalid(
    "There is no default_payment_method set on this Customer or Invoice. Please set either an attached PaymentMethod as the Customer's default_payment_method, or pass one as payment_method.",
  );

/** Tries to collect an open draft invoice once, with the given or the default method. */
export function collect(twin: Twin, invoice: Invoice, methodId?: string | null): Attempt {
  const chosen = methodId ?? defaultMethodOf(twin, invoice);
  if (!chosen) return { kind: 'declined', error: noMethod() };
  const intent = intentOf(twin, invoice);
  const method = methodNamed(twin, chosen, 'payment_method');
  invoice.attempt_count += 1;
  invoice.attempted = true;
  return afterAttempt(twin, invoice, attemptPayment(twin, intent, method));
}

/** What an attempt on its intent means for a draft invoice. */
export function afterAttempt(twin: Twin, invoice: Invoice, attempt: Attempt): Attempt {
  if (attempt.kind === 'succeeded') markPaid(twin, invoice, invoice.amount_due);
  else if (attempt.kind === 'requires_action') twin.emit('invoice.payment_action_required', invoice);
  if (attempt.kind !== 'succeeded') {
    setDelinquent(twin, invoice.customer, true);
    twin.emit('invoice.payment_failed', invoice);
  }
  return attempt;
}

/** Gives up the payment of an invoice that will not be collected by it. */
export function cancelPayment(twin: Twin, invoice: Readonly<Invoice>, reason: 'automatic' | 'void_invoice'): void {
  const payment = paymentOf(twin, invoice.id);
  if (!payment) return;
  const row = twin.state.edit('invoice_payment', payment.id);
  row.status = 'canceled';
  row.status_transitions.canceled_at = twin.now();
  const intent = twin.state.edit('payment_intent', String(payment.payment.payment_intent));
  if (intent.status === 'succeeded') return;
  Object.assign(intent, {
    status: 'canceled',
    canceled_at: twin.now(),
    cancellation_reason: reason,
    next_action: null,
  });
  twin.emit('payment_intent.canceled', intent);
}

/** Voids a draft row of an open (or uncollectible) invoice and gives back the balance that it used. */
export function voidInvoice(twin: Twin, invoice: Invoice): void {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw errors.invalid(`You can only pass in open or uncollectible invoices. This invoice isn't open.`);
  const used = invoice.ending_balance === null ? 0 : invoice.starting_balance - invoice.ending_balance;
  if (used !== 0)
    balanceChange(twin, twin.state.edit('customer', String(invoice.customer)), {
      amount: used,
      currency: invoice.currency,
      type: 'unapplied_from_invoice',
      invoice: invoice.id,
    });
  cancelPayment(twin, invoice, 'void_invoice');
  invoice.status = 'void';
  invoice.next_payment_attempt = null;
  invoice.status_transitions.voided_at = twin.now();
  twin.emit('invoice.voided', invoice);
  afterInvoiceClosed(twin, invoice);
}

/** Marks a draft row of an open invoice as uncollectible; it can still be paid. */
export function markUncollectible(twin: Twin, invoice: Invoice): void {
  if (invoice.status !== 'open') throw errors.invalid('You can only mark an open invoice as uncollectible.');
  invoice.status = 'uncollectible';
  invoice.next_payment_attempt = null;
  invoice.status_transitions.marked_uncollectible_at = twin.now();
  twin.emit('invoice.marked_uncollectible', invoice);
  afterInvoiceClosed(twin, invoice);
}
