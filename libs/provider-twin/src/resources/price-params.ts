/** The parameters of a price. Prices are per unit and fixed; tiers, metering and custom amounts are refused by name. */
import { errors } from '../http/errors';
import {
  currency,
  flag,
  hash,
  integer,
  metadata,
  notOffered,
  oneOf,
  only,
  required,
  text,
  type Param,
  type Read,
} from '../http/params';

/** A price in cents that may be written as a decimal; whole cents only. */
const wholeDecimal: Param<number> = {
  required: false,
  read(value, name) {
    const match = typeof value === 'string' ? /^(\d{1,12})(?:\.0{1,12})?$/.exec(value) : null;
    if (!match) throw errors.notOffered('fractions of a cent', name);
    return Number(match[1]);
  },
};

const recurring = hash({
  interval: required(oneOf('day', 'week', 'month', 'year')),
  interval_count: integer(1, 1095),
  trial_period_days: integer(1, 730),
  usage_type: only(oneOf('licensed', 'metered'), (each) => each === 'licensed', 'metered prices'),
  meter: notOffered('metered prices'),
});

export const priceData = {
  currency: required(currency),
  unit_amount: integer(0, 99_999_999),
  unit_amount_decimal: wholeDecimal,
  recurring,
};
export const priceCreate = {
  ...priceData,
  active: flag,
  billing_scheme: only(oneOf('per_unit', 'tiered'), (each) => each === 'per_unit', 'tiered prices'),
  lookup_key: text(200),
  metadata,
  nickname: text(),
  product: text(),
  transfer_lookup_key: flag,
  product_data: hash({
    name: required(text()),
    active: flag,
    id: text(),
    metadata,
    statement_descriptor: text(22),
    unit_label: text(12),
    tax_code: notOffered('tax'),
  }),
  tax_behavior: only(oneOf('unspecified', 'exclusive', 'inclusive'), (each) => each === 'unspecified', 'tax'),
};

/** The longest period that the provider allows is three years. */
export function checkRecurring(given: Read<typeof priceData>['recurring']): void {
  if (!given) return;
  const most = { day: 1095, week: 156, month: 36, year: 3 }[given.interval];
  if ((given.interval_count ?? 1) > most)
    throw errors.invalid('The maximum recurring interval for a price is three years.', 'recurring[interval_count]');
}

export function unitAmount(given: { unit_amount?: number; unit_amount_decimal?: number }): number {
  const { unit_amount: whole, unit_amount_decimal: decimal } = given;
  if (whole !== undefined && decimal !== undefined)
    throw errors.invalid(
      'You may only specify one of these parameters: unit_amount, unit_amount_decimal.',
      'unit_amount',
    );
  const amount = whole ?? decimal;
  if (amount === undefined) throw errors.missing('unit_amount');
  return amount;
}

export const inlineParams = { ...priceData, product: required(text()), tax_behavior: priceCreate.tax_behavior };
export const inlinePriceParam = hash(inlineParams);
