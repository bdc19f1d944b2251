/** The persisted operation in the words of the contract. Every field is chosen here, so a new one is shown by decision. */
import type { AttemptExecutorStates } from '../workflows/read-operation';
import type { OperationView, ProviderCallView } from '@platform/contracts-operator';
import type { ProviderCallRecord } from '@platform/durable/journal';
import type { Attempt, DeletionProgress, Operation } from '../domain/operation';

/** Both proofs, in the words of the specification. */
export const proofs: NonNullable<OperationView['reconciliationRequirements']> = [
  {
    proof: 'executor_quiescent',
    statement:
      'The previous executor is stopped or quiescent. A matching read at the payment provider does not prove this.',
  },
  {
    proof: 'external_outcome_known',
    statement: 'The external outcome is known from this record, the provider request details and the provider records.',
  },
];

/** `executors` tells, per incarnation, whether it still runs; without it the view leaves that open. */
export function operationView(operation: Operation, executors: AttemptExecutorStates = {}): OperationView {
  const unresolved = operation.status === 'running' || operation.status === 'reconciliation_required';
  return {
    operationId: operation._id,
    tenantId: operation.tenantId,
    action: operation.action,
    status: operation.status,
    actor: { ...operation.actor },
    values: { ...operation.values },
    fingerprint: operation.fingerprint,
    attempts: operation.attempts.map((attempt) => attemptView(attempt, executors)),
    ...(operation.lifecycle && {
      lifecycle: {
        transition: operation.lifecycle.transition,
        announcedAt: operation.lifecycle.announcedAt.toISOString(),
        ...(operation.lifecycle.settledAt && { settledAt: operation.lifecycle.settledAt.toISOString() }),
        ...(operation.lifecycle.receipts && {
          receipts: operation.lifecycle.receipts.map((receipt) => ({ ...receipt })),
        }),
        ...(operation.lifecycle.waived && { waived: operation.lifecycle.waived.map((each) => ({ ...each })) }),
      },
    }),
    ...(operation.deletion && { deletion: deletionView(operation.deletion) }),
    ...(operation.status === 'succeeded' && {
      result: { ...operation.result },
      effectiveAt: operation.effectiveAt.toISOString(),
    }),
    ...(operation.resolution && { resolution: { ...operation.resolution, at: operation.resolution.at.toISOString() } }),
    ...(unresolved && { reconciliationRequirements: proofs }),
    revision: operation.revision,
    createdAt: operation.createdAt.toISOString(),
    updatedAt: operation.updatedAt.toISOString(),
  };
}

function deletionView({
  announcedAt,
  deliveriesSkippedAt,
  listenersCalledAt,
}: DeletionProgress): NonNullable<OperationView['deletion']> {
  return {
    announcedAt: announcedAt.toISOString(),
    ...(deliveriesSkippedAt && { deliveriesSkippedAt: deliveriesSkippedAt.toISOString() }),
    ...(listenersCalledAt && { listenersCalledAt: listenersCalledAt.toISOString() }),
  };
}

function attemptView(attempt: Attempt, executors: AttemptExecutorStates): OperationView['attempts'][number] {
  const state = executors[attempt.executor.incarnation];
  return {
    number: attempt.number,
    executor: { ...attempt.executor },
    ...(state && { executorState: state }),
    startedAt: attempt.startedAt.toISOString(),
    ...(attempt.finishedAt && { finishedAt: attempt.finishedAt.toISOString() }),
    ...(attempt.outcome && { outcome: attempt.outcome }),
    ...(attempt.error && {
      error: {
        code: attempt.error.code,
        message: attempt.error.message,
        ...(attempt.error.detail && { detail: { ...attempt.error.detail } }),
      },
    }),
    providerCalls: attempt.providerCalls.map(callView),
  };
}

export function callView({ sentAt, ...call }: ProviderCallRecord): ProviderCallView {
  return { ...call, ...(sentAt && { sentAt: sentAt.toISOString() }) };
}
