/**
 * What the calls of a workspace's creation ask of the provider. Objects that are made carry the attempt in their
 * metadata, so that an investigator finds them when the answer of the call was lost (specification §2).
 */
import { assert } from '@platform/kernel';
import type { CallIntent } from './port';
import { mutation, pathId, wellFormed } from './requests';

export interface CustomerDraft {
  readonly email: string;
  readonly name: string;
}

export interface PaymentMethodOfCustomer {
  readonly customerId: string;
  readonly paymentMethodId: string;
}

export interface SubscriptionDraft extends PaymentMethodOfCustomer {
  readonly priceId: string;
  /** 0: no trial. */
  readonly trialDays: number;
}

const trialDaysMax = 730;

export function attemptMetadata(intent: CallIntent) {
  return { provisioningAttempt: intent.operationId, step: intent.step };
}

export function createCustomerRequest(intent: CallIntent, { email, name }: CustomerDraft) {
  return mutation(intent, '/v1/customers', {
    email: wellFormed(email),
    name: wellFormed(name),
    metadata: attemptMetadata(intent),
  });
}

export function attachPaymentMethodRequest(
  intent: CallIntent,
  { customerId, paymentMethodId }: PaymentMethodOfCustomer,
) {
  return mutation(intent, `/v1/payment_methods/${pathId(paymentMethodId)}/attach`, { customer: pathId(customerId) });
}

export function setDefaultPaymentMethodRequest(
  intent: CallIntent,
  { customerId, paymentMethodId }: PaymentMethodOfCustomer,
) {
  return mutation(intent, `/v1/customers/${pathId(customerId)}`, {
    invoice_settings: { default_payment_method: pathId(paymentMethodId) },
    metadata: attemptMetadata(intent),
  });
}

/** `default_incomplete`: the provider makes the first invoice and leaves it to us to have it paid. */
export function createSubscriptionRequest(
  intent: CallIntent,
  { customerId, priceId, paymentMethodId, trialDays }: SubscriptionDraft,
) {
  assert(
    Number.isInteger(trialDays) && trialDays >= 0 && trialDays <= trialDaysMax,
    `a trial has 0 to ${trialDaysMax} days`,
  );
  return mutation(intent, '/v1/subscriptions', {
    customer: pathId(customerId),
    items: [{ price: priceId }],
    default_payment_method: pathId(paymentMethodId),
    payment_behavior: 'default_incomplete' as const,
    ...(trialDays > 0 && { trial_period_days: trialDays }),
    expand: ['latest_invoice'],
    metadata: attemptMetadata(intent),
  });
}

export function payInvoiceRequest(intent: CallIntent, invoiceId: string) {
  return mutation(intent, `/v1/invoices/${pathId(invoiceId)}/pay`, {});
}

export function deleteCustomerRequest(intent: CallIntent, customerId: string) {
  return mutation(intent, `/v1/customers/${pathId(customerId)}`, {}, 'DELETE');
}
