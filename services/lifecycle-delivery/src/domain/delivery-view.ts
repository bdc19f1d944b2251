/**
 * A delivery in the form that inspection returns. A delivery without a receipt names what it waits for; a waived one
 * names the person who waived it.
 */
import type { DeliveryView } from '@platform/contracts-lifecycle-delivery';
import { viewOfAttempts } from './attempts';
import type { ConsumerRecord } from './consumer';
import type { AcceptedReceipt, Delivery } from './delivery';

/** Names of the consumers that are registered, and whether a person paused them. */
export type Registered = ReadonlyMap<string, { readonly paused: boolean }>;

export function registeredAmong(consumers: readonly ConsumerRecord[]): Registered {
  const registered = consumers.filter(({ status }) => status === 'registered');
  return new Map(registered.map(({ _id, paused = false }) => [_id, { paused }]));
}

/** `shown`: the most attempts that are shown. */
export function viewOfDelivery(delivery: Delivery, registered: Registered, shown: number): DeliveryView {
  const { operationId, tenantId, transition, consumer, status, attemptCount, failureCount } = delivery;
  const base = {
    operationId,
    tenantId,
    transition,
    consumer,
    status,
    attemptCount,
    failureCount,
    attempts: viewOfAttempts(delivery, shown),
    createdAt: delivery.createdAt.toISOString(),
  };
  switch (delivery.status) {
    case 'succeeded':
      return { ...base, receipt: viewOfReceipt(delivery.receipt) };
    case 'skipped_deleted':
      return base;
    case 'waived':
      return { ...base, waiver: viewOfWaiver(delivery) };
    case 'pending':
    case 'failed': {
      const failed = delivery.status === 'failed';
      const due = failed ? 'retry' : 'receipt';
      return {
        ...base,
        nextAttemptAt: delivery.nextAttemptAt.toISOString(),
        ...(failed && { lastError: delivery.lastError }),
        waitingFor: waitingFor(registered.get(consumer), due),
      };
    }
  }
}

function waitingFor(consumer: { readonly paused: boolean } | undefined, due: 'retry' | 'receipt') {
  if (!consumer) return 'consumer_unregistered';
  return consumer.paused ? 'consumer_paused' : due;
}

function viewOfReceipt({ receiptId, effectiveAt, acceptedAt }: AcceptedReceipt) {
  return { receiptId, effectiveAt: effectiveAt.toISOString(), acceptedAt: acceptedAt.toISOString() };
}

function viewOfWaiver({ resolution, lateReceipt }: Extract<Delivery, { status: 'waived' }>) {
  const { executorStopped: proof, reason, stillRegistered, by, at } = resolution;
  return {
    by,
    proof,
    reason,
    stillRegistered,
    waivedAt: at.toISOString(),
    ...(lateReceipt && { lateReceipt: viewOfReceipt(lateReceipt) }),
  };
}
