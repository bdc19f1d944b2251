/**
 * Counts documents by the entries of an index, without reading one: a million entries take some 40 ms. Only where the
 * entries between some bounds are exactly the documents that a filter accepts; in doubt the result is undefined.
 */
import { isNaNValue, isNumeric } from '../bson/numbers';
import { BsonDate, ObjectId } from '../bson/values';
import type { Filter, Leaf } from '../query/predicate';
import type { Collection, Index } from './catalog';
import { countDocs, countEntries } from './collection-store';
import type { Engine } from './engine';
import { choosePlan } from './planner';

/** Keys of longer texts may be shortened in an index, and then stand for several. */
const maxText = 400;

/** How many documents the filter accepts; undefined where an index cannot tell. */
export function countByIndex(engine: Engine, collection: Collection, filter: Filter): number | undefined {
  const leaves = new Map<string, Leaf[]>();
  if (!gather(filter, leaves)) return undefined;
  if (leaves.size === 0) return countDocs(engine, collection);
  const plan = choosePlan(collection, { filter, sort: undefined, hint: undefined });
  if (plan.kind !== 'index' || !isExact(plan.index, leaves)) return undefined;
  return countEntries(engine, plan.index, plan.intervals);
}

/** The conditions of a filter that is nothing but conditions which all hold; false for any other. */
function gather(filter: Filter, leaves: Map<string, Leaf[]>): boolean {
  if (filter.kind === 'and') return filter.children.every((child) => gather(child, leaves));
  if (filter.kind !== 'field' || /(?:^|\.)\d/.test(filter.path)) return false;
  leaves.set(filter.path, [...(leaves.get(filter.path) ?? []), filter.leaf]);
  return true;
}

/** Whether an index lists each document once, and its leading fields are equal to one value each, the last one in a range. */
function isExact(index: Index, leaves: ReadonlyMap<string, Leaf[]>): boolean {
  if (index.partial || index.shortened || index.multikey.includes(true)) return false;
  const fields = index.fields.slice(0, leaves.size);
  return (
    fields.length === leaves.size &&
    fields.every(({ name }, position) => {
      const all = leaves.get(name) ?? [];
      const [first, ...more] = all;
      if (first?.op === 'eq') return more.length === 0 && isPlain(first.value);
      // Dates have one kind of value between two bounds; numbers have NaN, which no range holds.
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
