/** The steps of an attempt: pure functions from the record as read to the record as it is to be written. */
import { assert, assertStep, type Executor } from '@platform/kernel';
import type { AttemptStatus, CreateWorkspace } from '@platform/contracts-provisioning';
import {
  attemptSteps,
  type Attempt,
  type AttemptError,
  type AwaitingPaymentAttempt,
  type CancelledAttempt,
  type CommitProof,
  type CommittedAttempt,
  type ListenerCallRecord,
  type OpenAttempt,
  type PreparingAttempt,
  type ProviderCallRecord,
  type ReservationNames,
  type Resolution,
  type StoppedAttempt,
} from './attempt';

type Stamped = 'revision' | 'createdAt' | 'updatedAt' | 'outbox';
export type Unstamped<T extends Attempt> = T extends unknown ? Omit<T, Stamped> : never;

function step(attempt: Attempt, to: AttemptStatus): void {
  assertStep(attemptSteps, attempt.status, to, `attempt ${attempt._id}`);
}

/** Law 1: the intent and the names of what will be reserved, before anything is reserved. */
export function newAttempt(
  request: CreateWorkspace,
  executor: Executor,
  reservations: Omit<ReservationNames, 'state'>,
): Unstamped<PreparingAttempt> {
  const { tenantId, user, workspaceName, plan } = request;
  return {
    _id: tenantId,
    status: 'preparing',
    tenantId,
    userId: user.id,
    workspaceName,
    plan: { planId: plan.planId, ...(plan.priceId !== undefined && { priceId: plan.priceId }) },
    executor,
    handles: {},
    reservations: { ...reservations, state: 'held' },
    providerCalls: [],
    listenerCalls: [],
  };
}

/** Records a call before it is sent. */
export function recordCall<T extends OpenAttempt>(attempt: T, call: ProviderCallRecord): T {
  return { ...attempt, providerCalls: [...attempt.providerCalls, call] };
}

/** Completes the last recorded call with what its answer showed. */
export function answerCall<T extends OpenAttempt>(attempt: T, evidence: Partial<ProviderCallRecord>): T {
  const sent = attempt.providerCalls.at(-1);
  assert(sent, `attempt ${attempt._id} has no recorded call to answer`);
  return { ...attempt, providerCalls: [...attempt.providerCalls.slice(0, -1), { ...sent, ...evidence }] };
}

export function recordListenerCall<T extends OpenAttempt>(attempt: T, call: ListenerCallRecord): T {
  return { ...attempt, listenerCalls: [...attempt.listenerCalls, call] };
}

export function answerListenerCall<T extends OpenAttempt>(attempt: T, outcome: 'done' | 'failed'): T {
  const called = attempt.listenerCalls.at(-1);
  assert(called, `attempt ${attempt._id} has no recorded listener call to answer`);
  return { ...attempt, listenerCalls: [...attempt.listenerCalls.slice(0, -1), { ...called, outcome }] };
}

/** Every listener succeeded: payment confirmation is allowed (specification §3). */
export function awaitPayment(attempt: OpenAttempt, now: Date): AwaitingPaymentAttempt {
  step(attempt, 'awaiting_payment');
  return { ...attempt, status: 'awaiting_payment', preparedAt: now };
}

/** Only when the marker is committed. */
export function commit(attempt: OpenAttempt, provenBy: CommitProof, committedAt: Date): CommittedAttempt {
  assert(attempt.preparedAt, `attempt ${attempt._id} was not prepared and cannot be committed`);
  step(attempt, 'committed');
  const { lastError: _resolved, ...rest } = attempt;
  return { ...rest, status: 'committed', committedAt, ...(provenBy !== 'executor' && { provenBy }) };
}

/** Only when nothing of it is left that could become a workspace. */
export function cancel(attempt: OpenAttempt, now: Date): CancelledAttempt {
  step(attempt, 'cancelled');
  return { ...attempt, status: 'cancelled', cancelledAt: now };
}

/** Law 3: unknown stops; everything is kept. */
export function stop(attempt: OpenAttempt, lastError: AttemptError): StoppedAttempt {
  if (attempt.status !== 'reconciliation_required') step(attempt, 'reconciliation_required');
  return { ...attempt, status: 'reconciliation_required', lastError };
}

export function beginRollback<T extends OpenAttempt>(attempt: T, lastError: AttemptError, now: Date): T {
  return { ...attempt, lastError, rollback: { code: lastError.code, startedAt: now } };
}

/** Appends the end of an investigation; a person with both proofs may take it from every open status. */
export function resolve(
  attempt: OpenAttempt,
  resolution: Resolution,
): Unstamped<CommittedAttempt> | Unstamped<CancelledAttempt> {
  assert(!attempt.resolution, `attempt ${attempt._id} is resolved already`);
  const { status: _left, ...rest } = attempt;
  if (resolution.outcome === 'not_applied')
    return { ...rest, status: 'cancelled', cancelledAt: resolution.at, resolution };
  assert(attempt.preparedAt, `attempt ${attempt._id} was not prepared and cannot be committed`);
  return { ...rest, status: 'committed', committedAt: resolution.at, provenBy: 'resolution', resolution };
}
