/**
 * The end of an investigation of an attempt, recorded off-line (contracts §3): both proofs are demanded, nothing is sent
 * to the provider or to listeners. The marker is written first, because it decides; then the attempt, then reservations.
 */
import { creationOperationId } from '@platform/contracts-provisioning';
import { ok, refused, type Clock, type Log, type Result } from '@platform/kernel';
import type { RetryPolicy } from '@platform/durable/record';
import { writeFenced } from '@platform/durable/record';
import { lateEffectWarning } from '@platform/payment-provider';
import { attemptSteps, isOpen, type Attempt, type OpenAttempt, type Resolution } from '../domain/attempt';
import { cancelledMessage, committedMessages, isOpenMarker, markerSteps, type CreationMarker } from '../domain/marker';
import { resolve } from '../domain/progress';
import { coverRows } from './cover-rows';
import type { ProvisioningCollections, ProvisioningLimits, KeyedMutex } from './ports';
import { settleReservations } from './reserve';

export interface ResolvePorts extends ProvisioningCollections {
  readonly clock: Clock;
  readonly databaseNow: () => Promise<Date>;
  readonly limits: ProvisioningLimits;
  readonly retryPolicy: RetryPolicy;
  readonly mutex: KeyedMutex;
  readonly log: Log;
}

export interface ResolutionRequest {
  readonly attemptId: string;
  /** `applied`: the first invoice is settled and the workspace shall stand. `not_applied`: nothing is owed or owned, it shall not. */
  readonly outcome: 'applied' | 'not_applied';
  readonly executorStopped: string;
  readonly providerObject: string | null;
  readonly by: string;
}

export interface PlannedResolution {
  readonly attempt: OpenAttempt;
  readonly marker: CreationMarker | null;
  readonly resolution: Resolution;
  readonly warnings: readonly string[];
}

const proofCharactersMin = 10;
const proofCharactersMax = 2_000;

/** Checks both proofs against the records and says what would be written; changes nothing. */
export async function planResolution(
  ports: ResolvePorts,
  request: ResolutionRequest,
): Promise<Result<PlannedResolution, string>> {
  const attempt = await ports.attempts.findById(request.attemptId);
  if (!attempt) return refused('There is no such provisioning attempt.');
  if (!isOpen(attempt))
    return refused(`The attempt is ${attempt.status}: its outcome is known, there is nothing to resolve.`);
  const executorStopped = request.executorStopped.trim();
  if (executorStopped.length < proofCharactersMin || executorStopped.length > proofCharactersMax)
    return refused(
      `The first proof is missing: say in ${proofCharactersMin} to ${proofCharactersMax} characters how you know that the executor is stopped (--executor-stopped).`,
    );
  if (!/^[^\s@]+@[^\s@]+$/.test(request.by)) return refused('Say who resolves it, by e-mail address (--by).');
  const marker = await ports.markers.findById(creationOperationId(attempt.tenantId));
  const refusal =
    request.outcome === 'applied'
      ? refusalOfApplied(attempt, marker, request)
      : marker?.provisioningState === 'committed'
        ? 'The creation is committed; it cannot be resolved as not applied.'
        : null;
  if (refusal) return refused(refusal);
  const resolution: Resolution = {
    outcome: request.outcome,
    executorStopped,
    providerObject: request.providerObject,
    by: request.by,
    at: ports.clock.now(),
  };
  return ok({ attempt, marker, resolution, warnings: warningsFor(attempt, request, ports.clock.now()) });
}

/** `created` is never said for a creation whose listeners did not all succeed. */
function refusalOfApplied(
  attempt: OpenAttempt,
  marker: CreationMarker | null,
  { providerObject }: ResolutionRequest,
): string | null {
  if (!attempt.preparedAt || !marker)
    return 'This creation was not prepared to its end: not every listener succeeded, so it cannot be committed. Resolve it as not_applied.';
  if (marker.provisioningState === 'cancelled') return 'The tombstone stands: this creation was taken back.';
  if (providerObject === null && attempt.providerCalls.length > 0)
    return "The second proof is missing: an applied outcome needs the provider's object (--provider-object <id>).";
  return null;
}

