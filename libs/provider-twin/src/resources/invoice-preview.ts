/** The preview of an invoice: the amount of a plan change before a person decides about it. It changes nothing. */
import { previewChange, previewStart } from '../billing/preview';
import { endpoint, type Endpoint } from '../http/endpoint';
import { errors } from '../http/errors';
import { either, flag, hash, integer, list, notOffered, oneOf, only, required, text, timestamp } from '../http/params';
import { customerNamed, referenced } from './lookup';
import { priceNamed } from './requested-price';

const noTax = notOffered('tax');
const item = hash({
  id: text(),
  price: text(),
  price_data: notOffered('inline prices in previews'),
  quantity: integer(0, 1_000_000),
  deleted: flag,
  clear_usage: flag,
  tax_rates: noTax,
});
const details = hash({
  items: list(item, 20),
  proration_behavior: oneOf('create_prorations', 'none', 'always_invoice'),
  proration_date: timestamp,
  billing_cycle_anchor: oneOf('now', 'unchanged'),
  cancel_at_period_end: flag,
  trial_end: either(timestamp, oneOf('now')),
  cancel_now: notOffered('previews of cancellations'),
  start_date: notOffered('backdating'),
  default_tax_rates: noTax,
});
const params = {
  customer: text(),
  subscription: text(),
  subscription_details: details,
  currency: text(3),
  preview_mode: only(oneOf('next', 'recurring'), (each) => each === 'next', 'other previews than the next invoice'),
  automatic_tax: hash({ enabled: required(only(flag, (each) => !each, 'tax')) }),
  discounts: notOffered('coupons and discounts'),
  invoice_items: notOffered('additional invoice items'),
  schedule: notOffered('previews of schedules'),
  schedule_details: notOffered('previews of schedules'),
};

export const invoicePreviewEndpoint: Endpoint = {
  ...endpoint('POST', '/v1/invoices/create_preview', params, (twin, given) => {
    const changed = given.subscription_details;
    const named = changed?.items?.map((each, at) => ({
      ...each,
      price: priceNamed(twin, each, `subscription_details[items][${at}]`),
    }));
    if (given.subscription !== undefined) {
      const subscription = referenced(twin, 'subscription', given.subscription, 'subscription');
      if (given.customer !== undefined && given.customer !== subscription.customer)
        throw errors.invalid('The subscription does not belong to this customer.', 'customer');
      return previewChange(twin, subscription.id, named, {
        proration: changed?.proration_behavior,
        prorationDate: changed?.proration_date,
        anchor: changed?.billing_cycle_anchor,
        ...(changed?.cancel_at_period_end === undefined ? {} : { ends: changed.cancel_at_period_end }),
      });
    }
    if (given.customer === undefined) throw errors.missing('customer');
    const items = (named ?? []).map(({ price, quantity }, at) => {
      if (!price) throw errors.missing(`subscription_details[items][${at}][price]`);
      return { price, quantity: quantity ?? 1 };
    });
    if (items.length === 0)
      throw errors.invalid('No upcoming invoices for customer', undefined, 'invoice_upcoming_none', 404);
    const end = changed?.trial_end;
    return previewStart(twin, customerNamed(twin, given.customer), items, typeof end === 'number' ? end : null);
  }),
  readOnly: true,
};
