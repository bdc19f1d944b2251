/** The parameters of a subscription; what the twin does not support is refused by name. */
import {
  currency,
  either,
  flag,
  hash,
  integer,
  list,
  metadata,
  notOffered,
  oneOf,
  only,
  required,
  text,
  timestamp,
  unsettable,
} from '../http/params';
import { inlinePriceParam } from './price-params';

const noTax = notOffered('tax');
const noDiscount = notOffered('coupons and discounts');
const noConnect = notOffered('connected accounts');
const none = unsettable(only(text(), () => false, 'this parameter'));

const shared = {
  cancel_at: unsettable(either(timestamp, oneOf('min_period_end', 'max_period_end'))),
  cancel_at_period_end: flag,
  collection_method: oneOf('charge_automatically', 'send_invoice'),
  days_until_due: integer(0, 365),
  default_payment_method: unsettable(text()),
  description: unsettable(text(500)),
  metadata,
  off_session: flag,
  payment_behavior: oneOf('allow_incomplete', 'default_incomplete', 'error_if_incomplete', 'pending_if_incomplete'),
  payment_settings: hash({
    payment_method_types: unsettable(
      list(only(text(), (each) => each === 'card', 'other payment method types than card')),
    ),
    save_default_payment_method: oneOf('off', 'on_subscription'),
    payment_method_options: hash({
      card: hash({
        request_three_d_secure: only(
          oneOf('any', 'automatic', 'challenge'),
          (each) => each === 'automatic',
          'forced authentication; use a test card that asks for it',
        ),
      }),
    }),
  }),
  proration_behavior: oneOf('create_prorations', 'none', 'always_invoice'),
  trial_from_plan: flag,
  trial_settings: hash({
    end_behavior: required(
      hash({
        missing_payment_method: required(oneOf('cancel', 'create_invoice', 'pause')),
        billing_cycle_anchor: notOffered('anchors of trial ends'),
      }),
    ),
  }),
  automatic_tax: hash({ enabled: required(only(flag, (each) => !each, 'tax')) }),
  default_tax_rates: noTax,
  discounts: noDiscount,
  coupon: noDiscount,
  promotion_code: noDiscount,
  application_fee_percent: noConnect,
  on_behalf_of: noConnect,
  transfer_data: noConnect,
  default_source: none,
  billing_thresholds: notOffered('billing thresholds'),
  invoice_settings: notOffered('invoice settings of subscriptions'),
  add_invoice_items: notOffered('additional invoice items'),
  pending_invoice_item_interval: notOffered('pending invoice item intervals'),
  billing_mode: hash({
    type: required(only(oneOf('flexible', 'classic'), (each) => each === 'flexible', 'the classic billing mode')),
  }),
};
const quantity = integer(0, 1_000_000);
const createItem = hash({
  price: text(),
  price_data: inlinePriceParam,
  quantity,
  metadata,
  plan: notOffered('plans; use prices'),
  tax_rates: noTax,
  discounts: noDiscount,
});
export const createParams = {
  ...shared,
  customer: required(text()),
  items: required(list(createItem, 20)),
  currency,
  backdate_start_date: notOffered('backdating'),
  billing_cycle_anchor: timestamp,
  billing_cycle_anchor_config: notOffered('anchor configurations; use billing_cycle_anchor'),
  trial_end: either(timestamp, oneOf('now')),
  trial_period_days: integer(0, 730),
};
const updateItem = hash({
  id: text(),
  price: text(),
  price_data: inlinePriceParam,
  quantity,
  deleted: flag,
  clear_usage: flag,
  metadata,
  tax_rates: noTax,
  discounts: noDiscount,
});
export const updateParams = {
  ...shared,
  items: list(updateItem, 20),
  billing_cycle_anchor: oneOf('now', 'unchanged'),
  proration_date: timestamp,
  trial_end: either(timestamp, oneOf('now')),
  pause_collection: unsettable(
    hash({ behavior: required(oneOf('keep_as_draft', 'mark_uncollectible', 'void')), resumes_at: timestamp }),
  ),
  cancellation_details: hash({
    comment: unsettable(text()),
    feedback: unsettable(
      oneOf(
        'customer_service',
        'low_quality',
        'missing_features',
        'other',
        'switched_service',
        'too_complex',
        'too_expensive',
        'unused',
      ),
    ),
  }),
};
