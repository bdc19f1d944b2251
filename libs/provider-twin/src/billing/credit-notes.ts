/**
 * Credit notes. Before payment they reduce the amount due of an open invoice; after payment, the destination of every
 * cent must be given: the card, the customer's balance or outside.
 */
import { errors } from '../http/errors';
import { listOf } from '../http/pagination';
import type { CreditNote, Invoice } from '../tables';
import type Stripe from 'stripe';
import type { Stored } from '../stored';
import { documentOrigin, type Twin } from '../twin';
import { balanceChange } from './balance';
import { cancelPayment, paymentOf } from './invoice-payment';
import { markPaid } from './invoices';
import { chargeOfIntent, refundCharge } from './refunds';

type Line = Stored<Stripe.CreditNoteLineItem>;

interface GivenLine {
  type: 'invoice_line_item' | 'custom_line_item';
  invoice_line_item?: string;
  amount?: number;
  quantity?: number;
  unit_amount?: number;
  description?: string;
}

export interface CreditNoteFields {
  amount?: number | undefined;
  lines?: GivenLine[] | undefined;
  credit?: number | undefined;
  refund?: number | undefined;
  outOfBand?: number | undefined;
  memo: string | null;
  reason: 'duplicate' | 'fraudulent' | 'order_change' | 'product_unsatisfactory' | null;
  metadata: Record<string, string>;
}

function lineOf(twin: Twin, invoice: Readonly<Invoice>, given: GivenLine, at: number): Line {
  const named = invoice.lines.data.find((each) => each.id === given.invoice_line_item);
  if (given.type === 'invoice_line_item' && !named)
    throw errors.noSuchReference('invoice line item', given.invoice_line_item ?? '', `lines[${at}][invoice_line_item]`);
  const quantity = given.quantity ?? null;
  const unit =
    given.unit_amount ?? (named && quantity !== null ? Math.round(named.amount / (named.quantity ?? 1)) : null);
  const amount = given.amount ?? (unit !== null && quantity !== null ? unit * quantity : named?.amount);
  if (amount === undefined) throw errors.missing(`lines[${at}][amount]`);
  return {
    id: twin.newId('cnli'),
    object: 'credit_note_line_item',
    amount,
    description: given.description ?? named?.description ?? null,
    discount_amount: 0,
    discount_amounts: [],
    ...(named ? { invoice_line_item: named.id } : {}),
    livemode: false,
    metadata: {},
    pretax_credit_amounts: [],
    quantity,
    tax_rates: [],
    taxes: [],
    type: given.type,
    unit_amount: unit,
    unit_amount_decimal: unit === null ? null : String(unit),
  };
}

function amountOf(twin: Twin, invoice: Readonly<Invoice>, fields: CreditNoteFields): { amount: number; lines: Line[] } {
  if (fields.amount !== undefined && fields.lines)
    throw errors.invalid('You may only specify one of these parameters: amount, lines.', 'amount');
  const lines = (
    fields.lines ?? [
      {
        type: 'custom_line_item' as const,
        amount: fields.amount ?? 0,
        description: 'Credit',
      },
    ]
  ).map((each, at) => lineOf(twin, invoice, each, at));
  const amount = lines.reduce((sum, line) => sum + line.amount, 0);
  if (amount < 1) throw errors.missing('amount');
  const open = invoice.total - invoice.pre_payment_credit_notes_amount - invoice.post_payment_credit_notes_amount;
  if (amount > open)
    throw errors.invalid(
      `The amount of a credit note ($${(amount / 100).toFixed(2)}) cannot exceed the creditable amount of the invoice ($${(open / 100).toFixed(2)}).`,
      'amount',
    );
  return { amount, lines };
}

function allocate(fields: CreditNoteFields, amount: number): { refund: number; credit: number; outOfBand: number } {
  const { refund = 0, credit = 0, outOfBand = 0 } = fields;
  if (refund + credit + outOfBand !== amount)
    throw errors.invalid(
      `The sum of credit amount, refund amount and out of band amount ($${((refund + credit + outOfBand) / 100).toFixed(2)}) must equal the post payment credit note amount ($${(amount / 100).toFixed(2)}).`,
    );
  return { refund, credit, outOfBand };
}

