/**
 * Refunds and credit notes. A refund returns money to the card; a credit note corrects an invoice and says where the
 * money goes: back to the card, to the customer's balance, or outside.
 */
import { issueCreditNote, voidCreditNote } from '../billing/credit-notes';
import { chargeOfIntent, refundCharge } from '../billing/refunds';
import { clone } from '../clone';
import { endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import {
  changedMetadata,
  hash,
  integer,
  list,
  metadata,
  notOffered,
  oneOf,
  required,
  text,
  unsettable,
  type Read,
} from '../http/params';
import type { CreditNote } from '../tables';
import type { Twin } from '../twin';
import { listEndpoint } from './listing';
import { found, referenced } from './lookup';

const cents = integer(1, 99_999_999);
const noTax = notOffered('tax');

const creditNoteParams = {
  invoice: required(text()),
  amount: cents,
  credit_amount: integer(0, 99_999_999),
  refund_amount: integer(0, 99_999_999),
  out_of_band_amount: integer(0, 99_999_999),
  memo: unsettable(text()),
  metadata,
  reason: oneOf('duplicate', 'fraudulent', 'order_change', 'product_unsatisfactory'),
  email_type: oneOf('credit_note', 'none'),
  lines: list(
    hash({
      type: required(oneOf('invoice_line_item', 'custom_line_item')),
      invoice_line_item: text(),
      amount: cents,
      quantity: integer(1),
      unit_amount: integer(0),
      description: text(),
      metadata,
      tax_rates: noTax,
      tax_amounts: noTax,
    }),
  ),
  refunds: notOffered('linking existing refunds'),
  shipping_cost: notOffered('shipping'),
  effective_at: notOffered('other effective dates'),
};

function issue(twin: Twin, given: Read<typeof creditNoteParams>): CreditNote {
  const invoice = referenced(twin, 'invoice', given.invoice, 'invoice');
  return issueCreditNote(twin, invoice.id, {
    amount: given.amount,
    lines: given.lines,
    credit: given.credit_amount,
    refund: given.refund_amount,
    outOfBand: given.out_of_band_amount,
    memo: given.memo ?? null,
    reason: given.reason ?? null,
    metadata: changedMetadata({}, given.metadata),
  });
}

/** The credit note that a request would issue; it is issued in a rehearsal and discarded. */
function previewed(twin: Twin, issued: () => CreditNote): CreditNote {
  const before = twin.charged();
  const note = twin.state.rehearse(() => clone(issued()) as CreditNote);
  twin.charge(before - twin.charged());
  return note;
}

export const refundEndpoints = [
  endpoint(
    'POST',
    '/v1/refunds',
    {
      amount: cents,
      charge: text(),
      payment_intent: text(),
      metadata,
      reason: oneOf('duplicate', 'fraudulent', 'requested_by_customer'),
      refund_application_fee: notOffered('connected accounts'),
      reverse_transfer: notOffered('connected accounts'),
    },
    (twin, given) => {
      if (given.charge === undefined && given.payment_intent === undefined) throw errors.missing('charge');
      if (given.payment_intent !== undefined)
        referenced(twin, 'payment_intent', given.payment_intent, 'payment_intent');
      const charge = given.charge ?? chargeOfIntent(twin, given.payment_intent ?? '');
      if (charge === undefined)
        throw errors.invalid(
          `This PaymentIntent (${given.payment_intent}) does not have a successful charge to refund.`,
          'payment_intent',
          'payment_intent_unexpected_state',
        );
      referenced(twin, 'charge', charge, 'charge');
      return refundCharge(twin, {
        charge,
        amount: given.amount,
        reason: given.reason ?? null,
        metadata: changedMetadata({}, given.metadata),
      });
    },
  ),
  endpoint('GET', '/v1/refunds/:refund', {}, (twin, _given, { refund }) => found(twin, 'refund', refund)),
  endpoint('POST', '/v1/refunds/:refund', { metadata }, (twin, given, { refund: id }) => {
    const before = found(twin, 'refund', id);
    const refund = twin.state.edit('refund', before.id);
    refund.metadata = changedMetadata(refund.metadata, given.metadata);
    twin.emit('refund.updated', refund, before);
    return refund;
  }),
  listEndpoint('/v1/refunds', 'refund', { charge: text(), payment_intent: text() }),
  endpoint('POST', '/v1/credit_notes', creditNoteParams, issue),
  endpoint('GET', '/v1/credit_notes/preview', creditNoteParams, (twin, given) =>
    previewed(twin, () => issue(twin, given)),
  ),
  endpoint('GET', '/v1/credit_notes/:note', {}, (twin, _given, { note }) => found(twin, 'credit_note', note)),
  endpoint('GET', '/v1/credit_notes/:note/lines', page, (twin, given, { note }) =>
    pageOf(
      found(twin, 'credit_note', note).lines.data,
      given,
      `/v1/credit_notes/${note}/lines`,
      'credit_note_line_item',
    ),
  ),
  endpoint('POST', '/v1/credit_notes/:note', { memo: unsettable(text()), metadata }, (twin, given, { note: id }) => {
    const before = found(twin, 'credit_note', id);
    const note = twin.state.edit('credit_note', before.id);
    if (given.memo !== undefined) note.memo = given.memo;
    note.metadata = changedMetadata(note.metadata, given.metadata);
    twin.emit('credit_note.updated', note, before);
    return note;
  }),
  endpoint('POST', '/v1/credit_notes/:note/void', {}, (twin, _given, { note }) =>
    voidCreditNote(twin, found(twin, 'credit_note', note).id),
  ),
  listEndpoint('/v1/credit_notes', 'credit_note', { customer: text(), invoice: text() }),
];
