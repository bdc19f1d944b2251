/**
 * The persisted operation in the words of the contract. Every field is listed here, so a new field is shown only by
 * decision.
 */
import { knowledgeOf, type AttemptExecutorStates } from '../workflows/read-operation';
import { operatorLimits, type OperationView, type ProviderCallView } from '@platform/contracts-operator';
import type { ProviderCallRecord } from '@platform/durable/journal';
import type { ExecutorKnowledge } from '@platform/kernel';
import { isFinal } from '../domain/admission';
import type { Attempt, CheckoutSession, DeletionProgress, Operation, OperationError } from '../domain/operation';
import { resolutionView } from '../domain/resolution-view';

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

/** `executors` holds what is known of the executors; without it, the view leaves that out. */
export function operationView(operation: Operation, executors: AttemptExecutorStates = {}): OperationView {
  const unresolved = operation.status === 'running' || operation.status === 'reconciliation_required';
  return {
    operationId: operation._id,
    tenantId: operation.tenantId,
    action: operation.action,
    status: operation.status,
    actor: { ...operation.actor },
    ...(operation.reason !== undefined && { reason: operation.reason }),
    ...(operation.approval && { approval: { ...operation.approval } }),
    values: { ...operation.values },
    fingerprint: operation.fingerprint,
    attempts: operation.attempts.map((attempt) => attemptView(attempt, knowledgeOf(executors, operation._id, attempt))),
    ...(operation.lifecycle && {
      lifecycle: {
        transition: operation.lifecycle.transition,
        announcedAt: operation.lifecycle.announcedAt.toISOString(),
        ...(operation.lifecycle.settledAt && { settledAt: operation.lifecycle.settledAt.toISOString() }),
        ...(operation.lifecycle.receipts && {
          receipts: operation.lifecycle.receipts.map((receipt) => ({ ...receipt })),
        }),
        ...(operation.lifecycle.waived && { waived: operation.lifecycle.waived.map((each) => ({ ...each })) }),
        ...(operation.lifecycle.omitted && { omitted: { ...operation.lifecycle.omitted } }),
      },
    }),
    ...(operation.deletion && { deletion: deletionView(operation.deletion) }),
    ...(operation.status === 'awaiting_payment' && {
      code: 'authentication_required' as const,
      confirmUrl: operation.payment.confirmUrl,
    }),
    ...(operation.checkout && { checkout: checkoutView(operation.checkout) }),
    ...(operation.payment && {
      payment: { invoiceId: operation.payment.invoiceId, expiresAt: operation.payment.expiresAt.toISOString() },
    }),
    ...(operation.status === 'succeeded' && {
      result: { ...operation.result },
      effectiveAt: operation.effectiveAt.toISOString(),
    }),
    ...('error' in operation && { error: errorView(operation.error) }),
    ...retryUntil(operation),
    ...(operation.resolution && { resolution: resolutionView(operation.resolution) }),
    ...(unresolved && { reconciliationRequirements: proofs }),
    revision: operation.revision,
    createdAt: operation.createdAt.toISOString(),
    updatedAt: operation.updatedAt.toISOString(),
  };
}

function errorView({ code, message, detail, changed, unchanged }: OperationError) {
  return {
    code,
    message,
    ...(detail && { detail: { ...detail } }),
    ...(changed && { changed: [...changed] }),
    ...(unchanged && { unchanged: [...unchanged] }),
  };
}

/** Uses the facts by which a repeat is admitted; an operation that an investigation closed cannot be repeated. */
function retryUntil(operation: Operation): { readonly retryUntil?: string } {
  const { status, resolution, createdAt } = operation;
  if (resolution || (status !== 'failed' && status !== 'pending')) return {};
  if (status === 'failed' && isFinal(operation)) return {};
  return { retryUntil: new Date(createdAt.getTime() + operatorLimits.retryWindowHours * 3_600_000).toISOString() };
}

function checkoutView({ sessionId, expiresAt, waitsFor }: CheckoutSession): NonNullable<OperationView['checkout']> {
  return { sessionId, expiresAt: expiresAt.toISOString(), ...(waitsFor && { waitsFor }) };
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

function attemptView(attempt: Attempt, knowledge: ExecutorKnowledge | undefined): OperationView['attempts'][number] {
  return {
    number: attempt.number,
    ...(attempt.actor && { actor: { ...attempt.actor } }),
    ...(attempt.reason !== undefined && { reason: attempt.reason }),
    executor: { ...attempt.executor },
    ...(knowledge && { executorState: knowledge.state, executorKnowledge: knowledge }),
    startedAt: attempt.startedAt.toISOString(),
    ...(attempt.finishedAt && { finishedAt: attempt.finishedAt.toISOString() }),
    ...(attempt.outcome && { outcome: attempt.outcome }),
    ...(attempt.error && { error: errorView(attempt.error) }),
    providerCalls: attempt.providerCalls.map(callView),
  };
}

export function callView({ sentAt, ...call }: ProviderCallRecord): ProviderCallView {
  return { ...call, ...(sentAt && { sentAt: sentAt.toISOString() }) };
}