function giveBack(twin: Twin, note: CreditNote, invoice: Invoice, fields: CreditNoteFields): void {
  const { refund, credit, outOfBand } = allocate(fields, note.amount);
  note.out_of_band_amount = outOfBand || null;
  if (refund > 0) {
    const charge = chargeOfIntent(twin, String(paymentOf(twin, invoice.id)?.payment.payment_intent));
    if (!charge) throw errors.invalid('This invoice has no charge to refund.', 'refund_amount');
    const made = refundCharge(twin, { charge, amount: refund });
    note.refunds.push({ amount_refunded: refund, payment_record_refund: null, refund: made.id, type: 'refund' });
  }
  if (credit > 0) {
    const customer = twin.state.edit('customer', String(invoice.customer));
    note.customer_balance_transaction = balanceChange(twin, customer, {
      amount: -credit,
      currency: invoice.currency,
      type: 'credit_note',
      creditNote: note.id,
      invoice: invoice.id,
    }).id;
  }
  invoice.post_payment_credit_notes_amount += note.amount;
}

function lower(twin: Twin, note: CreditNote, invoice: Invoice): void {
  if (note.amount > invoice.amount_remaining)
    throw errors.invalid('The credit note exceeds what is still to be paid on this invoice.', 'amount');
  invoice.pre_payment_credit_notes_amount += note.amount;
  invoice.amount_due -= note.amount;
  invoice.amount_remaining -= note.amount;
  const payment = paymentOf(twin, invoice.id);
  if (invoice.amount_remaining === 0) {
    cancelPayment(twin, invoice, 'automatic');
    return markPaid(twin, invoice, 0);
  }
  if (!payment) return;
  twin.state.edit('invoice_payment', payment.id).amount_requested = invoice.amount_due;
  twin.state.edit('payment_intent', String(payment.payment.payment_intent)).amount = invoice.amount_due;
}

/** Issues a credit note for a finalised invoice. */
export function issueCreditNote(twin: Twin, invoiceId: string, fields: CreditNoteFields): CreditNote {
  const invoice = twin.state.edit('invoice', invoiceId);
  if (!['open', 'paid', 'uncollectible'].includes(String(invoice.status)))
    throw errors.invalid('Credit notes can only be created for invoices that are open or paid.', 'invoice');
  const { amount, lines } = amountOf(twin, invoice, fields);
  const id = twin.newId('cn');
  const paid = invoice.status === 'paid';
  const count = twin.state.where('credit_note', 'invoice', invoice.id).length;
  const note = twin.state.add('credit_note', {
    id,
    object: 'credit_note',
    amount,
    amount_shipping: 0,
    created: twin.now(),
    currency: invoice.currency,
    customer: String(invoice.customer),
    customer_account: null,
    customer_balance_transaction: null,
    discount_amount: 0,
    discount_amounts: [],
    effective_at: twin.now(),
    invoice: invoice.id,
    lines: listOf(lines, `/v1/credit_notes/${id}/lines`),
    livemode: false,
    memo: fields.memo,
    metadata: fields.metadata,
    number: `${invoice.number}-CN-${String(count + 1).padStart(2, '0')}`,
    out_of_band_amount: null,
    pdf: `${documentOrigin}/invoices/${invoice.id}`,
    post_payment_amount: paid ? amount : 0,
    pre_payment_amount: paid ? 0 : amount,
    pretax_credit_amounts: [],
    reason: fields.reason,
    refunds: [],
    shipping_cost: null,
    status: 'issued',
    subtotal: amount,
    subtotal_excluding_tax: amount,
    total: amount,
    total_excluding_tax: amount,
    total_taxes: [],
    type: paid ? 'post_payment' : 'pre_payment',
    voided_at: null,
  });
  if (paid) giveBack(twin, note, invoice, fields);
  else lower(twin, note, invoice);
  twin.emit('credit_note.created', note);
  return note;
}

/** Voids a credit note of an invoice that is still open. */
export function voidCreditNote(twin: Twin, id: string): CreditNote {
  const note = twin.state.edit('credit_note', id);
  const invoice = twin.state.edit('invoice', note.invoice);
  if (note.status === 'void') throw errors.invalid('This credit note is already void.');
  if (note.type !== 'pre_payment' || invoice.status !== 'open')
    throw errors.invalid('You can only void credit notes of open invoices.');
  note.status = 'void';
  note.voided_at = twin.now();
  invoice.pre_payment_credit_notes_amount -= note.amount;
  invoice.amount_due += note.amount;
  invoice.amount_remaining += note.amount;
  const payment = paymentOf(twin, invoice.id);
  if (payment) {
    twin.state.edit('invoice_payment', payment.id).amount_requested = invoice.amount_due;
    twin.state.edit('payment_intent', String(payment.payment.payment_intent)).amount = invoice.amount_due;
  }
  twin.emit('credit_note.voided', note);
  return note;
}
