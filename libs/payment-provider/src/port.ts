/**
 * The few calls that we make to the payment provider. A call is prepared first, so that the workflow can persist
 * what it is about to send (law 1), and sent once; only the adapter classifies what came back (law 2).
 * Amounts are integers in the currency's minor unit; currencies are lower-case ISO 4217 codes.
 */
import type { Outcome } from '@platform/kernel';

/** How far a request got before its answer was read. The investigator's first question. */
export type CallPhase = 'not_connected' | 'connected' | 'bytes_written' | 'response_read';

/** What is known before sending; persisted in the attempt. `payloadDigest` is SHA-256 of the encoded body. */
export interface CallDescription {
  readonly step: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly idempotencyKey: string;
  readonly payloadDigest: string;
}

/** What is known after sending; persisted beside the description. */
export interface CallEvidence {
  readonly phase: CallPhase;
  readonly requestId?: string;
  readonly httpStatus?: number;
  readonly objectId?: string;
}

export type CallAnswer<T> = Outcome<T> & { readonly evidence: CallEvidence };

export interface PreparedCall<T> {
  readonly description: CallDescription;
  /** Sends it, once: a second `send` of the same prepared call throws. Never throws for what the network does. */
  send(): Promise<CallAnswer<T>>;
}

/** Names the durable intent on whose behalf a call is made; goes into metadata and, with the step, into the key. */
export interface CallIntent {
  readonly operationId: string;
  readonly step: string;
  /** Defaults to `<operationId>:<step>`. */
  readonly idempotencyKey?: string;
}

export type ProviderSubscriptionStatus =
  'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'canceled' | 'unpaid' | 'paused';

