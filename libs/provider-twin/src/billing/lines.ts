/** Invoice lines and pending invoice items: what is charged, for which period, at which price. */
import { clone } from '../clone';
import type { InvoiceItem, InvoiceLine, Price, SubscriptionItem } from '../tables';
import type { Twin } from '../twin';

export interface Charged {
  amount: number;
  currency: string;
  description: string;
  period: { start: number; end: number };
  price: Readonly<Price>;
  quantity: number;
  subscription: string;
  item: string;
  metadata?: Record<string, string>;
}

function money(cents: number, currency: string): string {
  return currency === 'usd' ? `$${(cents / 100).toFixed(2)}` : `${(cents / 100).toFixed(2)} ${currency.toUpperCase()}`;
}

/** A price as text on an invoice: "Pro (at $49.00 / month)". */
export function priceText(twin: Twin, price: Readonly<Price>, quantity: number): string {
  const name = twin.state.get('product', price.product)?.name ?? price.product;
  const every = price.recurring;
  const per = !every
    ? ''
    : every.interval_count === 1
      ? ` / ${every.interval}`
      : ` / every ${every.interval_count} ${every.interval}s`;
  return `${quantity} × ${name} (at ${money(price.unit_amount ?? 0, price.currency)}${per})`;
}

/** A moment as a day on an invoice: "05 Jan 2026". */
export const dayText = (seconds: number): string => {
  const date = new Date(seconds * 1000);
  const month = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][
    date.getUTCMonth()
  ];
  return `${String(date.getUTCDate()).padStart(2, '0')} ${month} ${date.getUTCFullYear()}`;
};

const pricing = (price: Readonly<Price>): NonNullable<InvoiceLine['pricing']> => ({
  price_details: { price: price.id, product: price.product },
  type: 'price_details',
  unit_amount_decimal: price.unit_amount_decimal,
});

/** A line for a period of a subscription item. */
export function subscriptionLine(
  twin: Twin,
  invoice: string,
  charged: Charged,
  invoiceItem?: Readonly<InvoiceItem>,
): InvoiceLine {
  return {
    id: twin.newId('il'),
    object: 'line_item',
    amount: charged.amount,
    currency: charged.currency,
    description: charged.description,
    discount_amounts: [],
    discountable: !invoiceItem,
    discounts: [],
    invoice,
    livemode: false,
    metadata: charged.metadata ?? {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: invoiceItem?.id ?? null,
        proration: invoiceItem?.proration ?? false,
        proration_details: invoiceItem?.proration ? { credited_items: null } : null,
        subscription: charged.subscription,
        subscription_item: charged.item,
      },
      type: 'subscription_item_details',
    },
    period: charged.period,
    pretax_credit_amounts: [],
    pricing: pricing(charged.price),
    quantity: charged.quantity,
    quantity_decimal: String(charged.quantity),
    subscription: charged.subscription,
    subtotal: charged.amount,
    taxes: [],
  };
}

/** A proration that waits for the next invoice. */
export function pendingProration(twin: Twin, customer: string, charged: Charged): InvoiceItem {
  const item = twin.state.add('invoiceitem', {
    id: twin.newId('ii'),
    object: 'invoiceitem',
    amount: charged.amount,
    currency: charged.currency,
    customer,
    customer_account: null,
    date: twin.now(),
    description: charged.description,
    discountable: false,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: {},
    net_amount: charged.amount,
    parent: {
      subscription_details: { subscription: charged.subscription, subscription_item: charged.item },
      type: 'subscription_details',
    },
    period: charged.period,
    pricing: pricing(charged.price),
    proration: true,
    proration_details: { credited_items: null, discount_amounts: [] },
    quantity: charged.quantity,
    quantity_decimal: String(charged.quantity),
    tax_rates: [],
    test_clock: null,
  });
  twin.emit('invoiceitem.created', item);
  return item;
}

/** The invoice line of a pending item. */
export function lineOfItem(twin: Twin, invoice: string, item: Readonly<InvoiceItem>): InvoiceLine {
  const parent = item.parent?.subscription_details;
  const line: InvoiceLine = {
    id: twin.newId('il'),
    object: 'line_item',
    amount: item.amount,
    currency: item.currency,
    description: item.description,
    discount_amounts: [],
    discountable: item.discountable,
    discounts: [],
    invoice,
    livemode: false,
    metadata: { ...item.metadata },
    parent: parent?.subscription_item
      ? {
          invoice_item_details: null,
          subscription_item_details: {
            invoice_item: item.id,
            proration: item.proration,
            proration_details: { credited_items: null },
            subscription: parent.subscription,
            subscription_item: parent.subscription_item,
          },
          type: 'subscription_item_details',
        }
      : {
          invoice_item_details: {
            invoice_item: item.id,
            proration: item.proration,
            proration_details: null,
            subscription: parent?.subscription ?? null,
          },
          subscription_item_details: null,
          type: 'invoice_item_details',
        },
    period: { ...item.period },
    pretax_credit_amounts: [],
    pricing: item.pricing && clone(item.pricing),
    quantity: item.quantity,
    quantity_decimal: item.quantity_decimal,
    subscription: parent?.subscription ?? null,
    subtotal: item.amount,
    taxes: [],
  };
  return line;
}

/** The cost of one period of a subscription item. */
export function periodCharge(
  twin: Twin,
  item: Readonly<SubscriptionItem>,
  period: { start: number; end: number },
  free = false,
): Charged {
  const quantity = item.quantity ?? 1;
  const text = priceText(twin, item.price, quantity);
  return {
    amount: free ? 0 : (item.price.unit_amount ?? 0) * quantity,
    currency: item.price.currency,
    description: free
      ? `Trial period for ${twin.state.get('product', item.price.product)?.name ?? item.price.product}`
      : text,
    period,
    price: item.price,
    quantity,
    subscription: item.subscription,
    item: item.id,
  };
}
