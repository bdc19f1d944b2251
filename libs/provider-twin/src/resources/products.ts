// Products and prices: what is sold and for how much per period. Prices are per unit and fixed; tiers, metering and
// custom amounts are refused by name.
import { created, endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import {
  changedMetadata,
  currency,
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
  unsettable,
  type Param,
  type Read,
} from '../http/params';
import type { Price, Product } from '../tables';
import type { Twin } from '../twin';
import { selected } from './listing';
import { found, newestFirst, referenced } from './lookup';

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

const productFields = {
  active: flag,
  description: unsettable(text()),
  images: list(text(), 8),
  metadata,
  name: text(),
  shippable: flag,
  statement_descriptor: text(22),
  tax_code: notOffered('tax'),
  unit_label: unsettable(text(12)),
  url: unsettable(text()),
  marketing_features: unsettable(list(hash({ name: required(text(80)) }), 15)),
};
const priceData = {
  currency: required(currency),
  unit_amount: integer(0, 99_999_999),
  unit_amount_decimal: wholeDecimal,
  recurring,
};
const priceCreate = {
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

/** The longest period that the provider sells is three years. */
function checkRecurring(given: Read<typeof priceData>['recurring']): void {
  if (!given) return;
  const most = { day: 1095, week: 156, month: 36, year: 3 }[given.interval];
  if ((given.interval_count ?? 1) > most)
    throw errors.invalid('The maximum recurring interval for a price is three years.', 'recurring[interval_count]');
}

function unitAmount(given: { unit_amount?: number; unit_amount_decimal?: number }): number {
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

function addProduct(twin: Twin, id: string | undefined, name: string): Product {
  if (id !== undefined && twin.state.get('product', id))
    throw errors.invalid(`Product already exists: ${id}`, 'id', 'resource_already_exists');
  return twin.state.add('product', newProduct(id ?? twin.newId('prod'), name, twin.now()));
}

/** Makes the price that a `price_data` parameter describes; such prices are inactive for later use. */
export function inlinePrice(twin: Twin, given: Read<typeof inlineParams>): Price {
  checkRecurring(given.recurring);
  referenced(twin, 'product', given.product, 'price_data[product]');
  const price = newPrice(
    {
      id: twin.newId('price'),
      product: given.product,
      currency: given.currency,
      unitAmount: unitAmount(given),
      recurring: given.recurring,
    },
    twin.now(),
  );
  price.active = false;
  twin.state.add('price', price);
  twin.emit('price.created', price);
  return price;
}
const inlineParams = { ...priceData, product: required(text()), tax_behavior: priceCreate.tax_behavior };
export const inlinePriceParam = hash(inlineParams);

function describedProduct(
  twin: Twin,
  { id, metadata: change, tax_code: _tax, ...plain }: NonNullable<Read<typeof priceCreate>['product_data']>,
): Product {
  const product = addProduct(twin, id, plain.name);
  Object.assign(product, plain, { metadata: changedMetadata({}, change) });
  return product;
}

function createPrice(twin: Twin, given: Read<typeof priceCreate>): Price {
  checkRecurring(given.recurring);
  if ((given.product === undefined) === (given.product_data === undefined))
    throw errors.invalid('You must pass exactly one of product or product_data.', 'product');
  if (given.lookup_key !== undefined) {
    const holder = [...twin.state.rows('price')].find((each) => each.lookup_key === given.lookup_key);
    if (holder && !given.transfer_lookup_key)
      throw errors.invalid(`A price (\`${holder.id}\`) already uses that lookup key.`, 'lookup_key');
    if (holder) twin.state.edit('price', holder.id).lookup_key = null;
  }
  const product = given.product_data
    ? describedProduct(twin, given.product_data)
    : referenced(twin, 'product', given.product ?? '', 'product');
  if (given.product_data) twin.emit('product.created', product);
  const price = newPrice(
    {
      id: twin.newId('price'),
      product: product.id,
      currency: given.currency,
      unitAmount: unitAmount(given),
      recurring: given.recurring,
    },
    twin.now(),
  );
  Object.assign(price, {
    active: given.active ?? true,
    lookup_key: given.lookup_key ?? null,
    nickname: given.nickname ?? null,
    metadata: changedMetadata({}, given.metadata),
  });
  twin.state.add('price', price);
  twin.emit('price.created', price);
  return price;
}

function changeProduct(product: Product, given: Read<typeof productFields>, at: number): void {
  const { metadata: change, marketing_features: features, tax_code: _tax, ...plain } = given;
  Object.assign(product, plain, features === undefined ? {} : { marketing_features: features ?? [] });
  product.metadata = changedMetadata(product.metadata, change);
  product.updated = at;
}

export const productEndpoints = [
  endpoint(
    'POST',
    '/v1/products',
    {
      ...productFields,
      name: required(text()),
      id: text(),
      type: oneOf('service', 'good'),
      default_price_data: hash(priceData),
    },
    (twin, { id, type, default_price_data: priced, ...given }) => {
      const product = addProduct(twin, id, given.name);
      changeProduct(product, given, twin.now());
      if (type) product.type = type;
      twin.emit('product.created', product);
      if (priced) {
        const price = createPrice(twin, { ...priced, product: product.id });
        product.default_price = price.id;
      }
      return product;
    },
  ),
  endpoint('GET', '/v1/products/:product', {}, (twin, _given, { product }) => found(twin, 'product', product)),
  endpoint(
    'POST',
    '/v1/products/:product',
    { ...productFields, default_price: text() },
    (twin, { default_price: price, ...given }, { product: id }) => {
      const before = found(twin, 'product', id);
      if (price !== undefined) referenced(twin, 'price', price, 'default_price');
      const product = twin.state.edit('product', before.id);
      changeProduct(product, given, twin.now());
      if (price !== undefined) product.default_price = price;
      twin.emit('product.updated', product, before);
      return product;
    },
  ),
  endpoint('DELETE', '/v1/products/:product', {}, (twin, _given, { product: id }) => {
    const product = found(twin, 'product', id);
    if (twin.state.where('price', 'product', product.id).length > 0)
      throw errors.invalid('This product cannot be deleted because it has one or more user-created prices.', 'id');
    twin.state.remove('product', product.id);
    twin.emit('product.deleted', product);
    return { id: product.id, object: 'product', deleted: true };
  }),
  endpoint(
    'GET',
    '/v1/products',
    { ...page, active: flag, created, ids: list(text()), type: oneOf('service', 'good') },
    (twin, given) =>
      pageOf(
        newestFirst(
          twin,
          'product',
          (each) => (!given.ids || given.ids.includes(each.id)) && selected(each, given, ['active', 'type']),
        ),
        given,
        '/v1/products',
        'product',
      ),
  ),
  endpoint('POST', '/v1/prices', priceCreate, createPrice),
  endpoint('GET', '/v1/prices/:price', {}, (twin, _given, { price }) => found(twin, 'price', price)),
  endpoint(
    'POST',
    '/v1/prices/:price',
    {
      active: flag,
      lookup_key: unsettable(text(200)),
      metadata,
      nickname: unsettable(text()),
      transfer_lookup_key: flag,
    },
    (twin, given, { price: id }) => {
      const before = found(twin, 'price', id);
      const price = twin.state.edit('price', before.id);
      const { metadata: change, transfer_lookup_key: _transfer, ...plain } = given;
      Object.assign(price, plain);
      price.metadata = changedMetadata(price.metadata, change);
      twin.emit('price.updated', price, before);
      return price;
    },
  ),
  endpoint(
    'GET',
    '/v1/prices',
    {
      ...page,
      active: flag,
      created,
      currency,
      product: text(),
      type: oneOf('one_time', 'recurring'),
      lookup_keys: list(text(), 10),
      recurring: hash({ interval: oneOf('day', 'week', 'month', 'year'), usage_type: oneOf('licensed', 'metered') }),
    },
    (twin, given) =>
      pageOf(
        newestFirst(
          twin,
          'price',
          (each) =>
            selected(each, given, ['active', 'currency', 'product', 'type']) &&
            selected(each.recurring ?? {}, given.recurring ?? {}, ['interval', 'usage_type']) &&
            (given.lookup_keys === undefined ||
              (each.lookup_key !== null && given.lookup_keys.includes(each.lookup_key))),
        ),
        given,
        '/v1/prices',
        'price',
      ),
  ),
];
