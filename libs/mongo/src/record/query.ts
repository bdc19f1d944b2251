/**
 * The checks that every list query passes in fake and adapter alike: a limit, a total order, a position that matches
 * the order, and a declared index that serves filter and order without sorting in memory. A query that would scan fails
 * in the first unit test, not later when the collection has grown.
 */
import { assert, InvariantError, type Revisioned } from '@platform/kernel';
import type { CollectionDeclaration, Condition, Filter, FindOptions, IndexDeclaration, Scalar } from '../port';
import { isScalar } from './order';
import { samePlain, type Plain } from './plain';

const maxFindLimit = 1_000;
/** MongoDB merges at most 200 sorted scans of one index. */
const maxMergedScans = 200;

export type SortKeys = readonly (readonly [path: string, direction: 1 | -1])[];

export interface ListQuery {
  readonly filter: Filter;
  readonly sort: SortKeys;
  readonly limit: number;
  readonly after: readonly Scalar[] | null;
}

/** The part of a declaration that the checks need. */
export type Declared = Pick<CollectionDeclaration<Revisioned>, 'name' | 'indexes'>;

function isEqual(condition: Condition | undefined): boolean {
  if (condition === undefined) return false;
  if (isScalar(condition)) return true;
  return '$in' in condition && condition.$in.length <= maxMergedScans;
}

function implies(condition: Condition | undefined, only: Condition): boolean {
  if (condition === undefined) return false;
  if (samePlain(condition as Plain, only as Plain)) return true;
  if (isScalar(only) || !('$exists' in only) || condition === null) return false;
  if (isScalar(condition)) return true;
  return '$in' in condition
    ? !condition.$in.includes(null)
    : ['$gt', '$gte', '$lt', '$lte'].some((bound) => bound in condition);
}

const byId: IndexDeclaration = { name: '_id_', key: { _id: 1 }, unique: true };

function covers(index: IndexDeclaration, filter: Filter): boolean {
  return Object.entries(index.only ?? {}).every(([path, only]) => implies(filter[path], only));
}

function serves(index: IndexDeclaration, filter: Filter, sort: SortKeys): boolean {
  if (!covers(index, filter)) return false;
  const key = Object.entries(index.key);
  const fixed = (path: string): boolean => isEqual(filter[path]);
  if (index.unique && key.every(([path]) => fixed(path) && isScalar(filter[path]))) return true;
  const wanted = sort.filter(([path]) => !(fixed(path) && isScalar(filter[path])));
  // A key that is fixed by equality does not affect the order of the keys after it.
  const left = key.filter(([path]) => !fixed(path) || wanted.some(([other]) => other === path));
  const flip = wanted[0] && left[0] ? wanted[0][1] * left[0][1] : 1;
  return wanted.every(([path, direction], at) => left[at]?.[0] === path && left[at][1] * flip === direction);
}

/**
 * Every collection is ordered by its ids; that serves a filter only when it bounds the id or when another index narrows
 * it.
 */
function servedById(declared: Declared, filter: Filter, sort: SortKeys): boolean {
  if (isEqual(filter['_id'])) return true;
  const narrowed = Object.keys(filter).length === 0 || '_id' in filter;
  const leads = (index: IndexDeclaration): boolean =>
    covers(index, filter) && isEqual(filter[Object.keys(index.key)[0] ?? '']);
  return serves(byId, filter, sort) && (narrowed || declared.indexes.some(leads));
}

function assertServed(declared: Declared, filter: Filter, sort: SortKeys): void {
  if (servedById(declared, filter, sort) || declared.indexes.some((index) => serves(index, filter, sort))) return;
  const order = sort.map(([path, direction]) => `${path} ${direction}`).join(', ');
  const fixed =
    Object.keys(filter)
      .filter((path) => isEqual(filter[path]))
      .join(', ') || 'nothing';
  throw new InvariantError(
    `${declared.name}: no declared index serves a list ordered by (${order}) with (${fixed}) fixed; declare fixed fields first, then the order, ending in _id`,
  );
}

/** A limit of 1 to {@link maxFindLimit}; throws InvariantError otherwise. */
export function countedLimit(limit: number): number {
  assert(
    Number.isInteger(limit) && limit >= 1 && limit <= maxFindLimit,
    `a list needs a limit of 1 to ${maxFindLimit}, not ${limit}`,
  );
  return limit;
}

/** The query with its defaults; throws InvariantError for a limit, order or position that is not allowed. */
export function listQuery(declared: Declared, filter: Filter, options: FindOptions): ListQuery {
  const { after } = options;
  const limit = countedLimit(options.limit);
  const sort = Object.entries(options.sort ?? { _id: 1 as const });
  assert(sort.at(-1)?.[0] === '_id', `${declared.name}: the order of a list ends in _id, so that it is total`);
  assert(
    !after || after.length === sort.length,
    `${declared.name}: the position to continue after needs one value for each key of the order`,
  );
  assertServed(declared, filter, sort);
  return { filter, sort, limit, after: after ?? null };
}
