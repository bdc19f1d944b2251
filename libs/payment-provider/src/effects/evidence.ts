/**
 * How an effect is visible at the provider after its answer was lost: which read to make, what that needs, and which of
 * the returned objects the effect created or changed.
 */
import type {
  ProviderBalanceTransaction,
  ProviderCheckoutSession,
  ProviderCustomer,
  ProviderInvoice,
  ProviderPaymentMethod,
  ProviderSchedule,
  ProviderSubscription,
} from '../objects';
import type { StepIntent } from './step-intent';

/** The port's reads with which effects are found: the handle that each needs, and the type of its results. */
interface Searches {
  readonly retrieveCustomer: { readonly by: 'customerId'; readonly sees: ProviderCustomer };
  readonly retrieveSubscription: { readonly by: 'subscriptionId'; readonly sees: ProviderSubscription };
  readonly retrievePaymentMethod: { readonly by: 'paymentMethodId'; readonly sees: ProviderPaymentMethod };
  readonly retrieveInvoice: { readonly by: 'invoiceId'; readonly sees: ProviderInvoice };
  readonly listBalanceTransactions: { readonly by: 'customerId'; readonly sees: ProviderBalanceTransaction };
  readonly listSubscriptions: { readonly by: 'customerId'; readonly sees: ProviderSubscription };
  readonly listSchedules: { readonly by: 'customerId'; readonly sees: ProviderSchedule };
  readonly listCheckoutSessions: { readonly by: 'customerId'; readonly sees: ProviderCheckoutSession };
  readonly listCustomers: { readonly by: 'createdSince'; readonly sees: ProviderCustomer };
}

type Handle = Searches[keyof Searches]['by'] | 'scheduleId' | 'sessionId' | 'priceId';

/** What is known of the objects of an operation; all of it is in its record. `createdSince` is ISO 8601. */
export type Handles = { readonly [Each in Handle]?: string };

type FinderBy<Search extends keyof Searches> = {
  readonly search: Search;
  /** The search needs the first; `shows` uses the others. */
  readonly needs: readonly [Searches[Search]['by'], ...Handle[]];
  /**
   * `intent`: the object names the operation. `state`: it is in the state that the effect creates, but another
   * operation may have caused it.
   */
  readonly proof: 'intent' | 'state';
  /** What an object must look like to show the effect, in words. */
  readonly looksFor: string;
  readonly shows: (seen: Searches[Search]['sees'], about: StepIntent & Handles) => boolean;
};

/** A missing object proves nothing: the request may still be in transit, or a later change hides the effect. */
export type Finder = { readonly [Search in keyof Searches]: FinderBy<Search> }[keyof Searches];

/** Whether an object has all of these metadata. */
export function carries(
  { metadata }: { readonly metadata: Readonly<Record<string, string>> },
  mark: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(mark).every(([name, value]) => metadata[name] === value);
}
