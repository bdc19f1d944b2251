/**
 * The first write of an operation: the intent alone, with its first attempt, or with the refusal of that attempt. Pure.
 */
import type { Executor } from '@platform/kernel';
import type { Checked } from '@platform/durable/steps';
import {
  fingerprintOf,
  operationSteps,
  type Attempt,
  type CreditApproval,
  type FailedOperation,
  type OperationError,
  type OperationRequest,
  type PendingOperation,
  type RunningOperation,
} from './operation';

function intentOf(request: OperationRequest, approval: CreditApproval | null | undefined) {
  const { operationId, tenantId, action, values, actor, reason, previewDigest } = request;
  return {
    _id: operationId,
    tenantId,
    action,
    actor,
    ...(reason !== undefined && { reason }),
    ...(previewDigest !== undefined && { previewDigest }),
    ...(approval && { approval }),
    values,
    fingerprint: fingerprintOf(request),
  };
}

/** The intent, recorded before anything else happens (law 1). */
export function newIntent(request: OperationRequest, approval?: CreditApproval | null): Checked<PendingOperation> {
  return operationSteps.begin<PendingOperation>({ ...intentOf(request, approval), status: 'pending', attempts: [] });
}

/** The data that the insert of a first request adds to the intent. */
interface Beginning {
  readonly executor: Executor;
  readonly now: Date;
  readonly approval?: CreditApproval | null | undefined;
}

/** The intent together with its first attempt, by one executor: the insert of the record admits it. */
export function beginAttempt(
  request: OperationRequest,
  { executor, now, approval }: Beginning,
  checkpoint?: Readonly<Record<string, string>>,
): Checked<RunningOperation> {
  return operationSteps.begin<RunningOperation>({
    ...intentOf(request, approval),
    status: 'running',
    attempts: [newAttempt(1, executor, now, request)],
    ...(checkpoint && { checkpoint }),
  });
}

/** The intent together with the refusal of its first attempt: nothing of it was begun. */
export function beginRefused(
  request: OperationRequest,
  { executor, now, approval }: Beginning,
  error: OperationError,
): Checked<FailedOperation> {
  const attempt = { ...newAttempt(1, executor, now, request), finishedAt: now, outcome: 'failed', error } as const;
  return operationSteps.begin<FailedOperation>({
    ...intentOf(request, approval),
    status: 'failed',
    attempts: [attempt],
    error,
  });
}

/** Who asks for an attempt, and why. */
export type Asked = Pick<OperationRequest, 'actor' | 'reason'>;

/** An attempt that has just begun and has no calls yet. */
export function newAttempt(number: number, executor: Executor, now: Date, asked?: Asked): Attempt {
  return {
    number,
    ...(asked && { actor: asked.actor }),
    ...(asked?.reason !== undefined && { reason: asked.reason }),
    executor,
    startedAt: now,
    providerCalls: [],
  };
}
