/**
 * Turns a position of an ordered list into the predicate "strictly after it". Nulls need care: they come first in
 * ascending and last in descending order, and no bound ever finds them. The redundant bound on the first key lets one
 * index scan start at the position instead of at the beginning.
 */
import type { Condition, Scalar } from '../port';
import type { SortKeys } from './query';

type Predicate = { readonly [path: string]: Condition };

/** Added to every record, hence never null. */
const alwaysPresent: ReadonlySet<string> = new Set(['_id', 'revision', 'createdAt', 'updatedAt']);

function beyond(path: string, direction: 1 | -1, value: Scalar): Condition[] {
  if (direction === 1) return [value === null ? { $ne: null } : { $gt: value }];
  if (value === null) return [];
  return alwaysPresent.has(path) ? [{ $lt: value }] : [{ $lt: value }, null];
}

function startOfScan(sort: SortKeys, position: readonly Scalar[]): Predicate[] {
  const [first, value] = [sort[0], position[0]];
  if (!first || value === undefined || value === null) return [];
  const [path, direction] = first;
  if (direction === 1) return [{ [path]: { $gte: value } }];
  return alwaysPresent.has(path) ? [{ [path]: { $lte: value } }] : [];
}

/**
 * Conditions that must all hold for a record to come strictly after the position; null when no record can. Values of
 * one key must be of one kind or null.
 */
export function strictlyAfter(
  sort: SortKeys,
  position: readonly Scalar[],
): readonly ({ readonly $or: readonly Predicate[] } | Predicate)[] | null {
  const branches = sort.flatMap(([path, direction], at): Predicate[] => {
    const ties = Object.fromEntries(sort.slice(0, at).map(([tied], index) => [tied, position[index] ?? null]));
    return beyond(path, direction, position[at] ?? null).map((condition) => ({ ...ties, [path]: condition }));
  });
  return branches.length === 0 ? null : [...startOfScan(sort, position), { $or: branches }];
}
