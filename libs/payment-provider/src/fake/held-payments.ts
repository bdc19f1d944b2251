/** The fake's payments that wait for a card holder or a bank: how they begin, and the two ways in which they end. */
import type { Ids } from '@platform/kernel';
import type { ProviderHeldChange, ProviderInvoice, ProviderIssuedInvoice, ProviderSubscription } from '../objects';
import type { Invoices } from './behaviour';

interface Account {
  readonly subscriptions: Map<string, ProviderSubscription>;
  readonly invoices: Invoices;
  readonly issued: ProviderIssuedInvoice[];
  readonly asking: ReadonlySet<string>;
  readonly ids: Ids;
  readonly now: () => Date;
}

/** How long the provider holds a change whose invoice is unpaid. */
const heldMs = 23 * 3_600_000;
const changeTotal = 3_000;

/** Applies the change at once, or holds it when the card holder must confirm; returns its invoice. */
export function heldChange(
  { subscriptions, invoices, issued, asking, ids, now }: Account,
  current: ProviderSubscription,
  { priceId, quantity }: { readonly priceId: string; readonly quantity: number },
): ProviderHeldChange {
  const held = asking.has(current.id);
  const id = `in_${ids.next()}`;
  const invoice: ProviderInvoice = {
    id,
    customerId: current.customerId,
    subscriptionId: current.id,
    status: held ? 'open' : 'paid',
    total: changeTotal,
    hostedUrl: `https://invoice.test/${id}`,
  };
  invoices.set(id, { ...invoice, paymentMethodId: '' });
  // The change has no metadata: its invoice names the previous operation.
  const made = { currency: 'usd', reason: 'subscription_update', createdAt: now() };
  issued.push({ ...invoice, ...made, subscriptionMetadata: current.metadata });
  const next = held
    ? { ...current, pendingUpdate: { priceId, expiresAt: new Date(now().getTime() + heldMs) } }
    : { ...current, priceId, quantity };
  subscriptions.set(current.id, next);
  return { ...next, invoice };
}

function openInvoice(invoices: Invoices, id: string) {
  const invoice = invoices.get(id);
  if (invoice?.status !== 'open') throw new Error(`the invoice ${id} is ${invoice?.status ?? 'unknown'}, not open`);
  return invoice;
}

/** The person confirms, or the bank answers: the invoice is paid, and the waiting change takes effect. */
export function confirmPayment({ subscriptions, invoices }: Account, id: string): ProviderInvoice {
  const paid = { ...openInvoice(invoices, id), status: 'paid' as const };
  invoices.set(id, paid);
  const current = subscriptions.get(paid.subscriptionId ?? '');
  if (!current) return paid;
  const { pendingUpdate, ...rest } = current;
  subscriptions.set(current.id, {
    ...rest,
    status: current.status === 'incomplete' ? 'active' : current.status,
    ...(pendingUpdate?.priceId && { priceId: pendingUpdate.priceId }),
  });
  return paid;
}

/**
 * The provider gives up: the invoice is void, a held change is dropped, and a sale whose first payment never came ends.
 */
export function expirePayment(
  { subscriptions, invoices }: Pick<Account, 'subscriptions' | 'invoices'>,
  id: string,
): ProviderInvoice {
  const voided = { ...openInvoice(invoices, id), status: 'void' as const };
  invoices.set(id, voided);
  const current = subscriptions.get(voided.subscriptionId ?? '');
  if (!current) return voided;
  const { pendingUpdate: _dropped, ...rest } = current;
  subscriptions.set(current.id, {
    ...rest,
    status: current.status === 'incomplete' ? 'incomplete_expired' : current.status,
  });
  return voided;
}
