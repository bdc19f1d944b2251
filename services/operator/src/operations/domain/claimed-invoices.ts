/** Which operation an invoice belongs to that does not name it. Pure. */
import type { ProviderIssuedInvoice } from '@platform/payment-provider/effects';
import type { Operation } from './operation';

/** The most time between a call or a landing and the provider's timestamp of its invoice; the two clocks differ. */
const claimedWithinMs = 600_000;

/**
 * Assigns the invoices of held and of deferred changes to operations. Neither change carries metadata of the
 * subscription, so its invoice names a previous operation, or none. An operation that waited for a payment has recorded
 * its invoice. For a change that was applied at once or never answered, the invoice nearest to its call is taken, and
 * for a deferred one that nearest to the date on which it lands: only a change to another interval has such an invoice.
 * The assignment moves an invoice from one operation to another and hides none.
 */
export function claimedInvoices(
  operations: readonly Operation[],
  invoices: readonly ProviderIssuedInvoice[],
): ReadonlyMap<string, string> {
  const claimed = new Map(
    operations.flatMap(({ _id, payment }) => (payment ? [[payment.invoiceId, _id] as const] : [])),
  );
  const changes = invoices.filter(({ reason }) => reason === 'subscription_update');
  for (const operation of operations) {
    const due = invoicedAt(operation);
    if (operation.payment || !due) continue;
    const away = ({ createdAt }: ProviderIssuedInvoice) => Math.abs(createdAt.getTime() - due.getTime());
    const [nearest] = changes
      .filter((each) => !claimed.has(each.id) && away(each) <= claimedWithinMs)
      .sort((one, other) => away(one) - away(other));
    if (nearest) claimed.set(nearest.id, operation._id);
  }
  return claimed;
}

/** When the provider invoices a change that does not name its operation; undefined for every other operation. */
function invoicedAt(operation: Operation): Date | undefined {
  const { action, status, attempts } = operation;
  if (action === 'change_plan_later') {
    const lands = status === 'succeeded' ? operation.result['at'] : undefined;
    return typeof lands === 'string' ? new Date(lands) : undefined;
  }
  return attempts
    .flatMap(({ providerCalls }) => providerCalls)
    .find(({ step, outcome, sentAt }) => step === 'hold_price_change' && outcome !== 'failed' && sentAt)?.sentAt;
}
