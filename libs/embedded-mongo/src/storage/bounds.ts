/**
 * The byte intervals that a condition on one field allows in an ascending index component. A condition without usable
 * intervals (regular expressions, arrays as operands, negations) gives undefined. The filter is checked on every
 * document that is read, so an interval may be too wide but never too narrow.
 */
import { encodeValue } from '../bson/key-encoding';
import { isNaNValue, isNumeric } from '../bson/numbers';
import { rankOf, typeRank } from '../bson/type-names';
import type { Value } from '../bson/values';
import { isNullish, maxKey, minKey, Regex } from '../bson/values';
import type { Comparison, Filter, Leaf } from '../query/predicate';
import type { Interval } from './ranges';
import { successor } from './ranges';

export interface Bounds {
  intervals: Interval[];
  /** The encoded values when only single values are allowed. */
  keys: Buffer[] | undefined;
  /** Whether some interval contains null, and so documents without the field. */
  includesNull: boolean;
}

const bytes = (...values: number[]): Buffer => Buffer.from(values);

const nullBounds = (): Bounds => ({
  intervals: [{ low: bytes(typeRank.undefined), high: bytes(typeRank.null + 1) }],
  keys: undefined,
  includesNull: true,
});

function boundsOfComparison(op: Comparison, value: Value): Bounds | undefined {
  if (isNullish(value)) return op === 'gt' || op === 'lt' ? undefined : nullBounds();
  if (Array.isArray(value) || value instanceof Regex || value === minKey || value === maxKey) return undefined;
  if (isNumeric(value) && isNaNValue(value) && op !== 'eq') return undefined;
  const key = encodeValue(value);
  const rank = rankOf(value);
  const interval: Interval = { low: bytes(rank), high: bytes(rank + 1) };
  if (op === 'eq' || op === 'gte') interval.low = key;
  if (op === 'gt') interval.low = successor(key);
  if (op === 'eq' || op === 'lte') interval.high = successor(key);
  if (op === 'lt') interval.high = key;
  return { intervals: [interval], keys: op === 'eq' ? [key] : undefined, includesNull: false };
}

/** The intervals of one condition, or undefined when an index cannot serve it. */
export function boundsOf(leaf: Leaf): Bounds | undefined {
  switch (leaf.op) {
    case 'eq':
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return boundsOfComparison(leaf.op, leaf.value);
    case 'in': {
      if (leaf.patterns.length > 0) return undefined;
      const all = leaf.values.map((value) => boundsOfComparison('eq', value));
      if (all.includes(undefined)) return undefined;
      const known = all as Bounds[];
      return {
        intervals: known.flatMap((bounds) => bounds.intervals),
        keys: known.every((bounds) => bounds.keys) ? known.flatMap((bounds) => bounds.keys as Buffer[]) : undefined,
        includesNull: known.some((bounds) => bounds.includesNull),
      };
    }
    default:
      return undefined;
  }
}

/** The conditions that every match must satisfy, by field path. */
export function requiredLeaves(filter: Filter, found = new Map<string, Leaf[]>()): Map<string, Leaf[]> {
  if (filter.kind === 'and') for (const child of filter.children) requiredLeaves(child, found);
  if (filter.kind === 'or' && filter.children.length === 1) requiredLeaves(filter.children[0] as Filter, found);
  if (filter.kind === 'field') {
    note(found, filter.path, filter.leaf);
    noteElements(filter.path, filter.leaf, found);
  }
  return found;
}

function note(found: Map<string, Leaf[]>, path: string, leaf: Leaf): void {
  const leaves = found.get(path);
  if (leaves) leaves.push(leaf);
  else found.set(path, [leaf]);
}

/** The index contains the values of `$elemMatch` conditions under the element's path. */
function noteElements(path: string, leaf: Leaf, found: Map<string, Leaf[]>): void {
  if (leaf.op === 'elemMatchObject') {
    for (const [inner, leaves] of requiredLeaves(leaf.filter)) {
      if (/^\d/.test(inner)) continue;
      for (const innerLeaf of leaves) note(found, `${path}.${inner}`, innerLeaf);
    }
  }
  if (leaf.op === 'elemMatchValue') {
    for (const inner of leaf.leaves) if (inner.kind === 'field') note(found, path, inner.leaf);
  }
}
