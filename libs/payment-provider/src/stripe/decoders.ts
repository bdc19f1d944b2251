/**
 * Decodes the provider's answer into an object of the platform, by its kind; undefined when the answer is not such an
 * object.
 */
import type { ObjectKind, ProviderObjects } from '../objects';
import { decodeCheckoutSession } from './checkout-objects';
import { decodeCreatedSubscription, decodeHeldChange, decodeInvoice, decodePaymentMethod } from './creation-objects';
import { decodeBalanceTransaction, decodeCustomer, decodeSubscription } from './provider-objects';
import { decodeSchedule } from './schedule-objects';

export const decoders: { readonly [Kind in ObjectKind]: (answer: unknown) => ProviderObjects[Kind] | undefined } = {
  subscription: decodeSubscription,
  created_subscription: decodeCreatedSubscription,
  held_change: decodeHeldChange,
  schedule: decodeSchedule,
  balance_transaction: decodeBalanceTransaction,
  customer: decodeCustomer,
  payment_method: decodePaymentMethod,
  invoice: decodeInvoice,
  checkout_session: decodeCheckoutSession,
};
