/**
 * Whether a reconciliation found an effect at the provider that names an operation of which no record exists. After a
 * restore the journal does not know when that operation began, and a day later the provider does not know its keys: the
 * same request would be a second effect.
 */
import type { Clock } from '@platform/kernel';
import type { RevisionedCollection } from '@platform/mongo';
import type { Difference } from '../domain/difference';

/** For so long the answer that there is none at all counts: each first request would otherwise cost a read. */
const noneCountsForMs = 2_000;

/**
 * A difference that a person has closed counts too: the effect stays. What a reconciliation records is known here at
 * most two seconds later. The function throws StoreUnavailableError.
 */
export function lostEffectIn(
  differences: Pick<RevisionedCollection<Difference>, 'find'>,
  clock: Clock,
): (operationId: string) => Promise<boolean> {
  // In the order of the index, also without an id.
  const first = { sort: { operationId: 1, _id: 1 }, limit: 1 } as const;
  const found = async (filter: { readonly operationId?: string }): Promise<boolean> =>
    (await differences.find({ kind: 'effect_without_entry', ...filter }, first)).length > 0;
  /** The last look for any of them, and when it began; one that fails is not kept. */
  let look: { readonly at: number; readonly any: Promise<boolean> } | undefined;
  const anyFound = (): Promise<boolean> => {
    const now = clock.now().getTime();
    // A clock that was set back makes no look valid for longer.
    if (look && now >= look.at && now < look.at + noneCountsForMs) return look.any;
    const any = found({});
    const own = (look = { at: now, any });
    any.catch(() => {
      if (look === own) look = undefined;
    });
    return any;
  };
  return async (operationId) => (await anyFound()) && found({ operationId });
}
