/**
 * The deletion of one workspace: the listeners that were called, and its progress. The record is also the tombstone
 * that remains when the workspace is gone, so it is never removed. One table defines the allowed steps, and
 * `docs/states.md` is generated from it.
 */
import {
  deletionMessageIds,
  deletionSubjects,
  deletionTypes,
  type DeletionRequested,
  type WorkspaceDeleted,
} from '@platform/contracts-provisioning';
import { defineSteps, type Checked } from '@platform/durable/steps';
import { assert, type Executor, type OutboxEntry, type Revisioned } from '@platform/kernel';
import type { AttemptError, ListenerCallRecord, Resolution } from './attempt';

interface DeletionBase extends Revisioned {
  readonly tenantId: string;
  /** The gateway's operation that requested it first. */
  readonly operationId: string;
  readonly workspaceName: string;
  readonly planId: string;
  readonly requestedAt: Date;
  readonly listenerCalls: readonly ListenerCallRecord[];
  /** Results of investigations, oldest first; each allowed the remaining listeners to be called. */
  readonly resolutions?: readonly Resolution[];
  readonly outbox?: readonly OutboxEntry[];
}

/** No process works on the deletion: an investigation has ended, and a process will continue it. */
interface RequestedDeletion extends DeletionBase {
  readonly status: 'requested';
}
export interface CallingDeletion extends DeletionBase {
  readonly status: 'calling';
  readonly executor: Executor;
}
interface StoppedDeletion extends DeletionBase {
  readonly status: 'reconciliation_required';
  readonly executor: Executor;
  readonly lastError: AttemptError;
}
interface CompletedDeletion extends DeletionBase {
  readonly status: 'deleted';
  readonly deletedAt: Date;
}

export type Deletion = RequestedDeletion | CallingDeletion | StoppedDeletion | CompletedDeletion;
export type OpenDeletion = CallingDeletion | StoppedDeletion;
export const deletionStatuses = ['requested', 'calling', 'reconciliation_required', 'deleted'] as const;

export const deletionSteps = defineSteps<Deletion>()({
  name: 'deletion',
  field: 'status',
  begins: ['calling'],
  table: {
    requested: { to: ['calling'] },
    calling: { to: ['deleted', 'reconciliation_required'], byResolution: ['requested'] },
    reconciliation_required: { to: [], byResolution: ['requested'] },
    deleted: { to: [] },
  },
  own: {
    requested: {},
    calling: { executor: true },
    reconciliation_required: { executor: true, lastError: true },
    deleted: { deletedAt: true },
  },
});

/** Whether the deletion's outcome may be unknown, so that an investigation may end it. */
export function isOpenDeletion(deletion: Deletion): deletion is OpenDeletion {
  return deletion.status === 'calling' || deletion.status === 'reconciliation_required';
}

/** The intent and its executor, recorded before any listener is called (law 1). */
export function newDeletion(request: DeletionRequested, executor: Executor): Checked<CallingDeletion> {
  const { tenantId, operationId, workspaceName, planId, requestedAt } = request;
  return deletionSteps.begin<CallingDeletion>({
    _id: tenantId,
    status: 'calling',
    tenantId,
    operationId,
    workspaceName,
    planId,
    requestedAt: new Date(requestedAt),
    executor,
    listenerCalls: [],
  });
}

/** A listener is called once for a workspace's deletion, whatever the outcome. */
export function wasCalled({ listenerCalls }: Deletion, listener: string): boolean {
  return listenerCalls.some((call) => call.listener === listener);
}

export function recordDeletionCall(
  deletion: CallingDeletion,
  listener: string,
  calledAt: Date,
): Checked<CallingDeletion> {
  assert(!wasCalled(deletion, listener), `listener ${listener} was called for deletion ${deletion._id} already`);
  const call: ListenerCallRecord = { listener, event: 'TENANT_DELETED', calledAt };
  return deletionSteps.keep<CallingDeletion>(deletion, { listenerCalls: [...deletion.listenerCalls, call] });
}

/** Completes the last recorded call; the next write stores it. */
export function answerDeletionCall(deletion: CallingDeletion, outcome: 'done' | 'failed'): CallingDeletion {
  const called = deletion.listenerCalls.at(-1);
  assert(called, `deletion ${deletion._id} has no recorded listener call to answer`);
  return { ...deletion, listenerCalls: [...deletion.listenerCalls.slice(0, -1), { ...called, outcome }] };
}

/** The answer to the gateway, which repeats its request until it has the answer. */
export function deletedBody(tenantId: string, operationId: string, deletedAt: Date): WorkspaceDeleted {
  return { tenantId, operationId, deletedAt: deletedAt.toISOString() };
}

export function deletedEntry({ tenantId, operationId }: Deletion, now: Date): OutboxEntry {
  return {
    id: deletionMessageIds.deleted(operationId),
    subject: deletionSubjects.deleted,
    type: deletionTypes.deleted,
    body: deletedBody(tenantId, operationId, now),
    closesOn: 'publish_ack',
    createdAt: now,
  };
}

/** The result of an investigation: the uncertain call's work is done, and the remaining listeners may be called. */
export function resumeDeletion(deletion: OpenDeletion, resolution: Resolution): Checked<RequestedDeletion> {
  return deletionSteps.resolve(deletion, 'requested', {
    resolutions: [...(deletion.resolutions ?? []), resolution],
  });
}
