/** What the suite behind the port needs of a provider, and the helpers that its parts share. */
import type { EffectOf } from './effects';
import type { ProviderFaultKind } from './fake/provider-faults';
import type { CallIntent, PaymentProvider, PreparedCall } from './port';

/** The terms of a customer's contract that a change must keep unless it names them. */
export interface ContractTerms {
  /** Seconds; null without a trial. */
  readonly trialEnd: number | null;
  readonly quantity: number;
  readonly discounts: readonly string[];
  readonly taxRates: readonly string[];
  readonly paymentMethodId: string | null;
  /** Seconds. */
  readonly anchor: number;
  /** Without the metadata that operations add. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Workspace {
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly itemId: string;
}

/** What some providers cannot be made to do; their harnesses say so. */
export interface Abilities {
  /** `failNext`: faults of the network and of the provider. */
  readonly faults: boolean;
  /** `completeCheckout` and `answerBank`: a person's actions on the provider's page, and a bank's answers. */
  readonly pages: boolean;
  /** `contracts`: subscriptions with terms, and time that can be advanced for one customer. */
  readonly contracts: boolean;
  /** `nextEvent`: events reach a receiver of the suite. */
  readonly webhooks: boolean;
}

export interface ReceivedEvent {
  readonly payload: Buffer;
  readonly signature: string;
  /** The endpoint's signing secret. */
  readonly secret: string;
}

export interface ProviderHarness {
  readonly provider: PaymentProvider;
  /** A new customer without a fixed currency, and its active subscription on `priceIds.starter`. */
  addWorkspace(): Promise<Workspace>;
  /** A subscription whose next charge is declined. */
  addDecliningWorkspace(): Promise<{ readonly subscriptionId: string; readonly itemId: string }>;
  /** A subscription whose card holder must confirm each payment, and the holder's actions. */
  addAskingWorkspace(): Promise<{ readonly subscriptionId: string; readonly itemId: string }>;
  confirmPayment(invoiceId: string): Promise<void>;
  /** Advances time until the provider has given up unconfirmed payments. */
  giveUpPayment(invoiceId: string): Promise<void>;
  readonly priceIds: { readonly starter: string; readonly pro: string };
  /** Effects of an operation, from the provider's own ledger. */
  effects(
    operationId: string,
  ): Promise<
    readonly { readonly path: string; readonly idempotencyKey: string | null; readonly objectId: string | null }[]
  >;
  /** The next mutation gets the fault. */
  failNext(kind: ProviderFaultKind): Promise<void>;
  /** The person pays on the page of an open session, or lets it expire. */
  completeCheckout(sessionId: string, bank?: 'answers later'): Promise<void>;
  /** The bank that answers later pays or refuses. */
  answerBank(invoiceId: string, pays: boolean): Promise<void>;
  expireCheckout(sessionId: string): Promise<void>;
  /** The first event of this type about such an object, as received: bytes and signature. */
  nextEvent?(type: string, about: (object: Readonly<Record<string, unknown>>) => boolean): Promise<ReceivedEvent>;
  readonly contracts?: {
    /**
     * In its trial, with a quantity, its own card and metadata; with discount and taxes where the provider offers them.
     */
    add(): Promise<Workspace>;
    terms(subscriptionId: string): Promise<ContractTerms>;
    passDays(workspace: Workspace, days: number): Promise<void>;
  };
  close(): Promise<void>;
}

let operations = 0;

export function newIntent(): CallIntent {
  operations += 1;
  return { operationId: `op-feature-${operations}` };
}

/** Sends the call; any result but success fails the test with the whole answer. */
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
