/**
 * The payment provider as the platform uses it: effects of the one table (`effects/table.ts`), and reads. A call is
 * prepared first, so that the workflow can record the intent before sending (law 1), and sent once; only the adapter
 * classifies the answer (law 2).
 */
import type { Outcome } from '@platform/kernel';
import type { Effect, ObjectOf, ValuesOf } from './effects';
import type {
  ProviderBalanceTransaction,
  ProviderChangePreview,
  ProviderCheckoutSession,
  ProviderCustomer,
  ProviderEventSummary,
  ProviderInvoice,
  ProviderIssuedInvoice,
  ProviderPaymentMethod,
  ProviderPrice,
  ProviderSchedule,
  ProviderSubscription,
} from './objects';

/** How far a request got before its answer was read. This is the first fact that investigators need. */
export type CallPhase = 'not_connected' | 'connected' | 'bytes_written' | 'response_read';

/** What is known before sending; stored with the attempt. `payloadDigest` is SHA-256 of the encoded body. */
export interface CallDescription {
  readonly step: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly idempotencyKey: string;
  readonly payloadDigest: string;
}

/** What is known after sending; stored with the description. */
export interface CallEvidence {
  readonly phase: CallPhase;
  readonly requestId?: string;
  readonly httpStatus?: number;
  readonly objectId?: string;
}

export type CallAnswer<T> = Outcome<T> & { readonly evidence: CallEvidence };

export interface PreparedCall<T> {
  readonly description: CallDescription;
  /** Sends it once: a second `send` of the same prepared call throws. Never throws for a failure of the network. */
  send(): Promise<CallAnswer<T>>;
}

/** Names the durable intent for which an effect is prepared; used in the metadata and the key. */
export interface CallIntent {
  readonly operationId: string;
}

/** The most objects that are read of a list, in pages of 100. */
export const listedMax = 10_000;
/** The same for events: a renewal alone makes ten of them, and all customers share the list. */
export const eventsMax = 500_000;

/** Reads never change anything; `failed` with code `not_found` for an unknown id, `unknown` for every other failure. */
export interface ProviderReads {
  retrieveCustomer(customerId: string): Promise<Outcome<ProviderCustomer>>;
  retrieveSubscription(subscriptionId: string): Promise<Outcome<ProviderSubscription>>;
  retrievePaymentMethod(paymentMethodId: string): Promise<Outcome<ProviderPaymentMethod>>;
  retrieveSchedule(scheduleId: string): Promise<Outcome<ProviderSchedule>>;
  /** `unknown` for a price that does not recur. */
  retrievePrice(priceId: string): Promise<Outcome<ProviderPrice>>;
  retrieveInvoice(invoiceId: string): Promise<Outcome<ProviderInvoice>>;
  retrieveCheckoutSession(sessionId: string): Promise<Outcome<ProviderCheckoutSession>>;
  /**
   * The invoice that the effect `change_price` with the same values would create now. Changes nothing; `failed` also
   * when the provider refuses it.
   */
  previewPriceChange(change: ValuesOf<'change_price'>): Promise<Outcome<ProviderChangePreview>>;
  /**
   * By the customer's list endpoints, newest first and to their end; never by search, whose index lags. `unknown` when
   * there are more objects than {@link listedMax}: a truncated list proves nothing about missing objects.
   */
  listBalanceTransactions(customerId: string): Promise<Outcome<readonly ProviderBalanceTransaction[]>>;
  /** In every status, newest first; for an unknown customer `not_found` or an empty list. */
  listSubscriptions(customerId: string): Promise<Outcome<readonly ProviderSubscription[]>>;
  listSchedules(customerId: string): Promise<Outcome<readonly ProviderSchedule[]>>;
  /** The methods that are attached to the customer, newest first, at most 100. */
  listPaymentMethods(customerId: string): Promise<Outcome<readonly ProviderPaymentMethod[]>>;
  listCheckoutSessions(customerId: string): Promise<Outcome<readonly ProviderCheckoutSession[]>>;
  /** Existing customers that were created at or after this instant (ISO 8601), newest first; older ones may follow. */
  listCustomers(createdSince: string): Promise<Outcome<readonly ProviderCustomer[]>>;
  /** The customer's invoices in every status, except deleted drafts, newest first. */
  listInvoices(customerId: string): Promise<Outcome<readonly ProviderIssuedInvoice[]>>;
  /**
   * Events created at or after this instant (ISO 8601), newest first, at most {@link eventsMax}. The provider keeps
   * events for 30 days.
   */
  listEvents(createdSince: string): Promise<Outcome<readonly ProviderEventSummary[]>>;
  /** The time by the clock that stamps the provider's objects, in whole seconds. */
  readClock(): Promise<Outcome<Date>>;
}

export interface PaymentProvider extends ProviderReads {
  /** Sends nothing. Equal intents and effects have equal descriptions, whichever process prepares them. */
  prepare<E extends Effect>(intent: CallIntent, effect: E): PreparedCall<ObjectOf<E>>;
}
