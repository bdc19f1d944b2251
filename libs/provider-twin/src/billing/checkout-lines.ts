/** The line items of a checkout session, in the provider's list format. */
import type Stripe from 'stripe';
import { clone } from '../clone';
import type { Stored } from '../stored';
import type { State } from '../state';
import type { Price } from '../tables';

export type LineItem = Omit<Stored<Stripe.LineItem>, 'price'> & { price: Price | null };

/** The line items of a session, in the order in which they were given. */
export function checkoutLines(state: State, session: string): LineItem[] {
  const content = state.get('checkout_content', session);
  return (content?.lines ?? []).map((line) => {
    const price = state.get('price', line.price);
    return {
      id: line.id,
      object: 'item',
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: line.amount,
      amount_tax: 0,
      amount_total: line.amount,
      currency: line.currency,
      description: line.description,
      metadata: {},
      price: price ? (clone(price) as Price) : null,
      quantity: line.quantity,
    };
  });
}
