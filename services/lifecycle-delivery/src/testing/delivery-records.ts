/** Records of one delivery and what its consumer says of it, for the tables of the domain. */
import type { ReceiptMessage } from '@platform/contracts-lifecycle-delivery';
import { newDelivery, type Delivery, type PendingDelivery } from '../domain/delivery';

export const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
export const stamp = { revision: 'r1', createdAt: at(0), updatedAt: at(0) };
export const message = { _id: 'operation-1', tenantId: 'acme', transition: 'suspended' as const, requestedAt: at(0) };
export const pending = (consumer = 'storage'): PendingDelivery => ({
  ...(newDelivery(message, consumer, { now: at(0), nextAttemptAt: at(5) }, false) as PendingDelivery),
  ...stamp,
});
export const receipt: ReceiptMessage = {
  tenantId: 'acme',
  operationId: 'operation-1',
  transition: 'suspended',
  receiptId: 'r-1',
  effectiveAt: at(1).toISOString(),
};
export const report = {
  reportId: 'f-1',
  tenantId: 'acme',
  transition: 'suspended' as const,
  error: 'Error: disk full',
  failedAt: at(1),
};

export function recorded<T extends Delivery>(decision: { decision: string; next?: T }): T {
  if (decision.decision !== 'record' || !decision.next) throw new Error(`expected a record, got ${decision.decision}`);
  return decision.next;
}
