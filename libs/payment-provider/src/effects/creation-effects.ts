/** Effects with which a workspace starts to pay: customer, card, subscription and first invoice, or a checkout. */
import type { SdkParams } from '../stripe/sdk';
import { answersWith, byAttempt, byOperation } from './description';
import { carries } from './evidence';
import { customerPath, pathId, trialOf, wellFormed } from './values';

interface CardOfCustomer {
  readonly customerId: string;
  readonly paymentMethodId: string;
}
interface Offer {
  readonly priceId: string;
  /** 0: no trial. */
  readonly trialDays: number;
}

const namesAttempt = 'metadata that name this attempt (provisioningAttempt)';

/** Objects of a creation carry its attempt. Later steps overwrite `step`, so the searches use only the attempt. */
export const customerEffects = {
  create_customer: answersWith('customer')<
    { readonly email: string; readonly name: string },
    SdkParams['customerCreate']
  >({
    path: () => '/v1/customers',
    params: ({ email, name }, intent) => ({
      email: wellFormed(email),
      name: wellFormed(name),
      metadata: byAttempt(intent),
    }),
    evidence: {
      // Not by its address, which is in a billing profile that no record contains.
      search: 'listCustomers',
      needs: ['createdSince'],
      proof: 'intent',
      looksFor: namesAttempt,
      shows: (seen, { operationId }) => carries(seen, { provisioningAttempt: operationId }),
    },
  }),
  /** The card's issuer may already decline this. */
  attach_payment_method: answersWith('payment_method')<CardOfCustomer, SdkParams['paymentMethodAttach']>({
    path: ({ paymentMethodId }) => `/v1/payment_methods/${pathId(paymentMethodId)}/attach`,
    params: ({ customerId }) => ({ customer: pathId(customerId) }),
    evidence: {
      search: 'retrievePaymentMethod',
      needs: ['paymentMethodId', 'customerId'],
      proof: 'state',
      looksFor: 'the payment method on this customer',
      shows: (seen, { customerId }) => seen.customerId === customerId,
    },
  }),
  set_default_payment_method: answersWith('customer')<CardOfCustomer, SdkParams['customerUpdate']>({
    path: customerPath,
    params: ({ paymentMethodId }, intent) => ({
      invoice_settings: { default_payment_method: pathId(paymentMethodId) },
      metadata: byAttempt(intent),
    }),
    evidence: {
      search: 'retrieveCustomer',
      needs: ['customerId'],
      proof: 'intent',
      looksFor: 'metadata that name this attempt and step',
      shows: (seen, intent) => carries(seen, byAttempt(intent)),
    },
  }),
  /** An idempotency key does not cover this call. */
  delete_customer: answersWith('customer')<{ readonly customerId: string }>({
    method: 'DELETE',
    path: customerPath,
    evidence: {
      search: 'retrieveCustomer',
      needs: ['customerId'],
      proof: 'state',
      looksFor: 'the customer as deleted',
      shows: ({ deleted }) => deleted,
    },
  }),
};

export const saleEffects = {
  /** Charges an open invoice once, with the default payment method of its subscription, on behalf of a creation. */
  pay_invoice: answersWith('invoice')<{ readonly invoiceId: string; readonly creationId: string }>({
    path: ({ invoiceId }) => `/v1/invoices/${pathId(invoiceId)}/pay`,
    key: (_operationId, { creationId }) => creationId,
    evidence: {
      search: 'retrieveInvoice',
      needs: ['invoiceId'],
      proof: 'state',
      looksFor: 'the status paid',
      shows: ({ status }) => status === 'paid',
    },
  }),
  /** This charges nothing: the first invoice stays open, or is paid at once when its total is zero (trials). */
  create_subscription: answersWith('created_subscription')<CardOfCustomer & Offer, SdkParams['subscriptionCreate']>({
    path: () => '/v1/subscriptions',
    params: ({ customerId, priceId, paymentMethodId, trialDays }, intent) => ({
      customer: pathId(customerId),
      items: [{ price: priceId }],
      default_payment_method: pathId(paymentMethodId),
      payment_behavior: 'default_incomplete',
      ...trialOf(trialDays),
      expand: ['latest_invoice'],
      metadata: byAttempt(intent),
    }),
    evidence: {
      search: 'listSubscriptions',
      needs: ['customerId'],
      proof: 'intent',
      looksFor: namesAttempt,
      shows: (seen, { operationId }) => carries(seen, { provisioningAttempt: operationId }),
    },
  }),
  /** A hosted page; its subscription has the same metadata. URLs may contain `{CHECKOUT_SESSION_ID}`. */
  create_session: answersWith('checkout_session')<
    Offer & {
      readonly customerId: string;
      readonly tenantId: string;
      readonly planId: string;
      readonly successUrl: string;
      readonly cancelUrl: string;
    },
    SdkParams['checkoutSessionCreate']
  >({
    path: () => '/v1/checkout/sessions',
    params: ({ customerId, priceId, tenantId, planId, trialDays, successUrl, cancelUrl }, intent) => {
      const metadata = { tenantId, planId, ...byOperation(intent) };
      return {
        mode: 'subscription',
        customer: pathId(customerId),
        line_items: [{ price: priceId, quantity: 1 }],
        success_url: successUrl,
        cancel_url: cancelUrl,
        subscription_data: { ...trialOf(trialDays), metadata },
        metadata,
      };
    },
    evidence: {
      search: 'listCheckoutSessions',
      needs: ['customerId'],
      proof: 'intent',
      looksFor: 'metadata that name this operation',
      shows: (seen, { operationId }) => carries(seen, { operationId }),
    },
  }),
  /** Only an open session expires; the provider refuses for a paid one, which stays unchanged. */
  expire_session: answersWith('checkout_session')<{ readonly sessionId: string }>({
    path: ({ sessionId }) => `/v1/checkout/sessions/${pathId(sessionId)}/expire`,
    evidence: {
      search: 'listCheckoutSessions',
      needs: ['customerId', 'sessionId'],
      proof: 'state',
      looksFor: 'this session with the status expired',
      shows: ({ id, status }, { sessionId }) => id === sessionId && status === 'expired',
    },
  }),
};
