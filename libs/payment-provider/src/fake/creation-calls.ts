/** The calls of a workspace's creation, prepared on the fake's account. */
import type { CallIntent, PaymentProvider, PreparedCall } from '../port';
import {
  attachPaymentMethodRequest,
  attemptMetadata,
  createCustomerRequest,
  createSubscriptionRequest,
  deleteCustomerRequest,
  payInvoiceRequest,
  setDefaultPaymentMethodRequest,
} from '../creation-requests';
import type { MutationRequest } from '../requests';
import type { Change } from './change';
import type { createProviderState } from './provider-state';

type Prepare = <T extends { readonly id: string }>(
  intent: CallIntent,
  request: MutationRequest,
  change: () => Change<T>,
) => PreparedCall<T>;

export function fakeCreationCalls(state: ReturnType<typeof createProviderState>, prepare: Prepare) {
  return {
    createCustomer: (intent, customer) =>
      prepare(intent, createCustomerRequest(intent, customer), () => state.createCustomer()),
    attachPaymentMethod: (intent, attachment) =>
      prepare(intent, attachPaymentMethodRequest(intent, attachment), () => state.attachPaymentMethod(attachment)),
    setDefaultPaymentMethod: (intent, setting) =>
      prepare(intent, setDefaultPaymentMethodRequest(intent, setting), () => state.setDefaultPaymentMethod(setting)),
    createSubscription: (intent, draft) =>
      prepare(intent, createSubscriptionRequest(intent, draft), () =>
        state.createSubscription(draft, attemptMetadata(intent)),
      ),
    payInvoice: (intent, invoiceId) =>
      prepare(intent, payInvoiceRequest(intent, invoiceId), () => state.payInvoice(invoiceId)),
    deleteCustomer: (intent, customerId) =>
      prepare(intent, deleteCustomerRequest(intent, customerId), () => state.deleteCustomer(customerId)),
  } satisfies Partial<PaymentProvider>;
}
