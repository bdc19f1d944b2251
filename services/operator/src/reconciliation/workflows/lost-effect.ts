/**
 * Whether a reconciliation found an effect at the provider that names an operation of which no record exists. After a
 * restore the journal does not know when that operation began, and a day later the provider does not know its keys: the
 * same request would be a second effect.
 */
import type { RevisionedCollection } from '@platform/mongo';
import type { Difference } from '../domain/difference';

/** A difference that a person has closed counts too: the effect stays. The function throws StoreUnavailableError. */
export function lostEffectIn(
  differences: Pick<RevisionedCollection<Difference>, 'find'>,
): (operationId: string) => Promise<boolean> {
  return async (operationId) => {
    const filter = { kind: 'effect_without_entry', operationId };
    return (await differences.find(filter, { sort: { _id: 1 }, limit: 1 })).length > 0;
  };
}
