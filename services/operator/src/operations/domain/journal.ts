/**
 * The journal of an operation: pure functions from a record as read to the record as it is to be written. Each asserts
 * its step against the table, and each attempt keeps the executor that may still be running it.
 */
import { assert, type Executor } from '@platform/kernel';
import { answerLast, type AnswerRecord, type ProviderCallRecord } from '@platform/durable/journal';
import type { Checked } from '@platform/durable/steps';
import type { LifecycleTransition, SettledMessage } from '@platform/contracts-lifecycle-delivery';
import { newAttempt, type Asked } from './beginning';
import {
  operationSteps,
  type Attempt,
  type AwaitedPayment,
  type AwaitingPaymentOperation,
  type AwaitingReceiptsOperation,
  type CheckoutSession,
  type FailedOperation,
  type Operation,
  type OperationError,
  type PendingOperation,
  type Resolution,
  type RunningOperation,
  type StoppedOperation,
  type SucceededOperation,
} from './operation';

type WithAttempts = { readonly _id: string; readonly attempts: readonly Attempt[] };

function latest(operation: WithAttempts): Attempt {
  const attempt = operation.attempts.at(-1);
  assert(attempt, `operation ${operation._id} has no attempt`);
  return attempt;
}

function withLatest(operation: WithAttempts, change: Partial<Attempt>): readonly Attempt[] {
  return [...operation.attempts.slice(0, -1), { ...latest(operation), ...change }];
}

/** Admits one executor: for the first attempt, a retry, or the final attempt after the receipts arrived. */
export function admitAttempt(
  operation: PendingOperation | FailedOperation | AwaitingReceiptsOperation,
  executor: Executor,
  now: Date,
  checkpoint?: Readonly<Record<string, string>>,
  asked?: Asked,
): Checked<RunningOperation> {
  const attempt = newAttempt(operation.attempts.length + 1, executor, now, asked);
  const fixed = operation.checkpoint ?? checkpoint;
  return operationSteps.move(operation, 'running', {
    attempts: [...operation.attempts, attempt],
    ...(fixed && { checkpoint: fixed }),
  });
}

/**
 * Adds a call to the latest attempt: before it is sent, or because a step did not apply. Works on records and on drafts
 * of them.
 */
export function recordCall<T extends WithAttempts>(operation: T, call: ProviderCallRecord): T {
  return {
    ...operation,
    attempts: withLatest(operation, { providerCalls: [...latest(operation).providerCalls, call] }),
  };
}

/** Completes the last recorded call with its answer. */
export function answerCall(operation: RunningOperation, evidence: AnswerRecord): RunningOperation {
  const providerCalls = answerLast(latest(operation).providerCalls, evidence);
  return { ...operation, attempts: withLatest(operation, { providerCalls }) };
}

/** The provider's part is done and the lifecycle message is in this write's outbox. */
export function awaitReceipts(
  operation: RunningOperation,
  transition: LifecycleTransition,
  now: Date,
): Checked<AwaitingReceiptsOperation> {
  return operationSteps.move(operation, 'awaiting_receipts', {
    attempts: withLatest(operation, { finishedAt: now, outcome: 'awaiting_receipts' }),
    lifecycle: { transition, announcedAt: now },
  });
}

/** The subscription has ended, and the messages of the deletion are in this write's outbox. */
export function awaitDeletion(operation: RunningOperation, now: Date): Checked<AwaitingReceiptsOperation> {
  return operationSteps.move(operation, 'awaiting_receipts', {
    attempts: withLatest(operation, { finishedAt: now, outcome: 'awaiting_receipts' }),
    deletion: { announcedAt: now },
  });
}

/** A part of a deletion that another service reports as durable. */
export type DeletionPart = 'deliveriesSkippedAt' | 'listenersCalledAt';

/** Notes that a part of the deletion is durable; the first report of it stays. */
export function noteDeletionPart<T extends AwaitingReceiptsOperation>(operation: T, part: DeletionPart, at: Date): T {
  const { deletion } = operation;
  assert(deletion, `operation ${operation._id} announced no deletion`);
  return { ...operation, deletion: { ...deletion, [part]: deletion[part] ?? at } };
}

/** Both parts are durable. */
export function deletionIsComplete({ deletion }: Pick<Operation, 'deletion'>): boolean {
  return deletion?.deliveriesSkippedAt !== undefined && deletion.listenersCalledAt !== undefined;
}

/** Fixes a decision that later effects and every retry use. */
export function recordCheckpoint(
  operation: RunningOperation,
  decided: Readonly<Record<string, string>>,
): Checked<RunningOperation> {
  return operationSteps.keep(operation, { checkpoint: { ...operation.checkpoint, ...decided } });
}

