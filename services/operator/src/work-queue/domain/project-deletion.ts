/** A deletion at provisioning, as a row of the work queue. */
import type { WorkState } from '@platform/contracts-operator';
import type { DeletionView } from '@platform/contracts-provisioning';
import { describeExecutor, isInterrupted, type ExecutorKnowledge } from '@platform/kernel';
import type { WorkItemFacts } from './work-item';

const unknown: ExecutorKnowledge = { state: 'unknown' };

export function projectDeletion(deletion: DeletionView): WorkItemFacts | null {
  const { tenantId, operationId, workspaceName, status, executor, lastError, requestedAt } = deletion;
  const knowledge = executor ?? unknown;
  const states: Readonly<Record<DeletionView['status'], WorkState | null>> = {
    requested: 'waiting',
    calling: isInterrupted(knowledge) ? 'interrupted' : 'running',
    reconciliation_required: 'stopped',
    deleted: null,
  };
  const state = states[status];
  if (!state) return null;
  const silent =
    state === 'interrupted' ? describeExecutor(executor?.instance ?? 'Its executor', knowledge) : undefined;
  const reason = lastError?.message ?? silent;
  return {
    kind: 'deletion',
    itemId: tenantId,
    tenantId,
    state,
    status,
    title: `delete workspace ${workspaceName}`,
    ...(reason !== undefined && { reason }),
    money: null,
    since: new Date(requestedAt),
    ids: [tenantId, operationId],
  };
}
