/**
 * The end of an investigation, recorded off-line (contracts §3): both proofs are demanded, nothing is performed, the
 * record is appended to by a fenced write and then the matching transition is cleared. A zombie that wakes later loses
 * its next write.
 */
import { ok, refused, type Clock, type Log, type Result } from '@platform/kernel';
import type { CheckedCollection } from '@platform/durable/record';
import type { RevisionedCollection } from '@platform/mongo';
import { lateEffectWarning } from '@platform/payment-provider';
import { actionOf } from '../domain/actions';
import { isUnresolved, resolve, type UnresolvedOperation } from '../domain/journal';
import type { FailedOperation, Operation, Resolution, SucceededOperation } from '../domain/operation';
import type { MirrorRefresh } from '../../mirror/domain/mirror-refresh';
import type { Subscription } from '../../mirror/domain/subscription';
import { fenceAdmission, fenceTransition } from './fence-executor';
import { clearAfterJournal } from './journal-outcome';

export interface ResolvePorts {
  readonly operations: CheckedCollection<Operation>;
  readonly subscriptions: RevisionedCollection<Subscription>;
  readonly refreshes: RevisionedCollection<MirrorRefresh>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ResolutionRequest {
  readonly operationId: string;
  readonly outcome: 'applied' | 'not_applied';
  /** First proof: how it was established that the previous executor is stopped or quiescent. */
  readonly executorStopped: string;
  /** Second proof: the provider's object, or null when the provider has none. */
  readonly providerObject: string | null;
  readonly by: string;
}

export interface PlannedResolution {
  readonly operation: UnresolvedOperation;
  readonly resolution: Resolution;
  /** What the investigator should know before saying yes. */
  readonly warnings: readonly string[];
}

const proofCharactersMin = 10;
const proofCharactersMax = 2_000;

/** What is wrong with the first proof or with who answers for it; null when nothing is. */
export function proofRefusal(request: Pick<ResolutionRequest, 'executorStopped' | 'by'>): string | null {
  const { length } = request.executorStopped.trim();
  if (length < proofCharactersMin || length > proofCharactersMax)
    return `The first proof is missing: say in ${proofCharactersMin} to ${proofCharactersMax} characters how you know that the executor is stopped (--executor-stopped).`;
  return /^[^\s@]+@[^\s@]+$/.test(request.by) ? null : 'Say who resolves it, by e-mail address (--by).';
}

/** Checks both proofs against the record and says what would be written; changes nothing. */
export async function planResolution(
  ports: ResolvePorts,
  request: ResolutionRequest,
): Promise<Result<PlannedResolution, string>> {
  const operation = await ports.operations.findById(request.operationId);
  if (!operation) return refused('There is no such operation.');
  if (!isUnresolved(operation))
    return refused(`The operation is ${operation.status}: its outcome is known, there is nothing to resolve.`);
  const wrong = proofRefusal(request);
  if (wrong) return refused(wrong);
  const executorStopped = request.executorStopped.trim();
  const sent = operation.attempts
    .flatMap(({ providerCalls }) => providerCalls)
    .filter(({ skipped }) => skipped === undefined);
  if (request.outcome === 'applied' && request.providerObject === null && sent.length > 0) {
    return refused(
      "The second proof is missing: an applied outcome needs the provider's object (--provider-object <id>).",
    );
  }
  const resolution: Resolution = {
    outcome: request.outcome,
    executorStopped,
    providerObject: request.providerObject,
    by: request.by,
    at: ports.clock.now(),
  };
  return ok({ operation, resolution, warnings: warningsFor(operation, request, ports.clock.now()) });
}

function warningsFor(operation: UnresolvedOperation, request: ResolutionRequest, now: Date): string[] {
  const { announces } = actionOf(operation.action);
  const unannounced = request.outcome === 'applied' && announces !== null && !operation.lifecycle;
  const late =
    request.outcome === 'not_applied'
      ? lateEffectWarning(
          operation.attempts.flatMap(({ providerCalls }) => providerCalls),
          now,
        )
      : null;
  return [
    ...(unannounced
      ? [
          `No consumer has been notified: the message "${announces}" was not sent, and a resolution sends none. If they must be notified, resolve it as not_applied and repeat the action under a new id.`,
        ]
      : []),
    ...(late === null ? [] : [late]),
    ...(operation.status === 'running'
      ? [
          'The operation is still marked as running. If its executor is alive, it will lose its next write, but a call that it has already sent cannot be stopped.',
        ]
      : []),
  ];
}

/** Writes the planned resolution. Refused when the record changed since it was read. */
export async function recordResolution(
  ports: ResolvePorts,
  { operation, resolution }: PlannedResolution,
): Promise<Result<SucceededOperation | FailedOperation, string>> {
  if (!(await fenceTransition(ports, operation)))
    return refused("Nothing was written: the subscription's transition could not be taken over. Try again.");
  const written = await ports.operations.mutate(
    operation,
    resolve(operation, { ...resolution, at: ports.clock.now() }),
  );
  if (written.outcome === 'unknown')
    return refused(`It is not known whether the resolution was written (${written.reason}). Read the operation again.`);
  if (written.outcome === 'not_applied')
    return refused('The record has changed since it was read. Read it again and judge anew.');
  const resolved = written.record as SucceededOperation | FailedOperation;
  // The start-up sweep clears what is not cleared here.
  await clearAfterJournal({ ...ports, retryPolicy: { tries: 1, pause: () => Promise.resolve() } }, resolved);
  await fenceAdmission(ports, operation);
  return ok(resolved);
}
