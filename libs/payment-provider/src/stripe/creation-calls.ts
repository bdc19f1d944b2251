/** The calls of a workspace's creation through the SDK. */
import type { PaymentProvider } from '../port';
import {
  attachPaymentMethodRequest,
  createCustomerRequest,
  createSubscriptionRequest,
  deleteCustomerRequest,
  payInvoiceRequest,
  setDefaultPaymentMethodRequest,
} from '../creation-requests';
import { decodeCreatedSubscription, decodeInvoice, decodePaymentMethod } from './creation-objects';
import type { Prepare } from './observed-calls';
import { decodeCustomer } from './provider-objects';
import type { StripeSdk } from './sdk';

export function creationCalls(sdk: StripeSdk, prepare: Prepare) {
  return {
    createCustomer: (intent, customer) => {
      const request = createCustomerRequest(intent, customer);
      return prepare(request, (settings) => sdk.customers.create(request.body, settings), decodeCustomer);
    },
    attachPaymentMethod: (intent, attachment) => {
      const request = attachPaymentMethodRequest(intent, attachment);
      return prepare(
        request,
        (settings) => sdk.paymentMethods.attach(attachment.paymentMethodId, request.body, settings),
        decodePaymentMethod,
      );
    },
    setDefaultPaymentMethod: (intent, setting) => {
      const request = setDefaultPaymentMethodRequest(intent, setting);
      return prepare(
        request,
        (settings) => sdk.customers.update(setting.customerId, request.body, settings),
        decodeCustomer,
      );
    },
    createSubscription: (intent, draft) => {
      const request = createSubscriptionRequest(intent, draft);
      return prepare(
        request,
        (settings) => sdk.subscriptions.create(request.body, settings),
        decodeCreatedSubscription,
      );
    },
    payInvoice: (intent, invoiceId) =>
      prepare(
        payInvoiceRequest(intent, invoiceId),
        (settings) => sdk.invoices.pay(invoiceId, {}, settings),
        decodeInvoice,
      ),
    deleteCustomer: (intent, customerId) =>
      prepare(
        deleteCustomerRequest(intent, customerId),
        (settings) => sdk.customers.del(customerId, {}, settings),
        decodeCustomer,
      ),
  } satisfies Partial<PaymentProvider>;
}
