/** Effects on what a workspace pays: its subscription, the subscription's schedule, and its customer's balance. */
import { assert } from '@platform/kernel';
import type { PhaseSettings, ProviderPrice, SchedulePhase } from '../objects';
import type { SdkParams } from '../stripe/sdk';
import { answersWith, byOperation } from './description';
import { carries, type Finder } from './evidence';
import { sellsPrice } from './items';
import { customerPath, pathId, shortened, unixSeconds } from './values';

interface OfSubscription {
  readonly subscriptionId: string;
}
interface PriceChange extends OfSubscription {
  readonly itemId: string;
  readonly priceId: string;
  /** The quantity as read; changing a price without it may reset the quantity to one. */
  readonly quantity?: number;
  /**
   * The start of the proration in Unix seconds: the instant of the preview on which the change is based; without it,
   * now.
   */
  readonly prorationDate?: number;
}
const namesOperationAndStep = 'metadata that name this operation and step';

/** The subscription's metadata names only the last operation. */
const changedSubscription: Finder = {
  search: 'retrieveSubscription',
  needs: ['subscriptionId'],
  proof: 'intent',
  looksFor: namesOperationAndStep,
  shows: (seen, intent) => carries(seen, byOperation(intent)),
};

const subscriptionPath = ({ subscriptionId }: OfSubscription) => `/v1/subscriptions/${pathId(subscriptionId)}` as const;
const schedulePath = ({ scheduleId }: { readonly scheduleId: string }) =>
  `/v1/subscription_schedules/${pathId(scheduleId)}` as const;

/**
 * The settings of a phase at another price, without those that belong to that phase only: its trial, anchor and extra
 * items.
 */
function settingsAfter({ priceId: former, settings }: SchedulePhase, priceId: string): PhaseSettings {
  const {
    trial_end: _trial,
    trial: _whole,
    billing_cycle_anchor: _anchor,
    add_invoice_items: _once,
    ...kept
  } = settings;
  return { ...kept, items: kept.items.map((item) => (item.price === former ? { ...item, price: priceId } : item)) };
}

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
const atNewPrice = ({ itemId, priceId, quantity, prorationDate }: PriceChange) => ({
  items: [{ id: itemId, price: priceId, ...(quantity !== undefined && { quantity }) }],
  proration_behavior: 'always_invoice' as const,
  ...(prorationDate !== undefined && { proration_date: prorationDate }),
  payment_behavior: 'error_if_incomplete' as const,
});

/** The provider accepts nothing but the change itself here, so the subscription does not name the operation. */
const heldPrice = answersWith('held_change')<PriceChange, SdkParams['subscriptionUpdate']>({
  path: subscriptionPath,
  params: (values) => ({
    ...atNewPrice(values),
    payment_behavior: 'pending_if_incomplete',
    expand: ['latest_invoice'],
  }),
  evidence: {
    search: 'retrieveSubscription',
    needs: ['subscriptionId', 'priceId'],
    proof: 'state',
    looksFor: 'this price, in force or waiting for its payment',
    shows: (seen, { priceId }) => sellsPrice(seen, priceId) || seen.pendingUpdate?.priceId === priceId,
  },
});

