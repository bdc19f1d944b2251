/**
 * Deletion of a workspace at the request of the gateway (decision 11): every registered deletion listener is called
 * once, and the call is recorded first. The first listener that fails stops the deletion. No listener is called again,
 * and when an executor disappeared only an investigation lets the deletion continue. The gateway repeats its request
 * until it has the answer, so a lost request or answer does no harm.
 */
import {
  deletionMessageIds,
  deletionSubjects,
  deletionTypes,
  type DeletionRequested,
  type ProvisioningNotice,
} from '@platform/contracts-provisioning';
import type { ExecutorStateOf } from '@platform/durable/boot';
import { decide, walk, writeFenced, type Decision } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { alertEntry, sameExecutor, type OutboxEntry } from '@platform/kernel';
import { apart, StoreUnavailableError, UnreadableRecordError } from '@platform/mongo';
import type { AttemptError } from '../domain/attempt';
import {
  answerDeletionCall,
  deletedBody,
  deletedEntry,
  deletionSteps,
  newDeletion,
  recordDeletionCall,
  wasCalled,
  type CallingDeletion,
  type Deletion,
} from '../domain/deletion';
import { askListener, registeredFor } from './call-listeners';
import { markRowDeleted } from './cover-rows';
import type { ProvisioningPorts } from './ports';
import { deletionKey } from './work-keys';

export interface DeletionPorts extends ProvisioningPorts {
  readonly executorState: ExecutorStateOf;
  /** Tenants whose deletion this process is working on. */
  readonly deleting: Set<string>;
}

export type DeletionAdmission =
  /** Admitted here: the caller runs {@link callDeletionListeners} on it. */
  | { readonly kind: 'admitted'; readonly deletion: CallingDeletion }
  /** The deletion is under way, stopped, or done and answered. */
  | { readonly kind: 'recorded' }
  /** No write is confirmed, or the answer was not sent: deliver the request again. */
  | { readonly kind: 'again'; readonly reason: string };

/** Handles one request for the deletion of a workspace. Throws StoreUnavailableError when the record cannot be read. */
export async function admitDeletion(ports: DeletionPorts, request: DeletionRequested): Promise<DeletionAdmission> {
  const { executor } = ports;
  const decided = await decide<Deletion, Checked<Deletion>, Deletion>(
    ports,
    ports.deletions,
    request.tenantId,
    (standing): Decision<Checked<Deletion>, Deletion> => {
      if (!standing) return { write: newDeletion(request, executor) };
      return standing.status === 'requested'
        ? { write: deletionSteps.move(standing, 'calling', { executor }) }
        : { answer: standing };
    },
  );
  if (decided.kind === 'unknown') return { kind: 'again', reason: decided.reason };
  if (decided.kind === 'written') {
    ports.deleting.add(request.tenantId);
    return { kind: 'admitted', deletion: decided.record as CallingDeletion };
  }
  const standing = decided.answer;
  if (standing.status === 'deleted') return answerAgain(ports, request, standing.deletedAt);
  if (standing.status === 'calling' && (await isAbandoned(ports, standing)))
    await stopDeletion(ports, standing, standing, {
      code: 'executor_gone',
      message: 'The process that called the deletion listeners ended, or could not write down what it did.',
    });
  return { kind: 'recorded' };
}

/**
 * Continues deletions whose investigation has ended: calls the listeners that were not called yet. Throws
 * StoreUnavailableError.
 */
export async function resumeDeletions(ports: DeletionPorts, stopping: () => boolean = () => false): Promise<number> {
  let resumed = 0;
  for await (const waiting of walk(ports.deletions, { status: 'requested' }, { sort: ['createdAt', '_id'] }))
    await apart(ports.deletions, waiting._id, async () => {
      if (stopping() || waiting.status !== 'requested') return;
      const { executor } = ports;
      const taken = await ports.deletions.mutate(waiting, deletionSteps.move(waiting, 'calling', { executor }));
      if (taken.outcome !== 'applied') return;
      resumed += 1;
      ports.deleting.add(waiting.tenantId);
      // Registered as work, so that this process answers for it when an investigator asks.
      await ports.work.run(deletionKey(waiting.tenantId), () =>
        callDeletionListeners(ports, taken.record as CallingDeletion),
      );
    });
  return resumed;
}

/**
 * Proven: this process does not work on the deletion, and the process that did has stopped or was superseded by a later
 * boot.
 */
async function isAbandoned(
  { executor, deleting, executorState }: DeletionPorts,
  deletion: CallingDeletion,
): Promise<boolean> {
  if (sameExecutor(deletion.executor, executor)) return !deleting.has(deletion.tenantId);
  const state = await executorState(deletion.executor.incarnation);
  return state === 'stopped' || state === 'superseded';
}

