/**
 * The order of scalar values in the store: null (and missing) first, then numbers, strings by UTF-8 bytes, booleans,
 * dates. Bounds compare only within one kind, so a `$gt` never finds a null.
 */
import { InvariantError } from '@platform/kernel';
import type { Scalar } from '../port';
import { isDate } from './plain';

const typeRank = { null: 0, number: 1, string: 2, boolean: 3, date: 4 } as const;

function kindOf(value: Scalar): keyof typeof typeRank {
  if (value === null) return 'null';
  if (isDate(value)) return 'date';
  const kind = typeof value;
  if (kind === 'number' || kind === 'string' || kind === 'boolean') return kind;
  throw new InvariantError(`a ${kind} cannot be compared`);
}

export function isScalar(value: unknown): value is Scalar {
  return (
    value === null ||
    isDate(value) ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  );
}

export function sameKind(a: Scalar, b: Scalar): boolean {
  return kindOf(a) === kindOf(b);
}

/**
 * UTF-16 code units whose order differs from the order of UTF-8 bytes: in UTF-8, surrogate pairs come after all others.
 */
const surrogates = /[\ud800-\udfff]/;

function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  if (surrogates.test(a) || surrogates.test(b)) return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
  return a < b ? -1 : 1;
}

/** Negative, zero or positive, like a comparator of `sort`. */
export function compareScalars(a: Scalar, b: Scalar): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const byKind = typeRank[kindOf(a)] - typeRank[kindOf(b)];
  if (byKind !== 0 || a === null || b === null) return byKind;
  return Number(a) - Number(b);
}