export const subscriptionEffects = {
  /** Invoices of a suspended workspace are voided: a customer does not pay for a service that was closed. */
  pause_collection: changesSubscription(() => ({ pause_collection: { behavior: 'void' } })),
  /** The provider's notation for "no pause" is the empty string. */
  resume_collection: changesSubscription(() => ({ pause_collection: '' })),
  /** Replaces the price of the subscription's item, prorated from now and invoiced at once. */
  change_price: changesSubscription<PriceChange>(atNewPrice),
  /**
   * The same, when the card holder must confirm: the provider keeps the old price in force until the invoice is paid,
   * for at most 23 hours, and then drops the change and voids the invoice.
   */
  hold_price_change: heldPrice,
  /** Gives up the change that waits for this invoice: the provider drops it. A paid invoice is refused. */
  void_invoice: answersWith('invoice')<{ readonly invoiceId: string }>({
    path: ({ invoiceId }) => `/v1/invoices/${pathId(invoiceId)}/void`,
    evidence: {
      search: 'retrieveInvoice',
      needs: ['invoiceId'],
      proof: 'state',
      looksFor: 'the status void',
      shows: ({ status }) => status === 'void',
    },
  }),
  /** The same for one workspace of a plan migration, whose items share one operation. */
  change_plan: changesSubscription<PriceChange & { readonly tenantId: string }>(
    atNewPrice,
    (operationId, { tenantId }) => `${operationId}:${tenantId}:plan`,
  ),
  /** The subscription continues until the end of the period and ends there. */
  cancel_at_period_end: changesSubscription(() => ({ cancel_at_period_end: true })),
  /** The subscription continues after the period; undoes `cancel_at_period_end`. */
  keep_after_period: changesSubscription(() => ({ cancel_at_period_end: false })),
  /** Ends the subscription now, without proration. An idempotency key does not cover this call. */
  cancel_now: answersWith('subscription')<OfSubscription>({
    method: 'DELETE',
    path: subscriptionPath,
    evidence: {
      search: 'retrieveSubscription',
      needs: ['subscriptionId'],
      proof: 'state',
      looksFor: 'the status canceled',
      shows: ({ status }) => status === 'canceled' || status === 'incomplete_expired',
    },
  }),
};

export const scheduleEffects = {
  /** With one phase, the current period. With `from_subscription` the provider refuses every other parameter. */
  create_schedule: answersWith('schedule')<OfSubscription, SdkParams['scheduleCreate']>({
    path: () => '/v1/subscription_schedules',
    params: ({ subscriptionId }) => ({ from_subscription: pathId(subscriptionId) }),
    evidence: {
      search: 'listSchedules',
      needs: ['customerId', 'subscriptionId'],
      proof: 'state',
      looksFor: 'a schedule that manages this subscription',
      shows: (seen, { subscriptionId }) => seen.subscriptionId === subscriptionId,
    },
  }),
  /**
   * Keeps the current phase as it was read and adds one interval of the new price after it, without proration; then the
   * schedule releases itself and the subscription continues with that price. Replaces an earlier pending change.
   */
  schedule_price: answersWith('schedule')<
    {
      readonly scheduleId: string;
      readonly current: SchedulePhase;
      readonly priceId: string;
      /** The length of the new price's billing interval. */
      readonly interval: ProviderPrice['interval'];
      readonly intervalCount: number;
    },
    SdkParams['scheduleUpdate']
  >({
    path: schedulePath,
    params: ({ current, priceId, interval, intervalCount }, intent) => ({
      end_behavior: 'release',
      proration_behavior: 'none',
      phases: [
        {
          ...current.settings,
          start_date: unixSeconds(current.startDate),
          end_date: unixSeconds(current.endDate),
        },
        {
          ...settingsAfter(current, priceId),
          duration: { interval, interval_count: intervalCount },
          proration_behavior: 'none',
        },
      ],
      metadata: byOperation(intent),
    }),
    evidence: {
      search: 'listSchedules',
      needs: ['customerId'],
      proof: 'intent',
      looksFor: namesOperationAndStep,
      shows: (seen, intent) => carries(seen, byOperation(intent)),
    },
  }),
  /** Keeps the subscription unchanged and drops the pending change. */
  release_schedule: answersWith('schedule')<{ readonly scheduleId: string }>({
    path: (values) => `${schedulePath(values)}/release`,
    evidence: {
      search: 'listSchedules',
      needs: ['customerId', 'scheduleId'],
      proof: 'state',
      looksFor: 'this schedule with the status released',
      shows: ({ id, status }, { scheduleId }) => id === scheduleId && status === 'released',
    },
  }),
};

export const balanceEffects = {
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
      return { amount: -amountCents, currency, description: shortened(description), metadata: byOperation(intent) };
    },
    evidence: {
      search: 'listBalanceTransactions',
      needs: ['customerId'],
      proof: 'intent',
      looksFor: namesOperationAndStep,
      shows: (seen, intent) => carries(seen, byOperation(intent)),
    },
  }),
};
