/** What the suite behind the port needs of one provider, and the means that its parts share. */
import type { EffectOf } from './effects';
import type { ProviderFaultKind } from './fake/provider-faults';
import type { CallIntent, PaymentProvider, PreparedCall } from './port';

export interface ProviderHarness {
  readonly provider: PaymentProvider;
  /** A fresh customer without a fixed currency, and its active subscription on `priceIds.starter`. */
  addWorkspace(): Promise<{ readonly customerId: string; readonly subscriptionId: string; readonly itemId: string }>;
  /** A subscription whose next charge is declined. */
  addDecliningWorkspace(): Promise<{ readonly subscriptionId: string; readonly itemId: string }>;
  /** A subscription whose holder must confirm each payment, and what the holder does. */
  addAskingWorkspace(): Promise<{ readonly subscriptionId: string; readonly itemId: string }>;
  confirmPayment(invoiceId: string): Promise<void>;
  /** So much later that the provider has given up what was not confirmed. */
  giveUpPayment(invoiceId: string): Promise<void>;
  readonly priceIds: { readonly starter: string; readonly pro: string };
  /** Effects of an operation, from the provider's own ledger. */
  effects(
    operationId: string,
  ): Promise<
    readonly { readonly path: string; readonly idempotencyKey: string | null; readonly objectId: string | null }[]
  >;
  /** The next mutation meets the fault. */
  failNext(kind: ProviderFaultKind): Promise<void>;
  /** The person pays on the page of an open session, or lets it expire. */
  completeCheckout(sessionId: string, bank?: 'answers later'): Promise<void>;
  /** The bank that answers later has paid, or refuses. */
  answerBank(invoiceId: string, pays: boolean): Promise<void>;
  expireCheckout(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

let operations = 0;

export function newIntent(): CallIntent {
  operations += 1;
  return { operationId: `op-feature-${operations}` };
}

/** Sends the call; anything but success fails the test with the whole answer. */
export async function valueOf<T>(call: PreparedCall<T>): Promise<T> {
  const answer = await call.send();
  if (answer.outcome !== 'succeeded') throw new Error(`expected success, got ${JSON.stringify(answer)}`);
  return answer.value;
}

export const credit = (customerId: string, amountCents = 500, currency = 'usd'): EffectOf<'balance_credit'> => ({
  step: 'balance_credit',
  customerId,
  amountCents,
  currency,
  description: 'goodwill',
});

export type Opened = () => ProviderHarness;