/** Answers the current requester from the record. */
async function answerAgain(
  { messaging }: DeletionPorts,
  { tenantId, operationId }: DeletionRequested,
  deletedAt: Date,
): Promise<DeletionAdmission> {
  const published = await messaging.publish({
    id: deletionMessageIds.deleted(operationId),
    subject: deletionSubjects.deleted,
    type: deletionTypes.deleted,
    body: deletedBody(tenantId, operationId, deletedAt),
  });
  return published === 'acknowledged'
    ? { kind: 'recorded' }
    : { kind: 'again', reason: 'the answer was not acknowledged' };
}

/** Calls every registered deletion listener that was not called yet, and ends the deletion or stops it. */
export async function callDeletionListeners(ports: DeletionPorts, admitted: CallingDeletion): Promise<void> {
  try {
    await perform(ports, admitted);
  } finally {
    ports.deleting.delete(admitted.tenantId);
  }
}

async function perform(ports: DeletionPorts, admitted: CallingDeletion): Promise<void> {
  let stored = admitted;
  let working = admitted;
  try {
    const notice = await noticeOf(ports, admitted);
    const required = await registeredFor(ports, 'TENANT_DELETED');
    if (!required.ok) return await stopDeletion(ports, stored, working, required.error);
    for (const { _id: listener } of required.value) {
      if (wasCalled(working, listener)) continue;
      const called = await write(ports, stored, recordDeletionCall(working, listener, ports.clock.now()));
      if (!called) return;
      stored = called;
      const error = await askListener(ports, listener, notice);
      working = answerDeletionCall(called, error === null ? 'done' : 'failed');
      if (error !== null) return await stopDeletion(ports, stored, working, error);
    }
    if (!(await markRowDeleted(ports, admitted.tenantId)))
      return await stopDeletion(ports, stored, working, {
        code: 'persistence_unknown',
        message: "Every listener succeeded, and the tenant's row could not be marked as deleted.",
      });
    const now = ports.clock.now();
    await write(ports, stored, deletionSteps.move(working, 'deleted', { deletedAt: now }), [
      deletedEntry(working, now),
    ]);
  } catch (error) {
    const stop = stopOf(error);
    if (!stop) throw error;
    await stopDeletion(ports, stored, working, stop);
  }
}

/** Why a deletion stops at what its store answers; undefined for a defect. */
function stopOf(error: unknown): AttemptError | undefined {
  if (error instanceof StoreUnavailableError)
    return {
      code: 'store_unavailable',
      message: 'The store did not answer in the midst of the deletion. Everything is kept.',
    };
  if (!(error instanceof UnreadableRecordError)) return undefined;
  return { code: 'record_unreadable', message: `A record of this workspace cannot be read. ${error.message}.` };
}

/** The record as written while this executor still has it; null when it lost it or cannot know. */
async function write(
  ports: DeletionPorts,
  stored: CallingDeletion,
  next: Checked<Deletion>,
  announce: readonly OutboxEntry[] = [],
): Promise<CallingDeletion | null> {
  const written = await writeFenced<Deletion, Checked<Deletion>>(
    ports.deletions,
    stored,
    next,
    announce,
    ports.retryPolicy,
  );
  if (written.kind === 'written') ports.publishNow('deletions', stored._id, announce);
  if (written.kind === 'unknown')
    ports.log.error({ tenantId: stored.tenantId, reason: written.reason }, 'a deletion could not be recorded');
  return written.kind === 'written' && written.record.status === 'calling' ? written.record : null;
}

/** Law 3: all records are kept, the same write alerts people, and no call is repeated. */
async function stopDeletion(
  ports: DeletionPorts,
  stored: CallingDeletion,
  working: CallingDeletion,
  lastError: AttemptError,
): Promise<void> {
  // After an investigation the same error may stop it again, and each stop has an alert of its own.
  const investigated = working.resolutions?.length ?? 0;
  const stop = [lastError.code, working.listenerCalls.length, ...(investigated > 0 ? [investigated] : [])].join(':');
  const alert = alertEntry(
    {
      service: ports.executor.service,
      kind: 'deletion',
      id: stored.tenantId,
      tenantId: stored.tenantId,
      reason: lastError.message,
      at: ports.clock.now(),
    },
    stop,
  );
  await write(ports, stored, deletionSteps.move(working, 'reconciliation_required', { lastError }), [alert]);
}

/**
 * Provisioning's knowledge of the workspace; a workspace that is older than these records has neither attempt nor owner
 * here.
 */
async function noticeOf(ports: DeletionPorts, deletion: CallingDeletion): Promise<ProvisioningNotice> {
  const { tenantId, operationId, workspaceName, planId } = deletion;
  const [attempt, tenant] = await Promise.all([ports.attempts.findById(tenantId), ports.tenants.findById(tenantId)]);
  return {
    event: 'TENANT_DELETED',
    tenantId,
    attemptId: attempt?._id ?? operationId,
    workspaceName,
    ownerUserId: tenant?.owners[0] ?? attempt?.userId ?? '',
    planId,
  };
}
