/**
 * The messages in which an operation requests work of other services. Only the receiver's answer from a durable record
 * ends a message, not the broker's acknowledgement, so a lost message is sent again.
 */
import {
  lifecycleMessageIds,
  lifecycleSubjects,
  lifecycleTypes,
  type LifecycleTransition,
} from '@platform/contracts-lifecycle-delivery';
import { deletionMessageIds, deletionSubjects, deletionTypes } from '@platform/contracts-provisioning';
import type { OutboxEntry } from '@platform/kernel';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Operation } from './operation';

/** The message that the required consumers must receipt. */
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

/** Lifecycle-delivery skips the deliveries that wait for the workspace; provisioning calls the deletion listeners. */
export function deletionEntries(
  { _id: operationId, tenantId }: Operation,
  { workspaceName, planId }: Subscription,
  now: Date,
): OutboxEntry[] {
  const at = now.toISOString();
  return [
    {
      id: lifecycleMessageIds.tenantDeleted(tenantId),
      subject: lifecycleSubjects.tenantDeleted,
      type: lifecycleTypes.tenantDeleted,
      body: { tenantId, operationId, deletedAt: at },
      closesOn: 'receiver_record',
      createdAt: now,
    },
    {
      id: deletionMessageIds.requested(operationId),
      subject: deletionSubjects.requested,
      type: deletionTypes.requested,
      body: { tenantId, operationId, workspaceName, planId, requestedAt: at },
      closesOn: 'receiver_record',
      createdAt: now,
    },
  ];
}
