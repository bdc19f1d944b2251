/** The intent to announce a transition to other teams, as it stands in the outbox of its operation (law 7). */
import type { OutboxEntry } from '@platform/kernel';
import {
  lifecycleSubjects,
  lifecycleTypes,
  lifecycleMessageIds,
  type LifecycleTransition,
} from '@platform/contracts-lifecycle-delivery';
import type { Operation } from './operation';

/** The message that the required consumers must receipt; ended by the settlement, not by the broker's acknowledgement. */
export function lifecycleEntry(operation: Operation, transition: LifecycleTransition, now: Date): OutboxEntry {
  const { _id: operationId, tenantId, createdAt } = operation;
  return {
    id: lifecycleMessageIds.message(operationId),
    subject: lifecycleSubjects.message(transition),
    type: lifecycleTypes.message(transition),
    body: { tenantId, operationId, transition, requestedAt: createdAt.toISOString() },
    closesOn: 'receiver_record',
    createdAt: now,
  };
}
