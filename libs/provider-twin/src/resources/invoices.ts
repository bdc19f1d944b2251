/**
 * Invoices: read, finalise, pay, void, mark uncollectible. Subscriptions create most of them; a manual one collects the
 * customer's pending items.
 */
import { collect } from '../billing/collection';
import { cancelPayment, paymentOf } from '../billing/invoice-payment';
import { draftInvoice, finalise, markPaid, markUncollectible, pendingItems, voidInvoice } from '../billing/invoices';
import { clone } from '../clone';
import { created, endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import {
  changedMetadata,
  currency,
  flag,
  integer,
  metadata,
  notOffered,
  oneOf,
  only,
  required,
  text,
  unsettable,
} from '../http/params';
import type { Invoice } from '../tables';
import type { Twin } from '../twin';
import { invoicePreviewEndpoint } from './invoice-preview';
import { listEndpoint, selected } from './listing';
import { customerNamed, found, newestFirst } from './lookup';
import { methodNamed } from './payment-methods';

const editInvoice = (twin: Twin, id: string | undefined): Invoice =>
  twin.state.edit('invoice', found(twin, 'invoice', id).id);

function pay(
  twin: Twin,
  invoice: Invoice,
  given: { payment_method?: string | undefined; paid_out_of_band?: boolean | undefined },
): Invoice {
  if (invoice.status === 'paid') throw errors.invalid('Invoice is already paid', undefined, 'invoice_already_paid');
  if (invoice.status === 'draft') finalise(twin, invoice);
  if ((invoice.status as string) === 'paid') return invoice;
  if (invoice.status === 'void')
    throw errors.invalid('You cannot pay a voided invoice.', undefined, 'invoice_not_editable');
  if (given.paid_out_of_band) {
    cancelPayment(twin, invoice, 'automatic');
    markPaid(twin, invoice, invoice.amount_due);
    return invoice;
  }
  if (given.payment_method !== undefined) {
    const method = methodNamed(twin, given.payment_method, 'payment_method');
    if (method.customer !== null && method.customer !== invoice.customer)
      throw errors.invalid('The payment method does not belong to the customer of this invoice.', 'payment_method');
  }
  const attempt = collect(twin, invoice, given.payment_method);
  if (attempt.kind === 'declined') throw attempt.error;
  if (attempt.kind === 'requires_action') {
    const intent = twin.state.get('payment_intent', String(paymentOf(twin, invoice.id)?.payment.payment_intent));
    throw errors.authenticationNeeded(true, intent && clone(intent));
  }
  return invoice;
}

export const invoiceEndpoints = [
  invoicePreviewEndpoint,
  endpoint(
    'POST',
    '/v1/invoices',
    {
      customer: required(text()),
      auto_advance: flag,
      collection_method: oneOf('charge_automatically', 'send_invoice'),
      currency,
      days_until_due: integer(0, 365),
      default_payment_method: text(),
      description: unsettable(text()),
      metadata,
      pending_invoice_items_behavior: oneOf('include', 'exclude'),
      automatic_tax: notOffered('tax'),
      default_tax_rates: notOffered('tax'),
      discounts: notOffered('coupons and discounts'),
    },
    (twin, given) => {
      const customer = customerNamed(twin, given.customer);
      const pending = given.pending_invoice_items_behavior === 'include' ? pendingItems(twin, customer.id, null) : [];
      const now = twin.now();
      const invoice = draftInvoice(
        twin,
        {
          customer,
          currency: given.currency ?? customer.currency ?? 'usd',
          reason: 'manual',
          period: { start: now, end: now },
          defaultMethod: given.default_payment_method ?? null,
          collectionMethod: given.collection_method ?? 'charge_automatically',
          daysUntilDue: given.days_until_due ?? null,
          metadata: changedMetadata({}, given.metadata),
          description: given.description ?? null,
        },
        () => [],
        pending,
      );
      invoice.auto_advance = given.auto_advance ?? false;
      if (invoice.auto_advance) invoice.automatically_finalizes_at = now + 3600;
      return invoice;
    },
  ),
  endpoint('GET', '/v1/invoices/search', { query: text(), limit: integer(1, 100), page: text() }, () => {
    throw errors.notOffered('search, whose index lags behind at the provider; list by customer instead');
  }),
  endpoint('GET', '/v1/invoices/:invoice', {}, (twin, _given, { invoice }) => found(twin, 'invoice', invoice)),
  endpoint(
    'POST',
    '/v1/invoices/:invoice',
    {
      auto_advance: flag,
      default_payment_method: unsettable(text()),
      description: unsettable(text()),
      metadata,
      days_until_due: integer(0, 365),
    },
    (twin, given, { invoice: id }) => {
      const before = found(twin, 'invoice', id);
      const invoice = editInvoice(twin, id);
      const { metadata: change, days_until_due: days, ...plain } = given;
      Object.assign(invoice, plain);
      if (days !== undefined) invoice.due_date = invoice.created + days * 86_400;
      invoice.metadata = changedMetadata(invoice.metadata, change);
      twin.emit('invoice.updated', invoice, before);
      return invoice;
    },
  ),
  endpoint('DELETE', '/v1/invoices/:invoice', {}, (twin, _given, { invoice: id }) => {
    const invoice = found(twin, 'invoice', id);
    if (invoice.status !== 'draft')
      throw errors.invalid('You can only delete draft invoices.', undefined, 'invoice_not_editable');
    if (invoice.parent)
      throw errors.invalid(
        'You cannot delete invoices that a subscription created.',
        undefined,
        'invoice_not_editable',
      );
    for (const item of twin.state.where('invoiceitem', 'customer', String(invoice.customer)))
      if (item.invoice === invoice.id) twin.state.remove('invoiceitem', item.id);
    twin.state.remove('invoice', invoice.id);
    twin.emit('invoice.deleted', invoice);
    return { id: invoice.id, object: 'invoice', deleted: true };
  }),
  endpoint('POST', '/v1/invoices/:invoice/finalize', { auto_advance: flag }, (twin, given, { invoice: id }) => {
    const invoice = editInvoice(twin, id);
    if (invoice.status !== 'draft')
      throw errors.invalid(
        "This invoice is already finalized, you can't re-finalize a non-draft invoice.",
        undefined,
        'invoice_not_editable',
      );
    if (given.auto_advance !== undefined) invoice.auto_advance = given.auto_advance;
    finalise(twin, invoice);
    if (invoice.status === 'open' && invoice.auto_advance) invoice.next_payment_attempt = twin.now() + 3600;
    return invoice;
  }),
  endpoint(
    'POST',
    '/v1/invoices/:invoice/pay',
    {
      payment_method: text(),
      off_session: flag,
      paid_out_of_band: flag,
      forgive: only(flag, (each) => !each, 'forgiving the difference of a payment'),
      mandate: notOffered('mandates'),
      source: notOffered('sources'),
    },
    (twin, given, { invoice }) => pay(twin, editInvoice(twin, invoice), given),
  ),
  endpoint('POST', '/v1/invoices/:invoice/send', {}, (twin, _given, { invoice: id }) => {
    const invoice = editInvoice(twin, id);
    if (invoice.status === 'draft') finalise(twin, invoice);
    twin.emit('invoice.sent', invoice);
    return invoice;
  }),
  endpoint('POST', '/v1/invoices/:invoice/void', {}, (twin, _given, { invoice: id }) => {
    const invoice = editInvoice(twin, id);
    voidInvoice(twin, invoice);
    return invoice;
  }),
  endpoint('POST', '/v1/invoices/:invoice/mark_uncollectible', {}, (twin, _given, { invoice: id }) => {
    const invoice = editInvoice(twin, id);
    markUncollectible(twin, invoice);
    return invoice;
  }),
  endpoint('GET', '/v1/invoices/:invoice/lines', page, (twin, given, { invoice: id }) => {
    const { lines } = found(twin, 'invoice', id);
    return pageOf(lines.data, given, `/v1/invoices/${id}/lines`, 'line_item');
  }),
  endpoint(
    'GET',
    '/v1/invoices',
    {
      ...page,
      customer: text(),
      subscription: text(),
      status: oneOf('draft', 'open', 'paid', 'uncollectible', 'void'),
      collection_method: oneOf('charge_automatically', 'send_invoice'),
      created,
    },
    (twin, given) => {
      const rows =
        given.customer === undefined
          ? newestFirst(twin, 'invoice')
          : [...twin.state.where('invoice', 'customer', given.customer)].reverse();
      const kept = rows.filter(
        (each) =>
          (given.subscription === undefined ||
            each.parent?.subscription_details?.subscription === given.subscription) &&
          selected(each, given, ['status', 'collection_method']),
      );
      return pageOf(kept, given, '/v1/invoices', 'invoice');
    },
  ),
  endpoint('GET', '/v1/invoice_payments/:payment', {}, (twin, _given, { payment }) =>
    found(twin, 'invoice_payment', payment),
  ),
  listEndpoint('/v1/invoice_payments', 'invoice_payment', {
    invoice: text(),
    status: oneOf('open', 'paid', 'canceled'),
  }),
];
