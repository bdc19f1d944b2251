/** The steps of an attempt: pure functions from the record as read to the record to be written. */
import { answerLast, type AnswerRecord, type SentCall } from '@platform/durable/journal';
import type { Checked } from '@platform/durable/steps';
import { assert, type Executor } from '@platform/kernel';
import type { CreateWorkspace } from '@platform/contracts-provisioning';
import {
  attemptSteps,
  type AttemptError,
  type AwaitedConfirmation,
  type AwaitingPaymentAttempt,
  type CancelledAttempt,
  type CommitProof,
  type CommittedAttempt,
  type ListenerCallRecord,
  type OpenAttempt,
  type PreparingAttempt,
  type ReservationNames,
  type Resolution,
  type StoppedAttempt,
} from './attempt';

/** The intent and the names of all reservations, recorded before anything is reserved (law 1). */
export function newAttempt(
  request: CreateWorkspace,
  executor: Executor,
  reservations: Omit<ReservationNames, 'state'>,
): Checked<PreparingAttempt> {
  const { tenantId, user, workspaceName, plan } = request;
  return attemptSteps.begin<PreparingAttempt>({
    _id: tenantId,
    status: 'preparing',
    tenantId,
    userId: user.id,
    userEmail: user.email,
    workspaceName,
    plan: { planId: plan.planId, ...(plan.priceId !== undefined && { priceId: plan.priceId }) },
    executor,
    handles: {},
    reservations: { ...reservations, state: 'held' },
    providerCalls: [],
    listenerCalls: [],
  });
}

/** Records a call before it is sent. */
export function recordCall<T extends OpenAttempt>(attempt: T, call: SentCall): T {
  return { ...attempt, providerCalls: [...attempt.providerCalls, call] };
}

/** Completes the last recorded call with its answer. */
export function answerCall<T extends OpenAttempt>(attempt: T, evidence: AnswerRecord): T {
  return { ...attempt, providerCalls: answerLast(attempt.providerCalls, evidence) };
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
export function awaitPayment(attempt: PreparingAttempt, now: Date): Checked<AwaitingPaymentAttempt> {
  return attemptSteps.move(attempt, 'awaiting_payment', { preparedAt: now });
}

/** The first payment waits for its person or for a bank. The executor ends; later the provider's result decides. */
export function awaitConfirmation(attempt: OpenAttempt, confirmation: AwaitedConfirmation): Checked<OpenAttempt> {
  return attemptSteps.keep<OpenAttempt>(attempt, { confirmation });
}

/** The form of an attempt that a committed marker, or an investigation, may commit. */
function prepared(attempt: OpenAttempt): AwaitingPaymentAttempt | StoppedAttempt {
  assert(
    attempt.status !== 'preparing' && attempt.preparedAt,
    `attempt ${attempt._id} was not prepared and cannot be committed`,
  );
  return attempt;
}

/** Called only when the marker is committed. */
export function commit(attempt: OpenAttempt, provenBy: CommitProof, committedAt: Date): Checked<CommittedAttempt> {
  return attemptSteps.move(prepared(attempt), 'committed', {
    committedAt,
    lastError: undefined,
    ...(provenBy !== 'executor' && { provenBy }),
  });
}

/** Called only when nothing remains that could become a workspace. */
export function cancel(attempt: OpenAttempt, now: Date): Checked<CancelledAttempt> {
  return attemptSteps.move(attempt, 'cancelled', { cancelledAt: now, userEmail: undefined });
}

/** Law 3: an unknown outcome stops the attempt; all records are kept. */
export function stop(attempt: OpenAttempt, lastError: AttemptError): Checked<StoppedAttempt> {
  return attempt.status === 'reconciliation_required'
    ? attemptSteps.keep(attempt, { lastError })
    : attemptSteps.move(attempt, 'reconciliation_required', { lastError });
}

export function beginRollback(
  attempt: OpenAttempt,
  executor: Executor,
  lastError: AttemptError,
  now: Date,
): Checked<OpenAttempt> {
  return attemptSteps.keep<OpenAttempt>(attempt, {
    executor,
    lastError,
    rollback: { code: lastError.code, startedAt: now },
  });
}

/** Appends the end of an investigation; a person with both proofs may record it in every open status. */
export function resolve(
  attempt: OpenAttempt,
  resolution: Resolution,
): Checked<CommittedAttempt> | Checked<CancelledAttempt> {
  assert(!attempt.resolution, `attempt ${attempt._id} is resolved already`);
  if (resolution.outcome === 'not_applied')
    return attemptSteps.resolve(attempt, 'cancelled', {
      cancelledAt: resolution.at,
      resolution,
      userEmail: undefined,
    });
  return attemptSteps.resolve(prepared(attempt), 'committed', {
    committedAt: resolution.at,
    provenBy: 'resolution',
    resolution,
  });
}

/** The record as another writer left it, with the answers that its executor has received and not written yet. */
export function withAnswers<T extends OpenAttempt>(attempt: T, learnt: OpenAttempt): T {
  const answered = new Map(
    learnt.providerCalls.map((call) => [`${call.idempotencyKey} ${call.sentAt.getTime()}`, call]),
  );
  const providerCalls = attempt.providerCalls.map((call) =>
    call.outcome === undefined ? (answered.get(`${call.idempotencyKey} ${call.sentAt.getTime()}`) ?? call) : call,
  );
  return { ...attempt, providerCalls };
}
