/** Decides whether a partial index contains every document that a filter can match. */
import { compareValues } from '../bson/compare';
import { typeName } from '../bson/type-names';
import { isNullish } from '../bson/values';
import type { Value } from '../bson/values';
import type { Filter, Leaf } from '../query/predicate';
import { matchesComparison } from '../query/predicate';

/** True only when it is certain that the filter's conditions imply the index's filter expression. */
export function covers(partial: Filter, conditions: ReadonlyMap<string, Leaf[]>): boolean {
  if (partial.kind === 'and') return partial.children.every((child) => covers(child, conditions));
  if (partial.kind !== 'field') return false;
  return (conditions.get(partial.path) ?? []).some((leaf) => implies(leaf, partial.leaf));
}

function implies(leaf: Leaf, needed: Leaf): boolean {
  if (leaf.op === 'in') {
    if (leaf.patterns.length > 0 || leaf.values.length === 0) return false;
    return leaf.values.every((value) => implies({ op: 'eq', value }, needed));
  }
  switch (needed.op) {
    case 'exists':
      return leaf.op === 'exists' || leaf.op === 'type' || ('value' in leaf && !isNullish(leaf.value));
    case 'type':
      if (leaf.op === 'type') return [...leaf.names].every((name) => needed.names.has(name));
      return leaf.op === 'eq' && needed.names.has(typeName(leaf.value)) && !Array.isArray(leaf.value);
    case 'eq':
      return leaf.op === 'eq' && same(leaf.value, needed.value);
    case 'in':
      return leaf.op === 'eq' && needed.values.some((value) => same(leaf.value, value));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return impliesRange(leaf, needed.op, needed.value);
    default:
      return false;
  }
}

const same = (a: Value, b: Value): boolean => !Array.isArray(a) && compareValues(a, b) === 0;

function impliesRange(leaf: Leaf, op: 'gt' | 'gte' | 'lt' | 'lte', bound: Value): boolean {
  if (Array.isArray(bound)) return false;
  if (leaf.op === 'eq') return !Array.isArray(leaf.value) && matchesComparison(op, bound, leaf.value);
  if (leaf.op !== 'gt' && leaf.op !== 'gte' && leaf.op !== 'lt' && leaf.op !== 'lte') return false;
  if (leaf.op[0] !== op[0] || Array.isArray(leaf.value)) return false;
  if (matchesComparison(op, bound, leaf.value)) return true;
  return leaf.op === op && compareValues(leaf.value, bound) === 0;
}
