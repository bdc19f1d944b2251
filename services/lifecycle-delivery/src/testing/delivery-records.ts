/** Records of one delivery and of its consumer's reports, for the table tests of the domain. */
import type { ReceiptMessage } from '@platform/contracts-lifecycle-delivery';
import type { Checked } from '@platform/durable/steps';
import type { Revisioned } from '@platform/kernel';
import { newDelivery, type Delivery, type PendingDelivery, type ReportDecision } from '../domain/delivery';

export const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
export const stamp = { revision: 'r1', createdAt: at(0), updatedAt: at(0) };
export const message = { _id: 'operation-1', tenantId: 'acme', transition: 'suspended' as const, requestedAt: at(0) };
/** The draft with the fields that the store adds. */
export const stamped = <T extends Revisioned>(draft: Checked<T>): T => ({ ...draft, ...stamp }) as unknown as T;
export const pending = (consumer = 'storage'): PendingDelivery =>
  stamped(
    newDelivery(
      message,
      consumer,
      { now: at(0), nextAttemptAt: at(5) },
      { tenantDeleted: false, paused: false },
    ) as Checked<PendingDelivery>,
  );
export const receipt: ReceiptMessage = {
  tenantId: 'acme',
  operationId: 'operation-1',
  transition: 'suspended',
  receiptId: 'r-1',
  effectiveAt: at(1).toISOString(),
};
export const report = {
  kind: 'run_failed' as const,
  reportId: 'f-1',
  tenantId: 'acme',
  transition: 'suspended' as const,
  error: 'Error: disk full',
  failedAt: at(1),
};

export function recorded(decision: ReportDecision): Delivery {
  if (decision.decision !== 'record') throw new Error(`expected a record, got ${decision.decision}`);
  return stamped(decision.next);
}
