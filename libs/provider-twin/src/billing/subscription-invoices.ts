/** The invoices of a subscription, one per period. */
import type { Invoice, Subscription } from '../tables';
import type { Twin } from '../twin';
import type { InvoiceFields } from './blank-invoice';
import { draftInvoice, pendingItems } from './invoices';
import { periodCharge, subscriptionLine } from './lines';
import { prorated } from './proration';

/** The fields that all invoices of a subscription share. */
export function invoiceFields(
  twin: Twin,
  subscription: Readonly<Subscription>,
  reason: InvoiceFields['reason'],
  period: { start: number; end: number },
): InvoiceFields {
  const customer = twin.state.get('customer', subscription.customer);
  if (!customer) throw new Error(`${subscription.id} has no customer`);
  return {
    customer,
    currency: subscription.currency,
    reason,
    period,
    subscription,
    defaultMethod: null,
    collectionMethod: subscription.collection_method,
    daysUntilDue: subscription.days_until_due,
  };
}

/** The invoice of one period for all items; a share of it when `from` is inside the period. */
export function periodInvoice(
  twin: Twin,
  subscription: Readonly<Subscription>,
  reason: InvoiceFields['reason'],
  charge: { start: number; end: number },
  options: {
    free?: boolean;
    shareOf?: { start: number; end: number };
    invoicePeriod?: { start: number; end: number };
  } = {},
): Invoice {
  const fields = invoiceFields(
    twin,
    subscription,
    reason,
    options.invoicePeriod ?? { start: twin.now(), end: twin.now() },
  );
  return draftInvoice(
    twin,
    fields,
    (invoice) =>
      subscription.items.data.map((item) => {
        const charged = periodCharge(twin, item, charge, options.free);
        const amount = options.shareOf ? prorated(charged.amount, options.shareOf, charge.start) : charged.amount;
        return subscriptionLine(twin, invoice, { ...charged, amount });
      }),
    pendingItems(twin, subscription.customer, subscription.id),
  );
}
