/** Which operation an invoice of a held change belongs to. Pure. */
import type { ProviderIssuedInvoice } from '@platform/payment-provider/effects';
import type { Operation } from './operation';

/** The most time between a call and the provider's timestamp of its invoice; the two clocks differ. */
const heldWithinMs = 600_000;

/**
 * Assigns the invoices of held changes to operations. A held change carries no metadata, so its invoice names the
 * previous operation. An operation that waited for a payment has recorded its invoice. For a change that was applied at
 * once or never answered, the invoice nearest to its call is taken. The assignment moves an invoice from one operation
 * to another and hides none.
 */
export function claimedInvoices(
  operations: readonly Pick<Operation, '_id' | 'payment' | 'attempts'>[],
  invoices: readonly ProviderIssuedInvoice[],
): ReadonlyMap<string, string> {
  const claimed = new Map(
    operations.flatMap(({ _id, payment }) => (payment ? [[payment.invoiceId, _id] as const] : [])),
  );
  const changes = invoices.filter(({ reason }) => reason === 'subscription_update');
  for (const { _id, payment, attempts } of operations) {
    const sent = attempts
      .flatMap(({ providerCalls }) => providerCalls)
      .find(({ step, outcome, sentAt }) => step === 'hold_price_change' && outcome !== 'failed' && sentAt)?.sentAt;
    if (payment || !sent) continue;
    const away = ({ createdAt }: ProviderIssuedInvoice) => Math.abs(createdAt.getTime() - sent.getTime());
    const [nearest] = changes
      .filter((each) => !claimed.has(each.id) && away(each) <= heldWithinMs)
      .sort((one, other) => away(one) - away(other));
    if (nearest) claimed.set(nearest.id, _id);
  }
  return claimed;
}
