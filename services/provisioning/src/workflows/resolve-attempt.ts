/**
 * The end of an investigation of an attempt. `applied`: the first invoice is settled and the workspace must exist;
 * `not_applied`: nothing is owed or owned, and it must not exist. From the first write on, the executor loses every
 * write. The marker decides and carries the resolution, so any process can copy it to the attempt.
 */
import { creationOperationId } from '@platform/contracts-provisioning';
import {
  defineInvestigation,
  type InvestigationPorts,
  type OutcomeProofs,
  type Planned,
} from '@platform/durable/investigation';
import { writeFenced, type KeyedMutex, type RetryPolicy } from '@platform/durable/record';
import { ok, refused, type Log, type Result } from '@platform/kernel';
import type { ProviderReads } from '@platform/payment-provider';
import { attemptSteps, isOpen, type Attempt, type OpenAttempt, type Resolution } from '../domain/attempt';
import { cancelledMessage, committedMessages, isOpenMarker, markerSteps, type CreationMarker } from '../domain/marker';
import { resolve } from '../domain/progress';
import { coverRows } from './cover-rows';
import type { ProvisioningCollections, ProvisioningLimits } from './ports';
import { endReservations } from './remove-remains';
import { attemptReading } from './read-attempt-resolution';

export interface ResolvePorts extends ProvisioningCollections, InvestigationPorts {
  readonly provider: ProviderReads;
  readonly databaseNow: () => Promise<Date>;
  readonly retryPolicy: RetryPolicy;
  readonly limits: ProvisioningLimits;
  readonly mutex: KeyedMutex;
  readonly log: Log;
}

const changed = 'The attempt has changed since it was read. Read it again and judge it again.';

export const attemptInvestigation = defineInvestigation({
  ...attemptReading,
  changed,
  records: (ports: ResolvePorts) => ports.attempts,
  prepare: decide,
  decidedBefore: true,
  resolve: (_ports, attempt, resolution) => resolve(attempt, resolution),
  follow: async (ports, resolved) => {
    // Held reservations make the reconciliation find an attempt without a tombstone. An executor that slept may have
    // written its marker after the attempt was decided, so only a marker that has ended counts.
    const marker = await ports.markers.findById(creationOperationId(resolved.tenantId));
    if (marker && !isOpenMarker(marker)) await endReservations(ports, resolved);
    return (await ports.attempts.findById(resolved._id)) ?? resolved;
  },
});

const markerChanged =
  'The creation marker has changed since it was read, or could not be written. Read the attempt again and judge it again.';

/**
 * Fences the executor off, then decides the marker and the rows that follow a tombstone. Without a marker the attempt
 * decides: the off-line tool makes no markers, and the reconciliation writes the tombstone.
 */
async function decide(
  ports: ResolvePorts,
  { record: attempt, beside: marker, resolution }: Planned<OpenAttempt, OutcomeProofs, CreationMarker | null>,
): Promise<Result<OpenAttempt, string>> {
  if (!marker) return ok(attempt);
  const fenced = await fence(ports, attempt);
  if (!fenced.ok) return fenced;
  const marked = await decideMarker(ports, attempt, marker, resolution);
  if (!marked.ok) return marked;
  return resolution.outcome === 'applied' || (await coverRows(ports, attempt.tenantId))
    ? fenced
    : refused('The tombstone is written. Its rows could not be changed; the reconciliation finishes them.');
}

/** Gives the attempt a revision that its executor has not read. */
async function fence(ports: ResolvePorts, attempt: OpenAttempt): Promise<Result<OpenAttempt, string>> {
  const same = attemptSteps.keep<OpenAttempt>(attempt, {});
  const written = await writeFenced(ports.attempts, attempt as Attempt, same, [], ports.retryPolicy);
  if (written.kind === 'unknown') return refused(`Nothing was written (${written.reason}). Read the attempt again.`);
  return written.kind === 'written' && isOpen(written.record) ? ok(written.record) : refused(changed);
}

async function decideMarker(
  ports: ResolvePorts,
  attempt: OpenAttempt,
  marker: CreationMarker,
  resolution: Resolution,
): Promise<Result<null, string>> {
  const { outcome, at } = resolution;
  const wanted = outcome === 'applied' ? 'committed' : 'cancelled';
  if (marker.provisioningState === wanted) return ok(null);
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
