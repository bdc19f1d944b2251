/**
 * A delivery as inspection answers it. One without a receipt names what it waits for; a waived one names the person who
 * waived it.
 */
import type { DeliveryView } from '@platform/contracts-lifecycle-delivery';
import type { AcceptedReceipt, Delivery } from './delivery';

/** `registered`: names of the consumers that are registered at this moment. */
export function viewOfDelivery(delivery: Delivery, registered: ReadonlySet<string>): DeliveryView {
  const { operationId, tenantId, transition, consumer, status, attemptCount, failureCount } = delivery;
  const base = {
    operationId,
    tenantId,
    transition,
    consumer,
    status,
    attemptCount,
    failureCount,
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
        waitingFor: registered.has(consumer) ? due : 'consumer_unregistered',
      };
    }
  }
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
