/** The terminal receipt of a checkout session (specification §2): its awaited provider effects have finished. */
import {
  checkoutMessageIds,
  checkoutSubjects,
  checkoutTypes,
  type CheckoutCompleted,
} from '@platform/contracts-operator';
import type { OutboxEntry, Revisioned } from '@platform/kernel';

export interface CheckoutReceipt extends Revisioned {
  readonly tenantId: string;
  readonly operationId: string;
  readonly planId: string;
  readonly subscriptionId: string;
  readonly completedAt: Date;
}

/**
 * The automation after a completed checkout: a notice for the service that notifies the workspace's owner. It leaves
 * with the journal's write, after the receipt; its delivery is retried, and no operation waits for it.
 */
export function completedNotice(
  sessionId: string,
  { tenantId, operationId, planId }: Pick<CheckoutReceipt, 'tenantId' | 'operationId' | 'planId'>,
  email: string | undefined,
  now: Date,
): OutboxEntry {
  const body: CheckoutCompleted = {
    tenantId,
    operationId,
    planId,
    ...(email !== undefined && { email }),
    completedAt: now.toISOString(),
  };
  return {
    id: checkoutMessageIds.completed(sessionId),
    subject: checkoutSubjects.completed,
    type: checkoutTypes.completed,
    body,
    closesOn: 'publish_ack',
    createdAt: now,
  };
}