export interface ProviderSubscription {
  readonly id: string;
  readonly customerId: string;
  readonly status: ProviderSubscriptionStatus;
  readonly collectionPaused: boolean;
  readonly cancelAtPeriodEnd: boolean;
  /** First item's price; the platform's subscriptions have one item. */
  readonly itemId: string;
  readonly priceId: string;
  readonly currentPeriodEnd: Date | null;
  /** The schedule that manages it, if any. */
  readonly scheduleId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ProviderCustomer {
  readonly id: string;
  readonly deleted: boolean;
  /** Null until the provider fixed it by a first invoice. */
  readonly currency: string | null;
  /** Minor units; negative is a credit in the customer's favour. */
  readonly balance: number;
}

export interface ProviderBalanceTransaction {
  readonly id: string;
  readonly customerId: string;
  /** Minor units; negative is a credit in the customer's favour. */
  readonly amount: number;
  readonly currency: string;
  readonly endingBalance: number;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ProviderPaymentMethod {
  readonly id: string;
  /** Null while nobody has attached it. */
  readonly customerId: string | null;
  /** The same for one card wherever it is used; null for methods that are no cards. */
  readonly cardFingerprint: string | null;
}

export interface ProviderInvoice {
  readonly id: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
  /** Minor units. */
  readonly total: number;
}

/** What a change of price would invoice at once: what the provider says now, binding nobody. */
export interface ProviderChangePreview {
  readonly subscriptionId: string;
  readonly currency: string;
  /** Minor units: what is charged for the rest of the period less what is credited for it; negative for a cheaper price. */
  readonly total: number;
  /** What the customer would have to pay after the balance was used. */
  readonly amountDue: number;
}

/** A subscription as its creation answers it, with the first invoice; null when the provider made none. */
export interface ProviderCreatedSubscription extends ProviderSubscription {
  readonly firstInvoice: ProviderInvoice | null;
}

export interface SchedulePhase {
  readonly startDate: Date;
  readonly endDate: Date;
  readonly priceId: string;
}

export interface ProviderSchedule {
  readonly id: string;
  readonly status: 'not_started' | 'active' | 'completed' | 'released' | 'canceled';
  /** Null once released. */
  readonly subscriptionId: string | null;
  readonly phases: readonly SchedulePhase[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** A hosted page on which a person pays for a subscription. */
export interface ProviderCheckoutSession {
  readonly id: string;
  readonly status: 'open' | 'complete' | 'expired';
  /** Where to send the person; null when the session is no longer open. */
  readonly url: string | null;
  readonly customerId: string | null;
  /** What it sold; null until it is complete. */
  readonly subscriptionId: string | null;
  /** The card of that subscription; known when the session is retrieved. */
  readonly paymentMethodId: string | null;
  readonly expiresAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface PaymentProvider {
  pauseCollection(intent: CallIntent, subscriptionId: string): PreparedCall<ProviderSubscription>;
  resumeCollection(intent: CallIntent, subscriptionId: string): PreparedCall<ProviderSubscription>;
  /** Replaces the price of the subscription's item, prorated from now and invoiced at once. */
  changePrice(
    intent: CallIntent,
    change: { readonly subscriptionId: string; readonly itemId: string; readonly priceId: string },
  ): PreparedCall<ProviderSubscription>;
  /** The subscription runs on to the end of the period and ends there. */
  cancelAtPeriodEnd(intent: CallIntent, subscriptionId: string): PreparedCall<ProviderSubscription>;
  /** Ends it now, without proration. The provider takes no metadata with this call. */
  cancelNow(intent: CallIntent, subscriptionId: string): PreparedCall<ProviderSubscription>;
  /** A schedule of one phase, the running period; the provider takes no metadata with this call. */
  createSchedule(intent: CallIntent, subscriptionId: string): PreparedCall<ProviderSchedule>;
  /** Keeps the running phase and appends the new price from its end on, without proration; then the schedule releases itself. */
  schedulePrice(
    intent: CallIntent,
    change: { readonly scheduleId: string; readonly current: SchedulePhase; readonly priceId: string },
  ): PreparedCall<ProviderSchedule>;
  /** Leaves the subscription as it is and drops what was to come. */
  releaseSchedule(intent: CallIntent, scheduleId: string): PreparedCall<ProviderSchedule>;
  /** `amount` is negative for a credit in the customer's favour. */
  createBalanceTransaction(
    intent: CallIntent,
    transaction: {
      readonly customerId: string;
      readonly amount: number;
      readonly currency: string;
      readonly description: string;
    },
  ): PreparedCall<ProviderBalanceTransaction>;

  /** For a creation: these objects carry the intent as `provisioningAttempt` in their metadata. */
  createCustomer(
    intent: CallIntent,
    customer: { readonly email: string; readonly name: string },
  ): PreparedCall<ProviderCustomer>;
  /** The card's issuer may decline this already. The provider takes no metadata with this call. */
  attachPaymentMethod(
    intent: CallIntent,
    attachment: { readonly customerId: string; readonly paymentMethodId: string },
  ): PreparedCall<ProviderPaymentMethod>;
  setDefaultPaymentMethod(
    intent: CallIntent,
    setting: { readonly customerId: string; readonly paymentMethodId: string },
  ): PreparedCall<ProviderCustomer>;
  /** Nothing is charged by it: the first invoice stays open, or is paid at once when its total is zero (trials). */
  createSubscription(
    intent: CallIntent,
    draft: {
      readonly customerId: string;
      readonly priceId: string;
      readonly paymentMethodId: string;
      readonly trialDays: number;
    },
  ): PreparedCall<ProviderCreatedSubscription>;
  /** Charges an open invoice once, with the default payment method of its subscription. */
  payInvoice(intent: CallIntent, invoiceId: string): PreparedCall<ProviderInvoice>;
  /** The provider takes no metadata with this call, and no key replays it. */
  deleteCustomer(intent: CallIntent, customerId: string): PreparedCall<ProviderCustomer>;

  /** Reads never change anything; `failed` with code `not_found` for an unknown id, `unknown` for every other trouble. */
  retrieveCustomer(customerId: string): Promise<Outcome<ProviderCustomer>>;
  retrieveSubscription(subscriptionId: string): Promise<Outcome<ProviderSubscription>>;
  retrievePaymentMethod(paymentMethodId: string): Promise<Outcome<ProviderPaymentMethod>>;
  retrieveInvoice(invoiceId: string): Promise<Outcome<ProviderInvoice>>;
  /** The invoice that {@link PaymentProvider.changePrice} with the same values would make now. Changes nothing. */
  previewPriceChange(change: {
    readonly subscriptionId: string;
    readonly itemId: string;
    readonly priceId: string;
  }): Promise<Outcome<ProviderChangePreview>>;
  /** By the list endpoints of the customer, newest first, at most 100; never by search, whose index lags. */
  listBalanceTransactions(customerId: string): Promise<Outcome<readonly ProviderBalanceTransaction[]>>;
  /** In every status, newest first, at most 100; for an unknown customer `not_found` or an empty list. */
  listSubscriptions(customerId: string): Promise<Outcome<readonly ProviderSubscription[]>>;
  listSchedules(customerId: string): Promise<Outcome<readonly ProviderSchedule[]>>;

  /** Session and subscription carry tenant, plan and operation in their metadata. URLs may hold `{CHECKOUT_SESSION_ID}`. */
  createCheckoutSession(
    intent: CallIntent,
    draft: {
      readonly customerId: string;
      readonly priceId: string;
      readonly tenantId: string;
      readonly planId: string;
      readonly trialDays: number;
      readonly successUrl: string;
      readonly cancelUrl: string;
    },
  ): PreparedCall<ProviderCheckoutSession>;
  retrieveCheckoutSession(sessionId: string): Promise<Outcome<ProviderCheckoutSession>>;
}
