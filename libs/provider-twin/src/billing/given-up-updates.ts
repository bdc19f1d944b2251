/** Giving up a pending update: its invoice is voided, and the change is dropped with it. */
import type { Twin } from '../twin';
import { voidInvoice } from './invoices';

/** Gives up the change that waits on a subscription, if there is one. */
export function giveUpUpdate(twin: Twin, id: string): void {
  const subscription = twin.state.get('subscription', id);
  const invoice = subscription?.pending_update && twin.state.get('invoice', subscription.latest_invoice ?? '');
  // An invoice that a person has written off can still be paid, which would apply the change.
  if (invoice?.status === 'open' || invoice?.status === 'uncollectible')
    voidInvoice(twin, twin.state.edit('invoice', invoice.id));
}
