/**
 * How an effect shows at the provider after its answer was lost: which read to make, what it needs, and which of the
 * objects that it answers the effect made or changed.
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

/** Reads of the port by which effects are found: by which handle, and what one of the answers is. */
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

/** What is known of the objects that an operation is about; all of it is in its record. `createdSince` is ISO 8601. */
export type Handles = { readonly [Each in Handle]?: string };

type FinderBy<Search extends keyof Searches> = {
  readonly search: Search;
  /** The search takes the first; `shows` looks at the others. */
  readonly needs: readonly [Searches[Search]['by'], ...Handle[]];
  /** `intent`: the object names the operation. `state`: it is as the effect leaves it, perhaps by another one. */
  readonly proof: 'intent' | 'state';
  /** What an object must be like to show the effect, in words. */
  readonly looksFor: string;
  readonly shows: (seen: Searches[Search]['sees'], about: StepIntent & Handles) => boolean;
};

/** An object that is not shown proves nothing: the request may still be on its way, or a later change hides it. */
export type Finder = { readonly [Search in keyof Searches]: FinderBy<Search> }[keyof Searches];

/** Whether an object carries all of these in its metadata. */
export function carries(
  { metadata }: { readonly metadata: Readonly<Record<string, string>> },
  mark: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(mark).every(([name, value]) => metadata[name] === value);
}
