/**
 * What each mutation asks of the provider: path, body and metadata, written once for the adapter, the fake and the
 * digest. Every changed object carries the operation and the step in its metadata, for the investigator's list reads.
 */
import { assert } from '@platform/kernel';
import { payloadDigestOf, type FormBody } from './form-encoding';
import type { CallDescription, CallIntent, SchedulePhase } from './port';

export interface MutationRequest<B extends FormBody = FormBody> {
  readonly description: CallDescription;
  readonly body: B;
}

export interface PriceChange {
  readonly subscriptionId: string;
  readonly itemId: string;
  readonly priceId: string;
}

export interface BalanceTransactionDraft {
  readonly customerId: string;
  readonly amount: number;
  readonly currency: string;
  readonly description: string;
}

const objectId = /^[A-Za-z0-9_-]{1,128}$/;

/** An id of a provider object as a path segment; anything else is a broken invariant, since ids come from our records. */
export function pathId(id: string): string {
  assert(objectId.test(id), 'a provider object id holds only letters, digits, underscore and hyphen');
  return id;
}

/** Text that JSON may carry and a request cannot: halves of surrogate pairs become the replacement character. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

export function mutation<B extends FormBody>(
  intent: CallIntent,
  path: string,
  body: B,
  method: 'POST' | 'DELETE' = 'POST',
): MutationRequest<B> {
  const idempotencyKey = intent.idempotencyKey ?? `${intent.operationId}:${intent.step}`;
  assert(idempotencyKey.length >= 1 && idempotencyKey.length <= 255, 'an idempotency key has 1 to 255 characters');
  return {
    description: { step: intent.step, method, path, idempotencyKey, payloadDigest: payloadDigestOf(body) },
    body,
  };
}

function metadataOf(intent: CallIntent) {
  return { operationId: intent.operationId, step: intent.step };
}

/** Invoices of a suspended workspace are voided: nobody is asked to pay for a service that was closed. */
export function pauseCollectionRequest(intent: CallIntent, subscriptionId: string) {
  return mutation(intent, `/v1/subscriptions/${pathId(subscriptionId)}`, {
    pause_collection: { behavior: 'void' as const },
    metadata: metadataOf(intent),
  });
}

/** The provider's notation for "no pause" is the empty string. */
export function resumeCollectionRequest(intent: CallIntent, subscriptionId: string) {
  return mutation(intent, `/v1/subscriptions/${pathId(subscriptionId)}`, {
    pause_collection: '' as const,
    metadata: metadataOf(intent),
  });
}

/** `error_if_incomplete`: a declined card leaves the old price in place and answers 402. */
export function changePriceRequest(intent: CallIntent, change: PriceChange) {
  return mutation(intent, `/v1/subscriptions/${pathId(change.subscriptionId)}`, {
    items: [{ id: change.itemId, price: change.priceId }],
    proration_behavior: 'always_invoice' as const,
    payment_behavior: 'error_if_incomplete' as const,
    metadata: metadataOf(intent),
  });
}

/** The values of {@link changePriceRequest} as the provider's preview takes them; a read, hence no intent and no key. */
export function previewPriceChangeRequest(change: PriceChange) {
  return {
    subscription: pathId(change.subscriptionId),
    subscription_details: {
      items: [{ id: change.itemId, price: change.priceId }],
      proration_behavior: 'always_invoice' as const,
    },
  };
}

export function cancelAtPeriodEndRequest(intent: CallIntent, subscriptionId: string) {
  return mutation(intent, `/v1/subscriptions/${pathId(subscriptionId)}`, {
    cancel_at_period_end: true,
    metadata: metadataOf(intent),
  });
}

/** A deletion carries no body that the SDK would send, hence no metadata. */
export function cancelNowRequest(intent: CallIntent, subscriptionId: string) {
  return mutation(intent, `/v1/subscriptions/${pathId(subscriptionId)}`, {}, 'DELETE');
}

/** With `from_subscription` the provider refuses every other parameter. */
export function createScheduleRequest(intent: CallIntent, subscriptionId: string) {
  return mutation(intent, '/v1/subscription_schedules', { from_subscription: pathId(subscriptionId) });
}

export interface ScheduledPrice {
  readonly scheduleId: string;
  readonly current: SchedulePhase;
  readonly priceId: string;
}

/** Two phases: the running one as it is, and one month of the new price, after which the schedule lets the subscription go on with it. */
export function schedulePriceRequest(intent: CallIntent, { scheduleId, current, priceId }: ScheduledPrice) {
  return mutation(intent, `/v1/subscription_schedules/${pathId(scheduleId)}`, {
    end_behavior: 'release' as const,
    proration_behavior: 'none' as const,
    phases: [
      {
        items: [{ price: current.priceId, quantity: 1 }],
        start_date: unixSeconds(current.startDate),
        end_date: unixSeconds(current.endDate),
      },
      {
        items: [{ price: priceId, quantity: 1 }],
        duration: { interval: 'month' as const, interval_count: 1 },
        proration_behavior: 'none' as const,
      },
    ],
    metadata: metadataOf(intent),
  });
}

export function releaseScheduleRequest(intent: CallIntent, scheduleId: string) {
  return mutation(intent, `/v1/subscription_schedules/${pathId(scheduleId)}/release`, {});
}

function unixSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000);
}

export function balanceTransactionRequest(intent: CallIntent, draft: BalanceTransactionDraft) {
  assert(Number.isSafeInteger(draft.amount), 'an amount is a safe integer of minor units');
  return mutation(intent, `/v1/customers/${pathId(draft.customerId)}/balance_transactions`, {
    amount: draft.amount,
    currency: draft.currency,
    description: wellFormed(draft.description),
    metadata: metadataOf(intent),
  });
}
