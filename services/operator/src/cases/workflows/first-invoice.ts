/** The first invoice of a creation that waits for its payment, as the provider shows it now. */
import type { AttemptView } from '@platform/contracts-provisioning';
import type { ProviderReads } from '@platform/payment-provider';

/** Its status; nothing where no payment is waited for, and where the provider does not say it. */
export async function firstInvoiceOf(
  { provider }: { readonly provider: Pick<ProviderReads, 'retrieveInvoice'> },
  { status, handles: { invoiceId } }: AttemptView,
): Promise<{ readonly invoice?: string }> {
  if (status !== 'awaiting_payment' || invoiceId === undefined) return {};
  const read = await provider.retrieveInvoice(invoiceId);
  return read.outcome === 'succeeded' ? { invoice: read.value.status } : {};
}
