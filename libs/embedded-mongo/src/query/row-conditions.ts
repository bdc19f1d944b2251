/** Splits a filter into conditions on single fields, which a row reader tests while it reads, and the rest. */
import type { Condition } from '../bson/row-reader';
import type { Value } from '../bson/values';
import { BsonDate } from '../bson/values';
import type { Filter, Leaf } from './predicate';
import { matches, matchesComparison } from './predicate';

export interface RowConditions {
  /** By the name of a top-level field. */
  readonly fields: ReadonlyMap<string, readonly Condition[]>;
  /** Conditions on several fields, or on parts of one; undefined when there are none. */
  readonly rest: Filter | undefined;
}

export function rowConditions(filter: Filter): RowConditions {
  const fields = new Map<string, Condition[]>();
  const rest: Filter[] = [];
  for (const each of clausesOf(filter)) {
    const { field, leaf, negated } = singleField(each);
    if (field === undefined || leaf === undefined) rest.push(each);
    else fields.set(field, [...(fields.get(field) ?? []), conditionOn(field, leaf, negated, each)]);
  }
  return { fields, rest: rest.length === 0 ? undefined : { kind: 'and', children: rest } };
}

function clausesOf(filter: Filter): Filter[] {
  return filter.kind === 'and' ? filter.children.flatMap(clausesOf) : [filter];
}

function singleField(filter: Filter): { field?: string; leaf?: Leaf; negated: boolean } {
  const negated = filter.kind === 'not';
  const own = negated ? filter.child : filter;
  return own.kind === 'field' && own.parts.length === 1 ? { field: own.path, leaf: own.leaf, negated } : { negated };
}

function conditionOn(field: string, leaf: Leaf, negated: boolean, filter: Filter): Condition {
  const looksInside = (value: Value | undefined): boolean =>
    matches(filter, value === undefined ? new Map() : new Map([[field, value]]));
  if (!('value' in leaf)) return { test: looksInside };
  const { op, value: operand } = leaf;
  const accepts = operand instanceof BsonDate ? dateTest(op, operand) : undefined;
  const plain = (value: Value | undefined): boolean => accepts?.(value) ?? matchesComparison(op, operand, value);
  const text =
    op === 'eq' && typeof operand === 'string' ? { bytes: Buffer.from(operand), accepted: !negated } : undefined;
  return {
    test: (value) => (Array.isArray(value) ? looksInside(value) : plain(value) !== negated),
    ...(text && { text }),
  };
}

/** The comparison with a date, for values that are dates. */
function dateTest(op: string, { ms: operand }: BsonDate): (value: Value | undefined) => boolean | undefined {
  const compare: Record<string, (ms: bigint) => boolean> = {
    eq: (ms) => ms === operand,
    lt: (ms) => ms < operand,
    lte: (ms) => ms <= operand,
    gt: (ms) => ms > operand,
    gte: (ms) => ms >= operand,
  };
  const accepts = compare[op];
  return (value) => (value instanceof BsonDate && accepts ? accepts(value.ms) : undefined);
}
