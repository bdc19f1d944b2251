/** The price that a request names, or describes inline. */
import { errors } from '../http/errors';
import type { Read } from '../http/params';
import type { Price } from '../tables';
import type { Twin } from '../twin';
import { newPrice } from './catalog';
import { referenced } from './lookup';
import { checkRecurring, unitAmount, type inlineParams, type inlinePriceParam } from './price-params';

/** Creates the price that a `price_data` parameter describes; such prices cannot be used again. */
function inlinePrice(twin: Twin, given: Read<typeof inlineParams>): Price {
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

/** The price that an item of a request names or describes. */
export function priceNamed(
  twin: Twin,
  given: {
    price?: string;
    price_data?: Read<{ d: typeof inlinePriceParam }>['d'];
  },
  param: string,
): Readonly<Price> | undefined {
  if (given.price_data) return inlinePrice(twin, given.price_data);
  if (given.price === undefined) return undefined;
  const named = param ? `${param}[price]` : 'price';
  const price = referenced(twin, 'price', given.price, named);
  if (!price.active)
    throw errors.invalid(`The price specified is inactive. This field only accepts active prices.`, named);
  return price;
}
