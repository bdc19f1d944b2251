/** Products and prices as the twin stores them. */
import { errors } from '../http/errors';
import type { Price, Product } from '../tables';
import type { Twin } from '../twin';

/** A product with a name. */
export function newProduct(id: string, name: string, at: number): Product {
  return {
    id,
    object: 'product',
    active: true,
    created: at,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: at,
    url: null,
  };
}

export interface PriceFields {
  id: string;
  product: string;
  currency: string;
  unitAmount: number;
  recurring?:
    { interval: 'day' | 'week' | 'month' | 'year'; interval_count?: number; trial_period_days?: number } | undefined;
}

/** A per-unit price. */
export function newPrice(fields: PriceFields, at: number): Price {
  const every = fields.recurring;
  return {
    id: fields.id,
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: at,
    currency: fields.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: fields.product,
    recurring: every
      ? {
          interval: every.interval,
          interval_count: every.interval_count ?? 1,
          meter: null,
          trial_period_days: every.trial_period_days ?? null,
          usage_type: 'licensed',
        }
      : null,
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: every ? 'recurring' : 'one_time',
    unit_amount: fields.unitAmount,
    unit_amount_decimal: String(fields.unitAmount),
  };
}

export function addProduct(twin: Twin, id: string | undefined, name: string): Product {
  if (id !== undefined && twin.state.get('product', id))
    throw errors.invalid(`Product already exists: ${id}`, 'id', 'resource_already_exists');
  return twin.state.add('product', newProduct(id ?? twin.newId('prod'), name, twin.now()));
}
