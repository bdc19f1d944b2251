/**
 * The provider's objects as the platform reads them. Amounts are integers in the currency's minor unit; currencies are
 * lower-case ISO 4217 codes.
 */

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
  /** Empty once deleted. */
  readonly metadata: Readonly<Record<string, string>>;
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
  /** Null while it is not attached. */
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

/** What a change of price would invoice at once: what the provider says now, without a promise. */
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

/** What an effect answers with, by kind. Each kind has one decoder in the adapter. */
export interface ProviderObjects {
  readonly subscription: ProviderSubscription;
  readonly created_subscription: ProviderCreatedSubscription;
  readonly schedule: ProviderSchedule;
  readonly balance_transaction: ProviderBalanceTransaction;
  readonly customer: ProviderCustomer;
  readonly payment_method: ProviderPaymentMethod;
  readonly invoice: ProviderInvoice;
  readonly checkout_session: ProviderCheckoutSession;
}

export type ObjectKind = keyof ProviderObjects;
