/**
 * Records the differences that a comparison found. The id is derived from the fact, so another replica or round that
 * sees it again adds nothing; a difference that has disappeared is closed.
 */
import { decide, walk, type CheckedCollection, type RetryPolicy } from '@platform/durable/record';
import type { Checked } from '@platform/durable/steps';
import { ok, refused, type Clock, type Result } from '@platform/kernel';
import { StoreUnavailableError } from '@platform/mongo';
import {
  byReconciliation,
  closedDifference,
  differenceId,
  openDifference,
  reopened,
  statesThatPass,
  type Difference,
  type Seen,
} from '../domain/difference';
import type { Period } from '../domain/period';

export interface DifferencePorts {
  readonly differences: CheckedCollection<Difference>;
  readonly clock: Clock;
  readonly retryPolicy: RetryPolicy;
}

/** Returns how many are new or reopened. Throws StoreUnavailableError when one could not be written. */
export async function keepDifferences(ports: DifferencePorts, seen: readonly Seen[], period: Period): Promise<number> {
  let opened = 0;
  for (const each of seen) if (await keep(ports, each, period)) opened += 1;
  return opened;
}

async function keep(ports: DifferencePorts, seen: Seen, { id: period }: Period): Promise<boolean> {
  const decided = await decide(ports, ports.differences, differenceId(seen), (read) => {
    if (!read) return { write: openDifference(seen, period) };
    const again = read.status === 'closed' ? reopened(read) : null;
    return again ? { write: again } : { answer: 'known' as const };
  });
  if (decided.kind === 'unknown') throw new StoreUnavailableError(decided.reason);
  return decided.kind === 'written';
}

/** Closes differences of this workspace that describe a state and no longer exist. Throws StoreUnavailableError. */
export async function closePassed(ports: DifferencePorts, tenantId: string, seen: readonly Seen[]): Promise<void> {
  const standing = new Set(seen.map(differenceId));
  for await (const { _id, kind } of walk(
    ports.differences,
    { tenantId, status: 'open' },
    { sort: ['createdAt', '_id'] },
  )) {
    if (!statesThatPass.includes(kind) || standing.has(_id)) continue;
    const at = ports.clock.now();
    const end = { by: byReconciliation, at, reason: 'A later comparison did not find it any more.' };
    const closed = await close(ports, _id, end);
    if (closed === 'unknown') throw new StoreUnavailableError(`${_id} could not be closed`);
  }
}

async function close(
  ports: DifferencePorts,
  id: string,
  end: { readonly by: string; readonly at: Date; readonly reason: string },
): Promise<Difference | 'closed' | 'absent' | 'unknown'> {
  const decided = await decide<Difference, Checked<Difference>, 'absent' | 'closed'>(
    ports,
    ports.differences,
    id,
    (read) => {
      if (!read) return { answer: 'absent' };
      return read.status === 'closed' ? { answer: 'closed' } : { write: closedDifference(read, end) };
    },
  );
  if (decided.kind === 'unknown') return 'unknown';
  return decided.kind === 'written' ? decided.record : decided.answer;
}

/** Closes a difference after a person has settled it. Returns a text when it refuses. Throws StoreUnavailableError. */
export async function closeDifference(
  ports: DifferencePorts,
  id: string,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<Result<Difference, string>> {
  const closed = await close(ports, id, { by, reason, at: ports.clock.now() });
  if (closed === 'absent') return refused('There is no such difference.');
  if (closed === 'closed') return refused('It is closed already.');
  if (closed === 'unknown') return refused('It is not known whether it is closed; look again.');
  return ok(closed);
}
