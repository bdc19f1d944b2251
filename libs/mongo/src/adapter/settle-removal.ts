/**
 * Determines the outcome of a removal whose answer was lost. If the record is absent, the removal is done, whichever
 * writer did it. If the record still has the revision, the removal may be sent again, because a fenced removal takes
 * effect at most once.
 */
import type { RemovalOutcome } from '../port';
import type { ResolutionDependencies } from './resolve-write';

export interface FencedRemoval {
  /** For the log: collection and id. */
  readonly subject: string;
  /** The revision that was read. */
  readonly revision: string;
  /** Whether a record matched; rejects when there is no usable answer. */
  send(): Promise<boolean>;
  read(): Promise<{ readonly revision?: unknown } | null>;
}

/**
 * Sends a fenced removal and resolves a lost answer as far as it can be proven. Rejects only for a permanent refusal.
 */
export async function settleRemoval(
  removal: FencedRemoval,
  dependencies: ResolutionDependencies,
): Promise<RemovalOutcome> {
  try {
    return { outcome: (await removal.send()) ? 'applied' : 'not_applied' };
  } catch (error) {
    const doubt = dependencies.doubtOf(error);
    if (doubt === 'refused') throw error;
    if (doubt === 'never_sent')
      return { outcome: 'unknown', reason: 'the store could not be reached; the removal was not sent' };
    const settled = await resolve(removal);
    dependencies.log.warn(
      { record: removal.subject, resolved: settled.outcome, cause: error instanceof Error ? error.name : 'error' },
      'the answer of a removal was lost',
    );
    return settled;
  }
}

async function resolve(removal: FencedRemoval): Promise<RemovalOutcome> {
  const standing = await removal.read().catch(() => 'unreadable' as const);
  if (standing === null) return { outcome: 'applied' };
  if (standing === 'unreadable' || standing.revision !== removal.revision)
    return { outcome: 'unknown', reason: 'the answer was lost and the record cannot be read or was written since' };
  const again = await removal.send().catch(() => null);
  return again
    ? { outcome: 'applied' }
    : { outcome: 'unknown', reason: 'the answer was lost twice or contradicts itself' };
}
