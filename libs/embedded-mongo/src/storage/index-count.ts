/**
 * Counts documents by the entries of an index, without reading a document: a million entries take some 40 ms. Possible
 * only when the entries between some bounds are exactly the documents that a filter accepts; in doubt the result is
 * undefined.
 */
import { isNaNValue, isNumeric } from '../bson/numbers';
import { BsonDate, ObjectId } from '../bson/values';
import type { Filter, Leaf } from '../query/predicate';
import type { Collection, Index } from './catalog';
import { countDocs, countEntries } from './collection-store';
import type { Engine } from './engine';
import { choosePlan } from './planner';

/** Keys of longer texts may be shortened in an index, and one key may then represent several texts. */
const maxText = 400;

/** How many documents the filter accepts; undefined when the index cannot tell. */
export function countByIndex(engine: Engine, collection: Collection, filter: Filter): number | undefined {
  const leaves = new Map<string, Leaf[]>();
  if (!gather(filter, leaves)) return undefined;
  if (leaves.size === 0) return countDocs(engine, collection);
  const plan = choosePlan(collection, { filter, sort: undefined, hint: undefined });
  if (plan.kind !== 'index' || !isExact(plan.index, leaves)) return undefined;
  return countEntries(engine, plan.index, plan.intervals);
}

/** Collects the conditions of a filter in which all conditions must hold; false for any other filter. */
function gather(filter: Filter, leaves: Map<string, Leaf[]>): boolean {
  if (filter.kind === 'and') return filter.children.every((child) => gather(child, leaves));
  if (filter.kind !== 'field' || /(?:^|\.)\d/.test(filter.path)) return false;
  leaves.set(filter.path, [...(leaves.get(filter.path) ?? []), filter.leaf]);
  return true;
}

/**
 * Whether an index has each document once, and the conditions fix its leading fields to one value each and the last one
 * to a range.
 */
function isExact(index: Index, leaves: ReadonlyMap<string, Leaf[]>): boolean {
  if (index.partial || index.shortened || index.multikey.includes(true)) return false;
  const fields = index.fields.slice(0, leaves.size);
  return (
    fields.length === leaves.size &&
    fields.every(({ name }, position) => {
      const all = leaves.get(name) ?? [];
      const [first, ...more] = all;
      if (first?.op === 'eq') return more.length === 0 && isPlain(first.value);
      // Between two dates there are only dates; for numbers, NaN would be outside of every range.
      return position === leaves.size - 1 && all.length > 0 && all.every((leaf) => isDateBound(leaf));
    })
  );
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= maxText;
  if (typeof value === 'boolean' || value instanceof BsonDate || value instanceof ObjectId) return true;
  return isNumeric(value as never) && !isNaNValue(value as never);
}

function isDateBound(leaf: Leaf): boolean {
  return (
    (leaf.op === 'gt' || leaf.op === 'gte' || leaf.op === 'lt' || leaf.op === 'lte') && leaf.value instanceof BsonDate
  );
}
