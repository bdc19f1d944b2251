/** Invoice items: further lines of a customer's next invoice. */
import { total } from '../billing/invoices';
import { lineOfItem } from '../billing/lines';
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
  required,
  text,
  unsettable,
} from '../http/params';
import type { InvoiceItem } from '../tables';
import type { Twin } from '../twin';
import { selected } from './listing';
import { customerNamed, found, newestFirst, referenced } from './lookup';

const itemParams = {
  amount: integer(-99_999_999, 99_999_999),
  currency,
  description: unsettable(text()),
  metadata,
  quantity: notOffered('quantities of invoice items; give the amount'),
  discountable: flag,
  tax_rates: notOffered('tax'),
};

function newItem(
  twin: Twin,
  customer: string,
  fields: {
    amount: number;
    currency: string;
    description: string | null;
    metadata: Record<string, string>;
    invoice: string | null;
    subscription: string | null;
  },
): InvoiceItem {
  const now = twin.now();
  return {
    id: twin.newId('ii'),
    object: 'invoiceitem',
    amount: fields.amount,
    currency: fields.currency,
    customer,
    customer_account: null,
    date: now,
    description: fields.description,
    discountable: fields.amount > 0,
    discounts: [],
    invoice: fields.invoice,
    livemode: false,
    metadata: fields.metadata,
    net_amount: fields.amount,
    parent: fields.subscription
      ? { subscription_details: { subscription: fields.subscription }, type: 'subscription_details' }
      : null,
    period: { start: now, end: now },
    pricing: null,
    proration: false,
    quantity: 1,
    quantity_decimal: '1',
    tax_rates: [],
    test_clock: null,
  };
}

export const invoiceItemEndpoints = [
  endpoint(
    'POST',
    '/v1/invoiceitems',
    {
      ...itemParams,
      customer: required(text()),
      invoice: text(),
      subscription: text(),
      period: notOffered('periods of invoice items'),
    },
    (twin, given) => {
      const customer = customerNamed(twin, given.customer);
      if (given.amount === undefined) throw errors.missing('amount');
      if (given.subscription !== undefined) referenced(twin, 'subscription', given.subscription, 'subscription');
      const target = given.invoice === undefined ? undefined : referenced(twin, 'invoice', given.invoice, 'invoice');
      if (target && target.status !== 'draft')
        throw errors.invalid('The specified invoice is no longer editable.', 'invoice', 'invoice_not_editable');
      const fields = {
        amount: given.amount,
        currency: given.currency ?? customer.currency ?? 'usd',
        description: given.description ?? null,
        metadata: changedMetadata({}, given.metadata),
        invoice: null,
        subscription: given.subscription ?? null,
      };
      const item = twin.state.add('invoiceitem', newItem(twin, customer.id, fields));
      if (given.discountable !== undefined) item.discountable = given.discountable;
      twin.emit('invoiceitem.created', item);
      if (target) {
        const invoice = twin.state.edit('invoice', target.id);
        item.invoice = invoice.id;
        invoice.lines.data.push(lineOfItem(twin, invoice.id, item));
        total(twin, invoice);
      }
      return item;
    },
  ),
  endpoint('GET', '/v1/invoiceitems/:item', {}, (twin, _given, { item }) => found(twin, 'invoiceitem', item)),
  endpoint(
    'GET',
    '/v1/invoiceitems',
    { ...page, customer: text(), invoice: text(), pending: flag, created },
    (twin, given) =>
      pageOf(
        newestFirst(
          twin,
          'invoiceitem',
          (each) =>
            selected({ ...each, created: each.date }, given, ['customer', 'invoice']) &&
            (given.pending === undefined || (each.invoice === null) === given.pending),
        ),
        given,
        '/v1/invoiceitems',
        'invoiceitem',
      ),
  ),
];
