/**
 * The provider's objects as the platform reads them. Amounts are integers in the currency's minor unit; currencies are
 * lower-case ISO 4217 codes.
 */

import type { SdkParams } from './stripe/sdk';

export type ProviderSubscriptionStatus =
  'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'canceled' | 'unpaid' | 'paused';

/** What a subscription sells: a price, so many times. */
export interface ProviderSubscriptionItem {
  readonly itemId: string;
  readonly priceId: string;
  readonly quantity: number;
  readonly currentPeriodEnd: Date | null;
}

/** Its own item is the first one of the provider's list. */
export interface ProviderSubscription extends ProviderSubscriptionItem {
  readonly id: string;
  readonly customerId: string;
  readonly status: ProviderSubscriptionStatus;
  readonly collectionPaused: boolean;
  readonly cancelAtPeriodEnd: boolean;
  /** When it ends, once that is set: the end of its period, or another date that a person chose at the provider. */
  readonly cancelsAt?: Date;
  /** The platform's subscriptions have one item; a person may add others at the provider. Absent: there are none. */
  readonly otherItems?: readonly ProviderSubscriptionItem[];
  /** The id of the schedule that manages it, if any. */
  readonly scheduleId: string | null;
  /** A change that waits for the payment of its invoice; the fields above show the subscription without the change. */
  readonly pendingUpdate?: { readonly priceId: string | null; readonly expiresAt: Date };
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ProviderCustomer {
  readonly id: string;
  readonly deleted: boolean;
  /** Null until the first invoice fixes it at the provider. */
  readonly currency: string | null;
  /** Minor units; negative is a credit in the customer's favour. */
  readonly balance: number;
  /** See `email-digest.ts`; the address itself is not read. Absent without one, and once deleted. */
  readonly emailDigest?: string;
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
  /** `adjustment` for a transaction made by a call or a person; the provider's own movements have other types. */
  readonly type: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ProviderPaymentMethod {
  readonly id: string;
  /** Null while the payment method is not attached. */
  readonly customerId: string | null;
  /** The same for one card wherever it is used; null for methods that are not cards. */
  readonly cardFingerprint: string | null;
}

export interface ProviderInvoice {
  readonly id: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
  /** Minor units. */
  readonly total: number;
  /** The provider's page on which a person pays or confirms the invoice; null for drafts. */
  readonly hostedUrl: string | null;
}

/** An invoice as it appears in lists. */
export interface ProviderIssuedInvoice extends ProviderInvoice {
  readonly currency: string;
  /**
   * Why the provider created it: `subscription_create`, `subscription_update`, `subscription_cycle`, `manual` and
   * others.
   */
  readonly reason: string | null;
  readonly createdAt: Date;
  /**
   * The metadata of its subscription when the invoice was created; they name the last operation on the subscription.
   */
  readonly subscriptionMetadata: Readonly<Record<string, string>>;
}

/** An event of the provider without its object. */
export interface ProviderEventSummary {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  /** The customer that the event's object belongs to, or is; null when the object names none. */
  readonly customerId: string | null;
}

/** What a change of price would invoice at once: the provider's current statement, which is no promise. */
export interface ProviderChangePreview {
  readonly subscriptionId: string;
  readonly currency: string;
  /** Minor units: the charge for the rest of the period minus the credit for it; negative for a cheaper price. */
  readonly total: number;
  /** The tax in the total. */
  readonly tax: number;
  /** The customer's balance before and after; negative is a credit in the customer's favour. */
  readonly startingBalance: number;
  readonly endingBalance: number;
  /** The amount that the customer would have to pay after the balance was used. */
  readonly amountDue: number;
  /** Start of the proration in Unix seconds; null where the provider does not report it. */
  readonly prorationDate: number | null;
}

/** The answer to the creation of a subscription, with the first invoice; null when the provider created none. */
export interface ProviderCreatedSubscription extends ProviderSubscription {
  readonly firstInvoice: ProviderInvoice | null;
}

/** The answer to a change that may wait for its payment, with the invoice of that change. */
export interface ProviderHeldChange extends ProviderSubscription {
  readonly invoice: ProviderInvoice | null;
}

/**
 * A phase in the notation of a request, without its dates. An update replaces phases as a whole and unsets every
 * omitted setting, so a phase that must stay is sent exactly as it was read.
 */
export type PhaseSettings = Omit<
  NonNullable<SdkParams['scheduleUpdate']['phases']>[number],
  'start_date' | 'end_date' | 'duration'
>;

export interface SchedulePhase {
  readonly startDate: Date;
  readonly endDate: Date;
  /** First item's price. */
  readonly priceId: string;
  readonly settings: PhaseSettings;
}

export interface ProviderSchedule {
  readonly id: string;
  readonly status: 'not_started' | 'active' | 'completed' | 'released' | 'canceled';
  /** Null once released. */
  readonly subscriptionId: string | null;
  /** The current phase and those that follow; phases that have ended may precede them. */
  readonly phases: readonly SchedulePhase[];
  /** When the current phase began; null when there is none. */
  readonly runningSince: Date | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** How often a recurring price is billed: every `intervalCount` intervals. */
export interface ProviderPrice {
  readonly id: string;
  /** Minor units; null for prices that have no single amount. */
  readonly unitAmount: number | null;
  readonly currency: string;
  readonly interval: 'day' | 'week' | 'month' | 'year';
  readonly intervalCount: number;
  /** One that is inactive is paid on by its subscribers, and refused to new ones. */
  readonly active: boolean;
}

/** A hosted page on which a person pays for a subscription. */
export interface ProviderCheckoutSession {
  readonly id: string;
  readonly status: 'open' | 'complete' | 'expired';
  /** The address for the person; null when the session is no longer open. */
  readonly url: string | null;
  readonly customerId: string | null;
  /** The subscription that it sold; null until it is complete. */
  readonly subscriptionId: string | null;
  /** The card of that subscription; known when the session is retrieved. */
  readonly paymentMethodId: string | null;
  /** `unpaid` while the session is open, and afterwards while a bank that answers later has not paid. */
  readonly paymentStatus: 'paid' | 'unpaid' | 'no_payment_required';
  /** The first invoice of the sold subscription; null until it is complete. */
  readonly invoiceId: string | null;
  readonly expiresAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The object in an effect's answer, by kind. Each kind has one decoder in the adapter. */
export interface ProviderObjects {
  readonly subscription: ProviderSubscription;
  readonly created_subscription: ProviderCreatedSubscription;
  readonly held_change: ProviderHeldChange;
  readonly schedule: ProviderSchedule;
  readonly balance_transaction: ProviderBalanceTransaction;
  readonly customer: ProviderCustomer;
  readonly payment_method: ProviderPaymentMethod;
  readonly invoice: ProviderInvoice;
  readonly checkout_session: ProviderCheckoutSession;
}

export type ObjectKind = keyof ProviderObjects;
