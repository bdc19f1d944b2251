/**
 * The life of an invoice: draft, open, paid, void or uncollectible. Finalising applies the customer's balance and opens
 * a payment for the rest; an invoice without a rest is paid at once.
 */
import { errors } from '../http/errors';
import type { Invoice, InvoiceLine } from '../tables';
import { documentOrigin, type Twin } from '../twin';
import { balanceChange } from './balance';
import { blankInvoice, type InvoiceFields } from './blank-invoice';
import { cancelPayment, openPayment, paymentOf } from './invoice-payment';
import { lineOfItem } from './lines';
import { afterInvoiceClosed, afterInvoicePaid, setDelinquent } from './settlement';

/** The provider cannot charge less than this; smaller sums go to the customer's balance. */
const smallestCharge = 50;

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

/** Adds a draft with the lines that `build` creates for it and the given pending items. */
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
  invoice.hosted_invoice_url = `${twin.origin}/_twin/invoices/${invoice.id}`;
  invoice.invoice_pdf = `${documentOrigin}/invoices/${invoice.id}/pdf`;
  if (invoice.amount_due > 0) openPayment(twin, invoice);
  twin.emit('invoice.finalized', invoice);
  if (invoice.amount_due === 0) markPaid(twin, invoice, 0);
}

/** Voids a draft row of an open (or uncollectible) invoice and returns the balance that it used. */
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
