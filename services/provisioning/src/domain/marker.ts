/**
 * The creation marker (specification §2): one document that is marker, `created` message and tombstone. It decides; the
 * attempt follows. Never deleted.
 */
import { lifecycleMessageIds, lifecycleSubjects, lifecycleTypes } from '@platform/contracts-lifecycle-delivery';
import {
  creationOperationId,
  workspaceMessageIds,
  workspaceSubjects,
  workspaceTypes,
} from '@platform/contracts-provisioning';
import { defineSteps } from '@platform/durable/steps';
import type { OutboxEntry, Revisioned } from '@platform/kernel';
import type { Attempt, Resolution } from './attempt';

export type MarkerState = 'preparing' | 'awaiting_payment' | 'committed' | 'cancelled';

interface MarkerBase extends Revisioned {
  readonly tenantId: string;
  /** Null when the creation has no invoice; absent until that is known. */
  readonly invoiceId?: string | null;
  /** Lifecycle admission is closed: no process commits this creation any more, even if it is paid. */
  readonly closedAt?: Date;
  /**
   * The resolution with which an investigation decided this marker; the attempt copies it, whichever process updates
   * it.
   */
  readonly resolution?: Resolution;
  readonly outbox?: readonly OutboxEntry[];
}

export interface PreparingMarker extends MarkerBase {
  readonly provisioningState: 'preparing';
}
interface AwaitingPaymentMarker extends MarkerBase {
  readonly provisioningState: 'awaiting_payment';
}
export interface CommittedMarker extends MarkerBase {
  readonly provisioningState: 'committed';
  readonly committedAt: Date;
}
/** The tombstone. */
export interface CancelledMarker extends MarkerBase {
  readonly provisioningState: 'cancelled';
  readonly cancelledAt: Date;
}
export type OpenMarker = PreparingMarker | AwaitingPaymentMarker;
export type CreationMarker = OpenMarker | CommittedMarker | CancelledMarker;

/**
 * An investigation decides an open marker; no step leads away from a committed one or from a tombstone. A marker is
 * created as a tombstone when an investigation ends a creation whose executor disappeared before it wrote one.
 */
export const markerSteps = defineSteps<CreationMarker>()({
  name: 'creation marker',
  field: 'provisioningState',
  begins: ['preparing', 'cancelled'],
  table: {
    preparing: { to: ['awaiting_payment', 'committed', 'cancelled'], byResolution: ['committed', 'cancelled'] },
    awaiting_payment: { to: ['committed', 'cancelled'], byResolution: ['committed', 'cancelled'] },
    committed: { to: [] },
    cancelled: { to: [] },
  },
  own: {
    preparing: {},
    awaiting_payment: {},
    committed: { committedAt: true },
    cancelled: { cancelledAt: true },
  },
});

export function isOpenMarker(marker: CreationMarker): marker is OpenMarker {
  return marker.provisioningState === 'preparing' || marker.provisioningState === 'awaiting_payment';
}

/** `created` for the delivery service and the gateway's mirror; published only from here. */
export function committedMessages(attempt: Attempt, now: Date): OutboxEntry[] {
  const { tenantId, handles } = attempt;
  const operationId = creationOperationId(tenantId);
  const at = now.toISOString();
  const provider = {
    ...(handles.customerId && { customerId: handles.customerId }),
    ...(handles.subscriptionId && { subscriptionId: handles.subscriptionId }),
    ...(handles.itemId && { itemId: handles.itemId }),
  };
  return [
    {
      id: lifecycleMessageIds.message(operationId),
      subject: lifecycleSubjects.message('created'),
      type: lifecycleTypes.message('created'),
      body: { tenantId, operationId, transition: 'created', requestedAt: at },
      closesOn: 'receiver_record',
      createdAt: now,
    },
    {
      id: workspaceMessageIds.committed(tenantId),
      subject: workspaceSubjects.committed,
      type: workspaceTypes.committed,
      body: {
        tenantId,
        workspaceName: attempt.workspaceName,
        ownerUserId: attempt.userId,
        ...(attempt.userEmail !== undefined && { ownerEmail: attempt.userEmail }),
        planId: attempt.plan.planId,
        provider,
        trialing: (attempt.trialDays ?? 0) > 0,
        ...(handles.currentPeriodEnd && { currentPeriodEnd: handles.currentPeriodEnd.toISOString() }),
        committedAt: at,
      },
      closesOn: 'receiver_record',
      createdAt: now,
    },
  ];
}

/** No service needs to act on it; it informs observers. */
export function cancelledMessage(tenantId: string, code: string, now: Date): OutboxEntry {
  return {
    id: workspaceMessageIds.cancelled(tenantId),
    subject: workspaceSubjects.cancelled,
    type: workspaceTypes.cancelled,
    body: { tenantId, code, cancelledAt: now.toISOString() },
    closesOn: 'publish_ack',
    createdAt: now,
  };
}

/**
 * The answer of the commit gate. A tenant without a marker is legacy, default or bootstrap, unless it has an attempt:
 * then its marker is not written yet, or its creation ended under a build that wrote the marker late.
 */
export function isCommitted(marker: CreationMarker | null, attempt: Attempt | null): boolean {
  return marker ? marker.provisioningState === 'committed' : attempt === null || attempt.status === 'committed';
}
