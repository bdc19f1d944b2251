/**
 * The effects that the platform has on the payment provider, each described once. Request, idempotency key, digest,
 * types of the port, fake, trace and evidence derive from here; nothing in this file does anything.
 */
import { assert } from '@platform/kernel';
import type { ObjectKind, ProviderObjects, SchedulePhase } from '../objects';
import type { SdkParams } from '../stripe/sdk';
import { answersWith, byAttempt, byOperation, type EffectDescription } from './description';
import { carries, type Finder } from './evidence';
import { pathId, trialOf, unixSeconds, wellFormed } from './values';

interface OfSubscription {
  readonly subscriptionId: string;
}
interface PriceChange extends OfSubscription {
  readonly itemId: string;
  readonly priceId: string;
}
interface CardOfCustomer {
  readonly customerId: string;
  readonly paymentMethodId: string;
}
interface Offer {
  readonly priceId: string;
  /** 0: no trial. */
  readonly trialDays: number;
}

/** Its metadata name the last operation only. */
const changedSubscription: Finder = {
  search: 'retrieveSubscription',
  needs: ['subscriptionId'],
  proof: 'intent',
  shows: (seen, intent) => carries(seen, byOperation(intent)),
};

const subscriptionPath = ({ subscriptionId }: OfSubscription) => `/v1/subscriptions/${pathId(subscriptionId)}` as const;
const customerPath = ({ customerId }: { readonly customerId: string }) =>
  `/v1/customers/${pathId(customerId)}` as const;
const schedulePath = ({ scheduleId }: { readonly scheduleId: string }) =>
  `/v1/subscription_schedules/${pathId(scheduleId)}` as const;

function changesSubscription<Values extends OfSubscription>(
  change: (values: Values) => SdkParams['subscriptionUpdate'],
  key?: (operationId: string, values: Values) => string,
) {
  return answersWith('subscription')<Values, SdkParams['subscriptionUpdate']>({
    path: subscriptionPath,
    params: (values, intent) => ({ ...change(values), metadata: byOperation(intent) }),
    ...(key && { key }),
    evidence: changedSubscription,
  });
}

/** `error_if_incomplete`: a declined card leaves the old price in place and answers 402. */
const atNewPrice = ({ itemId, priceId }: PriceChange) => ({
  items: [{ id: itemId, price: priceId }],
  proration_behavior: 'always_invoice' as const,
  payment_behavior: 'error_if_incomplete' as const,
});

const subscriptionEffects = {
  /** Invoices of a suspended workspace are voided: nobody is asked to pay for a service that was closed. */
  pause_collection: changesSubscription(() => ({ pause_collection: { behavior: 'void' } })),
  /** The provider's notation for "no pause" is the empty string. */
  resume_collection: changesSubscription(() => ({ pause_collection: '' })),
  /** Replaces the price of the subscription's item, prorated from now and invoiced at once. */
  change_price: changesSubscription<PriceChange>(atNewPrice),
  /** The same for one workspace of a plan migration, whose items share one operation. */
  change_plan: changesSubscription<PriceChange & { readonly tenantId: string }>(
    atNewPrice,
    (operationId, { tenantId }) => `${operationId}:${tenantId}:plan`,
  ),
  /** The subscription runs on to the end of the period and ends there. */
  cancel_at_period_end: changesSubscription(() => ({ cancel_at_period_end: true })),
  /** Ends it now, without proration. No key replays it. */
  cancel_now: answersWith('subscription')<OfSubscription>({
    method: 'DELETE',
    path: subscriptionPath,
    evidence: {
      search: 'retrieveSubscription',
      needs: ['subscriptionId'],
      proof: 'state',
      shows: ({ status }) => status === 'canceled' || status === 'incomplete_expired',
    },
  }),
};

const scheduleEffects = {
  /** A schedule of one phase, the running period. With `from_subscription` the provider refuses every other parameter. */
  create_schedule: answersWith('schedule')<OfSubscription, SdkParams['scheduleCreate']>({
    path: () => '/v1/subscription_schedules',
    params: ({ subscriptionId }) => ({ from_subscription: pathId(subscriptionId) }),
    evidence: {
      search: 'listSchedules',
      needs: ['customerId', 'subscriptionId'],
      proof: 'state',
      shows: (seen, { subscriptionId }) => seen.subscriptionId === subscriptionId,
    },
  }),
  /**
   * Keeps the running phase and appends one month of the new price without proration; then the schedule releases itself
   * and the subscription goes on with that price.
   */
  schedule_price: answersWith('schedule')<
    { readonly scheduleId: string; readonly current: SchedulePhase; readonly priceId: string },
    SdkParams['scheduleUpdate']
  >({
    path: schedulePath,
    params: ({ current, priceId }, intent) => ({
      end_behavior: 'release',
      proration_behavior: 'none',
      phases: [
        {
          items: [{ price: current.priceId, quantity: 1 }],
          start_date: unixSeconds(current.startDate),
          end_date: unixSeconds(current.endDate),
        },
        {
          items: [{ price: priceId, quantity: 1 }],
          duration: { interval: 'month', interval_count: 1 },
          proration_behavior: 'none',
        },
      ],
      metadata: byOperation(intent),
    }),
    evidence: {
      search: 'listSchedules',
      needs: ['customerId'],
      proof: 'intent',
      shows: (seen, intent) => carries(seen, byOperation(intent)),
    },
  }),
  /** Leaves the subscription as it is and drops what was to come. */
  release_schedule: answersWith('schedule')<{ readonly scheduleId: string }>({
    path: (values) => `${schedulePath(values)}/release`,
    evidence: {
      search: 'listSchedules',
      needs: ['customerId', 'scheduleId'],
      proof: 'state',
      shows: ({ id, status }, { scheduleId }) => id === scheduleId && status === 'released',
    },
  }),
};