/** A checkout waits for the end of its session without a time limit. */
export function checkoutAwaitsSession(
  operation: RunningOperation,
  checkout: CheckoutSession,
  now: Date,
): Checked<AwaitingReceiptsOperation> {
  return operationSteps.move(operation, 'awaiting_receipts', {
    checkout,
    attempts: withLatest(operation, { finishedAt: now, outcome: 'awaiting_receipts' }),
  });
}

/** Notes what a paid session waits for; checking it admits no executor. */
export function checkoutWaitsFor(
  operation: AwaitingReceiptsOperation,
  checkout: CheckoutSession,
): Checked<AwaitingReceiptsOperation> {
  return operationSteps.keep(operation, { checkout });
}

/** The provider holds the change until its payment is confirmed. */
export function awaitPayment(
  operation: RunningOperation,
  payment: AwaitedPayment,
  now: Date,
): Checked<AwaitingPaymentOperation> {
  return operationSteps.move(operation, 'awaiting_payment', {
    payment,
    attempts: withLatest(operation, { finishedAt: now, outcome: 'awaiting_payment' }),
  });
}

/** Notes the settlement: every required consumer has a durable receipt or a recorded waiver. */
export function noteSettlement<T extends AwaitingReceiptsOperation>(
  operation: T,
  { receipts, waived, omitted, settledAt }: Pick<SettledMessage, 'receipts' | 'waived' | 'omitted' | 'settledAt'>,
): T {
  assert(operation.lifecycle, `operation ${operation._id} announced nothing`);
  const lifecycle = {
    ...operation.lifecycle,
    settledAt: new Date(settledAt),
    receipts,
    ...(waived && { waived }),
    ...(omitted && { omitted }),
  };
  return { ...operation, lifecycle };
}

/** Law 6: this write is acknowledged before the subscription's transition is cleared. */
export function succeed(
  operation: RunningOperation | AwaitingReceiptsOperation | AwaitingPaymentOperation,
  result: Readonly<Record<string, unknown>>,
  effectiveAt: Date,
  now: Date,
): Checked<SucceededOperation> {
  const attempts =
    operation.status === 'running'
      ? withLatest(operation, { finishedAt: now, outcome: 'succeeded' })
      : operation.attempts;
  return operationSteps.move(operation, 'succeeded', { attempts, result, effectiveAt });
}

/** The effect provably did not and will not happen. The same id with the same values may be retried in the window. */
export function fail(
  operation: RunningOperation | AwaitingPaymentOperation,
  error: OperationError,
  now: Date,
): Checked<FailedOperation> {
  const attempts =
    operation.status === 'running'
      ? withLatest(operation, { finishedAt: now, outcome: 'failed', error })
      : operation.attempts;
  return operationSteps.move(operation, 'failed', { attempts, error });
}

/** Law 3: an unknown outcome stops the operation. Only a recorded resolution leads out of this state. */
export function stop(
  operation: RunningOperation | AwaitingPaymentOperation,
  error: OperationError,
  now: Date,
): Checked<StoppedOperation> {
  const attempts =
    operation.status === 'running'
      ? withLatest(operation, { finishedAt: now, outcome: 'unknown', error })
      : operation.attempts;
  return operationSteps.move(operation, 'reconciliation_required', { attempts, error });
}

/** The statuses that an investigation may resolve: those in which the outcome is not known (specification §1). */
export type UnresolvedOperation =
  | RunningOperation
  | StoppedOperation
  | AwaitingPaymentOperation
  | (AwaitingReceiptsOperation & { readonly checkout: CheckoutSession });

/**
 * An operation that waits for a person counts as unresolved too: if the event that should end it was stopped, only an
 * investigation can end it.
 */
export function isUnresolved(operation: Operation): operation is UnresolvedOperation {
  return (
    operation.status === 'running' ||
    operation.status === 'reconciliation_required' ||
    operation.status === 'awaiting_payment' ||
    (operation.status === 'awaiting_receipts' && operation.checkout !== undefined)
  );
}

/**
 * Appends the recorded resolution of an investigation; performs nothing. Only a person with both proofs takes this
 * step.
 */
export function resolve(
  operation: UnresolvedOperation,
  resolution: Resolution,
): Checked<SucceededOperation> | Checked<FailedOperation> {
  assert(!operation.resolution, `operation ${operation._id} is resolved already`);
  const attempts = withLatest(operation, { finishedAt: latest(operation).finishedAt ?? resolution.at });
  if (resolution.outcome === 'applied')
    return operationSteps.resolve(operation, 'succeeded', {
      attempts,
      resolution,
      result: { resolvedBy: resolution.by, providerObject: resolution.providerObject },
      effectiveAt: resolution.at,
    });
  return operationSteps.resolve(operation, 'failed', {
    attempts,
    resolution,
    error: {
      code: 'resolved_not_applied',
      message: `An investigation by ${resolution.by} established that nothing was applied.`,
    },
  });
}