function warningsFor(attempt: OpenAttempt, { outcome }: ResolutionRequest, now: Date): string[] {
  const { customerId, subscriptionId } = attempt.handles;
  const late =
    outcome === 'not_applied'
      ? lateEffectWarning(
          attempt.providerCalls.filter((call) => call.outcome !== 'succeeded'),
          now,
        )
      : null;
  const unanswered = attempt.listenerCalls.some((call) => call.outcome !== 'done');
  return [
    ...(outcome === 'not_applied' && (customerId ?? subscriptionId)
      ? [
          `Nothing is removed at the provider. Make sure that ${[subscriptionId, customerId].filter(Boolean).join(' and ')} are gone there, and that nothing was charged.`,
        ]
      : []),
    ...(late === null ? [] : [late]),
    ...(outcome === 'not_applied' && attempt.listenerCalls.length > 0
      ? ['No deletion listener is called. What the listeners made for this tenant must be removed by their owners.']
      : []),
    ...(unanswered ? ['A listener call has no success; its owner must be asked what it did.'] : []),
    ...(attempt.status !== 'reconciliation_required'
      ? [
          `The attempt is still ${attempt.status}. If its executor is alive, it will lose its next write, but a call that it has already sent cannot be stopped.`,
        ]
      : []),
  ];
}

const markerChanged =
  'The creation marker has changed since it was read, or could not be written. Read the attempt again and judge anew.';
const changed = 'The record has changed since it was read. Read it again and judge anew.';

/**
 * Writes the planned resolution. Refused when a record changed since it was read. From the first write on the executor
 * loses each write of its own; the marker decides, and carries the resolution, so that the attempt gets it even if
 * another process lets it follow.
 */
export async function recordResolution(
  ports: ResolvePorts,
  { attempt, marker, resolution }: PlannedResolution,
): Promise<Result<Attempt, string>> {
  const fenced = marker ? await fence(ports, attempt) : ok(attempt);
  if (!fenced.ok) return fenced;
  const marked = await decideMarker(ports, attempt, marker, resolution);
  if (!marked.ok) return marked;
  if (resolution.outcome === 'not_applied' && marker && !(await coverRows(ports, attempt.tenantId)))
    return refused('The tombstone is written. Its rows could not be changed; the reconciliation finishes them.');
  const written = await writeFenced(
    ports.attempts,
    fenced.value as Attempt,
    resolve(fenced.value, { ...resolution, at: ports.clock.now() }),
    [],
    ports.retryPolicy,
  );
  if (written.kind === 'unknown')
    return refused(`It is not known whether the resolution was written (${written.reason}). Read the attempt again.`);
  if (written.kind === 'lost' && !holds(written.record, resolution)) return refused(changed);
  await settleReservations(ports, written.record!);
  return ok((await ports.attempts.findById(attempt._id)) ?? written.record!);
}

/** The reconciliation may have let the attempt follow its marker first. */
function holds(attempt: Attempt | null, { outcome, by, executorStopped }: Resolution): boolean {
  const found = attempt?.resolution;
  return found?.outcome === outcome && found.by === by && found.executorStopped === executorStopped;
}

/** A revision of the attempt that its executor has not read. */
async function fence(ports: ResolvePorts, attempt: OpenAttempt): Promise<Result<OpenAttempt, string>> {
  const same = attemptSteps.keep<OpenAttempt>(attempt, {});
  const written = await writeFenced(ports.attempts, attempt as Attempt, same, [], ports.retryPolicy);
  if (written.kind === 'unknown') return refused(`Nothing was written (${written.reason}). Read the attempt again.`);
  return written.kind === 'written' && isOpen(written.record) ? ok(written.record) : refused(changed);
}

async function decideMarker(
  ports: ResolvePorts,
  attempt: OpenAttempt,
  marker: CreationMarker | null,
  resolution: Resolution,
): Promise<Result<null, string>> {
  const { outcome, at } = resolution;
  const wanted = outcome === 'applied' ? 'committed' : 'cancelled';
  if (!marker || marker.provisioningState === wanted) return ok(null);
  if (!isOpenMarker(marker)) return refused(markerChanged);
  const next =
    outcome === 'applied'
      ? markerSteps.resolve(marker, 'committed', { committedAt: at, resolution })
      : markerSteps.resolve(marker, 'cancelled', { closedAt: marker.closedAt ?? at, cancelledAt: at, resolution });
  const messages =
    outcome === 'applied'
      ? committedMessages(attempt, at)
      : [cancelledMessage(attempt.tenantId, 'resolved_not_applied', at)];
  const written = await writeFenced(ports.markers, marker as CreationMarker, next, messages, ports.retryPolicy);
  return written.kind === 'written' ? ok(null) : refused(markerChanged);
}