const moneyEffects = {
  /** `amountCents` in the customer's favour. */
  balance_credit: answersWith('balance_transaction')<
    {
      readonly customerId: string;
      readonly amountCents: number;
      readonly currency: string;
      readonly description: string;
    },
    SdkParams['balanceTransactionCreate']
  >({
    path: (values) => `${customerPath(values)}/balance_transactions`,
    params: ({ amountCents, currency, description }, intent) => {
      assert(Number.isSafeInteger(amountCents), 'an amount is a safe integer of minor units');
      return { amount: -amountCents, currency, description: wellFormed(description), metadata: byOperation(intent) };
    },
    evidence: {
      search: 'listBalanceTransactions',
      needs: ['customerId'],
      proof: 'intent',
      shows: (seen, intent) => carries(seen, byOperation(intent)),
    },
  }),
  /** Charges an open invoice once, with the default payment method of its subscription; `creationId` names what it pays for. */
  pay_invoice: answersWith('invoice')<{ readonly invoiceId: string; readonly creationId: string }>({
    path: ({ invoiceId }) => `/v1/invoices/${pathId(invoiceId)}/pay`,
    key: (_operationId, { creationId }) => creationId,
    evidence: {
      search: 'retrieveInvoice',
      needs: ['invoiceId'],
      proof: 'state',
      shows: ({ status }) => status === 'paid',
    },
  }),
};

/** What a creation makes carries the attempt for good, so the operation alone is looked for: later steps rewrite `step`. */
const customerEffects = {
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
      search: 'listCustomers',
      needs: ['email'],
      proof: 'intent',
      shows: (seen, { operationId }) => carries(seen, { provisioningAttempt: operationId }),
    },
  }),
  /** The card's issuer may decline this already. */
  attach_payment_method: answersWith('payment_method')<CardOfCustomer, SdkParams['paymentMethodAttach']>({
    path: ({ paymentMethodId }) => `/v1/payment_methods/${pathId(paymentMethodId)}/attach`,
    params: ({ customerId }) => ({ customer: pathId(customerId) }),
    evidence: {
      search: 'retrievePaymentMethod',
      needs: ['paymentMethodId', 'customerId'],
      proof: 'state',
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
      shows: (seen, intent) => carries(seen, byAttempt(intent)),
    },
  }),
  /** No key replays it. */
  delete_customer: answersWith('customer')<{ readonly customerId: string }>({
    method: 'DELETE',
    path: customerPath,
    evidence: { search: 'retrieveCustomer', needs: ['customerId'], proof: 'state', shows: ({ deleted }) => deleted },
  }),
};

const saleEffects = {
  /** Nothing is charged by it: the first invoice stays open, or is paid at once when its total is zero (trials). */
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
      shows: (seen, { operationId }) => carries(seen, { provisioningAttempt: operationId }),
    },
  }),
  /** A hosted page; session and subscription carry tenant, plan and operation. URLs may hold `{CHECKOUT_SESSION_ID}`. */
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
      shows: (seen, { operationId }) => carries(seen, { operationId }),
    },
  }),
};

/** By step, the name under which journals keep a call. */
export const effects = {
  ...subscriptionEffects,
  ...scheduleEffects,
  ...moneyEffects,
  ...customerEffects,
  ...saleEffects,
};

type Table = typeof effects;

export type EffectStep = keyof Table;

/** What a caller gives for an effect of this step. */
export type ValuesOf<Step extends EffectStep> =
  Table[Step] extends EffectDescription<infer Values, infer _Kind> ? Values : never;

export type EffectOf<Step extends EffectStep> = { readonly step: Step } & ValuesOf<Step>;

/** An effect as data: the step and its values. */
export type Effect = { readonly [Step in EffectStep]: EffectOf<Step> }[EffectStep];

/** What a success of this effect answers with. */
export type ObjectOf<E extends { readonly step: EffectStep }> = ProviderObjects[Table[E['step']]['reads']];

/** The description of this very effect, to be called with it. */
export function descriptionOf<E extends Effect>({ step }: E): EffectDescription<E, ObjectKind> {
  return effects[step] as EffectDescription<E, ObjectKind>;
}
