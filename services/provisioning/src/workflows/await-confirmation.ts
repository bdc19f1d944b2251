/** How a creation waits for the person or the bank whose answer its first payment needs. */
import type { AwaitedConfirmation } from '../domain/attempt';
import { awaitConfirmation } from '../domain/progress';
import { save, type CreationAnswer, type Run } from './run';

/**
 * The provider holds the payment open: the person must confirm it, or a bank has not answered yet. That is neither a
 * refusal nor a success. The executor ends here, and the invoice's event or the reconciliation continues; a payment
 * confirmed meanwhile continues at once.
 */
export async function awaitItsConfirmation(
  run: Run,
  invoiceId: string,
  reason: AwaitedConfirmation['reason'],
): Promise<CreationAnswer | undefined> {
  const { ports } = run;
  const invoice = await ports.provider.retrieveInvoice(invoiceId);
  const found = invoice.outcome === 'succeeded' ? invoice.value : undefined;
  if (found?.status === 'paid') return undefined;
  const since = ports.clock.now();
  const url = found?.hostedUrl ?? undefined;
  const waits = awaitConfirmation(run.attempt, { reason, since, ...(url !== undefined && { url }) });
  return (await save(run, waits)) ?? { kind: 'unresolved', attempt: run.stored };
}
