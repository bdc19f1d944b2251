// Prices: how much a product costs, and per which period.
import { created, endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import {
  changedMetadata,
  currency,
  flag,
  hash,
  list,
  metadata,
  oneOf,
  text,
  unsettable,
  type Read,
} from '../http/params';
import type { Price, Product } from '../tables';
import type { Twin } from '../twin';
import { addProduct, newPrice } from './catalog';
import { selected } from './listing';
import { found, newestFirst, referenced } from './lookup';
import { checkRecurring, priceCreate, unitAmount } from './price-params';

function describedProduct(
  twin: Twin,
  { id, metadata: change, tax_code: _tax, ...plain }: NonNullable<Read<typeof priceCreate>['product_data']>,
): Product {
  const product = addProduct(twin, id, plain.name);
  Object.assign(product, plain, { metadata: changedMetadata({}, change) });
  return product;
}

export function createPrice(twin: Twin, given: Read<typeof priceCreate>): Price {
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

export const priceEndpoints = [
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
