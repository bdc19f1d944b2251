// Products: what is sold.
import { created, endpoint, page } from '../http/endpoint';
import { errors } from '../http/errors';
import { pageOf } from '../http/pagination';
import {
  changedMetadata,
  flag,
  hash,
  list,
  metadata,
  notOffered,
  oneOf,
  required,
  text,
  unsettable,
  type Read,
} from '../http/params';
import type { Product } from '../tables';
import { addProduct } from './catalog';
import { selected } from './listing';
import { found, newestFirst, referenced } from './lookup';
import { priceData } from './price-params';
import { createPrice } from './prices';

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
];
