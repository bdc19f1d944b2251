/**
 * Predicates and orders over plain records in memory, with those rules of the real store that the port allows: an array
 * matches by any element, null matches a missing field, bounds compare only within one kind.
 */
import type { Condition, Filter, Scalar } from '../port';
import { compareScalars, isScalar, sameKind } from '../record/order';
import type { Plain, PlainRecord } from '../record/plain';
import { isDate } from '../record/plain';
import type { SortKeys } from '../record/query';

/**
 * All values that a dotted path reaches, elements of arrays on the way one by one; undefined for a missing value. An
 * empty array reaches nothing, not even a missing value.
 */
function reached(value: Plain | undefined, path: readonly string[]): (Plain | undefined)[] {
  const [head, ...rest] = path;
  if (head === undefined) return [value];
  if (value === undefined || value === null || typeof value !== 'object' || isDate(value)) return [undefined];
  if (Array.isArray(value)) {
    const elements: readonly Plain[] = value;
    const inside = elements.filter(
      (element) => element !== null && typeof element === 'object' && !Array.isArray(element) && !isDate(element),
    );
    const at = /^\d+$/.test(head) && Number(head) < elements.length ? reached(elements[Number(head)], rest) : [];
    return [...at, ...inside.flatMap((element) => reached(element, path))];
  }
  const members = value as PlainRecord;
  return Object.hasOwn(members, head) ? reached(members[head], rest) : [undefined];
}

/** The values at a dotted path. */
export function valuesAt(record: PlainRecord, path: string): Plain[] {
  return reached(record, path.split('.')).filter((value) => value !== undefined);
}

function scalarsAt(record: PlainRecord, path: string): readonly Scalar[] {
  const own = Object.hasOwn(record, path) ? record[path] : undefined;
  if (own !== undefined && isScalar(own)) return [own];
  return valuesAt(record, path)
    .flatMap((value): readonly Plain[] => (Array.isArray(value) ? value : [value]))
    .filter(isScalar);
}

function equals(record: PlainRecord, path: string, wanted: Scalar): boolean {
  if (wanted === null && reached(record, path.split('.')).includes(undefined)) return true;
  return scalarsAt(record, path).some((value) => compareScalars(value, wanted) === 0);
}

function bounded(record: PlainRecord, path: string, bound: Scalar, accepts: (order: number) => boolean): boolean {
  if (bound === null) return accepts(0) && equals(record, path, null);
  return scalarsAt(record, path).some((value) => sameKind(value, bound) && accepts(compareScalars(value, bound)));
}

function holds(record: PlainRecord, path: string, condition: Condition): boolean {
  if (isScalar(condition)) return equals(record, path, condition);
  if ('$in' in condition) return condition.$in.some((value) => equals(record, path, value));
  if ('$exists' in condition) return valuesAt(record, path).length > 0 === condition.$exists;
  return (
    (condition.$ne === undefined || !equals(record, path, condition.$ne)) &&
    (condition.$gt === undefined || bounded(record, path, condition.$gt, (order) => order > 0)) &&
    (condition.$gte === undefined || bounded(record, path, condition.$gte, (order) => order >= 0)) &&
    (condition.$lt === undefined || bounded(record, path, condition.$lt, (order) => order < 0)) &&
    (condition.$lte === undefined || bounded(record, path, condition.$lte, (order) => order <= 0))
  );
}

export function matches(record: PlainRecord, filter: Filter): boolean {
  return Object.entries(filter).every(([path, condition]) => holds(record, path, condition));
}

/** The value by which a record sorts: the least of an array when ascending, the greatest when descending. */
function sortValue(record: PlainRecord, path: string, direction: 1 | -1): Scalar {
  const ordered = scalarsAt(record, path).toSorted((a, b) => compareScalars(a, b) * direction);
  return ordered[0] ?? null;
}

export function comparePositions(sort: SortKeys, a: readonly Scalar[], b: readonly Scalar[]): number {
  for (const [at, [, direction]] of sort.entries()) {
    const order = compareScalars(a[at] ?? null, b[at] ?? null) * direction;
    if (order !== 0) return order;
  }
  return 0;
}

export function positionOf(record: PlainRecord, sort: SortKeys): Scalar[] {
  return sort.map(([path, direction]) => sortValue(record, path, direction));
}
