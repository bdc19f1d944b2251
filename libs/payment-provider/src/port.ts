/**
 * The payment provider as the platform uses it: effects of the one table (`effects/table.ts`), and reads. A call is
 * prepared first, so that the workflow can persist what it is about to send (law 1), and sent once; only the adapter
 * classifies what came back (law 2).
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

/** How far a request got before its answer was read. Investigators need this first. */
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

/** Names the durable intent on whose behalf an effect is prepared; goes into metadata and into the key. */
export interface CallIntent {
  readonly operationId: string;
}

/** Objects that a list is followed for, in pages of 100. */
export const listedMax = 10_000;

/** Reads never change anything; `failed` with code `not_found` for an unknown id, `unknown` for every other trouble. */
export interface ProviderReads {
  retrieveCustomer(customerId: string): Promise<Outcome<ProviderCustomer>>;
  retrieveSubscription(subscriptionId: string): Promise<Outcome<ProviderSubscription>>;
  retrievePaymentMethod(paymentMethodId: string): Promise<Outcome<ProviderPaymentMethod>>;
  retrieveSchedule(scheduleId: string): Promise<Outcome<ProviderSchedule>>;
  /** `unknown` for a price that does not recur. */
  retrievePrice(priceId: string): Promise<Outcome<ProviderPrice>>;
  retrieveInvoice(invoiceId: string): Promise<Outcome<ProviderInvoice>>;
  retrieveCheckoutSession(sessionId: string): Promise<Outcome<ProviderCheckoutSession>>;
  /** The invoice that the effect `change_price` with the same values would make now. Changes nothing; `failed` also when the provider refuses it. */
  previewPriceChange(change: ValuesOf<'change_price'>): Promise<Outcome<ProviderChangePreview>>;
  /**
   * By the list endpoints of the customer, newest first and to their end; never by search, whose index lags. `unknown`
   * when there are more objects than {@link listedMax}: a truncated list proves nothing about missing objects.
   */
  listBalanceTransactions(customerId: string): Promise<Outcome<readonly ProviderBalanceTransaction[]>>;
  /** In every status, newest first; for an unknown customer `not_found` or an empty list. */
  listSubscriptions(customerId: string): Promise<Outcome<readonly ProviderSubscription[]>>;
  listSchedules(customerId: string): Promise<Outcome<readonly ProviderSchedule[]>>;
  /** The methods that are attached to the customer, newest first, at most 100. */
  listPaymentMethods(customerId: string): Promise<Outcome<readonly ProviderPaymentMethod[]>>;
  listCheckoutSessions(customerId: string): Promise<Outcome<readonly ProviderCheckoutSession[]>>;
  /** Those that exist and were created at or after this instant (ISO 8601), newest first; older ones may follow. */
  listCustomers(createdSince: string): Promise<Outcome<readonly ProviderCustomer[]>>;
  /** Of the customer in every status but `draft` ones that were deleted, newest first. */
  listInvoices(customerId: string): Promise<Outcome<readonly ProviderIssuedInvoice[]>>;
  /** Created at or after this instant (ISO 8601), newest first. The provider keeps events for 30 days. */
  listEvents(createdSince: string): Promise<Outcome<readonly ProviderEventSummary[]>>;
}

export interface PaymentProvider extends ProviderReads {
  /** Nothing is sent here. Equal intents and effects have equal descriptions, whichever process prepares them. */
  prepare<E extends Effect>(intent: CallIntent, effect: E): PreparedCall<ObjectOf<E>>;
}
