/**
 * Chooses how to read a collection: through the index whose leading fields the filter restricts most, or whose order is
 * the wanted one, or by a scan. A plan only narrows what is read; the filter is checked on every document.
 */
import { failCommand } from '../errors';
import { compareValues } from '../bson/compare';
import type { Value } from '../bson/values';
import { parseFilter } from '../query/compile-filter';
import type { Filter, Leaf } from '../query/predicate';
import type { SortField } from '../query/sort';
import { boundsOf, requiredLeaves } from './bounds';
import type { Bounds } from './bounds';
import type { Collection, Index } from './catalog';
import { documentsMade, holdsEntries } from './collection-store';
import type { Engine } from './engine';
import { covers } from './partial-coverage';
import type { Interval } from './ranges';
import { descending, everything, holds, intersect, inverted, storableInterval, successor, unite } from './ranges';

export interface IndexPlan {
  kind: 'index';
  index: Index;
  intervals: Interval[];
  reverse: boolean;
  sorted: boolean;
}

export type Plan =
  | { kind: 'scan'; reverse: boolean; sorted: boolean }
  | IndexPlan
  /** One index per alternative of an `$or`. */
  | { kind: 'union'; plans: IndexPlan[]; reverse: false; sorted: false };

export interface PlanRequest {
  filter: Filter;
  sort: readonly SortField[] | undefined;
  hint: Value | undefined;
}

const maxIntervals = 2000;

interface Candidate {
  plan: IndexPlan;
  score: number;
}

/** Throws code 2 for a hint that names no index. */
export function choosePlan(collection: Collection, request: PlanRequest): Plan {
  const natural = naturalOrder(request);
  if (natural) return natural;
  const conditions = requiredLeaves(request.filter);
  if (request.hint !== undefined)
    return indexPlan(hintedIndex(collection, request.hint), conditions, request.sort).plan;
  const best = bestIndex(collection, conditions, request.sort);
  return best?.plan ?? unionPlan(collection, request.filter) ?? { kind: 'scan', reverse: false, sorted: false };
}

/**
 * In a collection of at least this size, reading all documents in order is faster when an index would return this share
 * of them.
 */
const wideFrom = 10_000;
const wideShare = 0.25;

/** The plan, or a scan where its index would return a large part of a large collection document by document. */
export function scannedIfWide(engine: Engine, collection: Collection, plan: Plan): Plan {
  const documents = documentsMade(engine, collection);
  if (plan.kind !== 'index' || documents < wideFrom) return plan;
  const wide = holdsEntries(engine, plan.index, plan.intervals, Math.ceil(documents * wideShare));
  return wide ? { kind: 'scan', reverse: false, sorted: false } : plan;
}

function bestIndex(
  collection: Collection,
  conditions: ReadonlyMap<string, Leaf[]>,
  sort: PlanRequest['sort'],
): Candidate | undefined {
  let best: Candidate | undefined;
  for (const index of collection.indexes) {
    if (index.hidden || !index.ready || !isComplete(index, conditions)) continue;
    const candidate = indexPlan(index, conditions, sort);
    if (candidate.score > (best?.score ?? 0)) best = candidate;
  }
  return best;
}

/** A plan for an `$or` that every match must satisfy, when each of its alternatives has an index. */
function unionPlan(collection: Collection, filter: Filter): Plan | undefined {
  if (filter.kind === 'and') {
    for (const child of filter.children) {
      const plan = unionPlan(collection, child);
      if (plan) return plan;
    }
  }
  if (filter.kind !== 'or' || filter.children.length === 0) return undefined;
  const plans: IndexPlan[] = [];
  for (const child of filter.children) {
    const best = bestIndex(collection, requiredLeaves(child), undefined);
    if (!best) return undefined;
    plans.push(best.plan);
  }
  return { kind: 'union', plans, reverse: false, sorted: false };
}

function naturalOrder(request: PlanRequest): Plan | undefined {
  const { hint } = request;
  if (hint instanceof Map && hint.has('$natural')) {
    return { kind: 'scan', reverse: compareValues(hint.get('$natural') as Value, 0) < 0, sorted: false };
  }
  return undefined;
}

function hintedIndex(collection: Collection, hint: Value): Index {
  const index = collection.indexes.find((candidate) =>
    typeof hint === 'string'
      ? candidate.name === hint
      : hint instanceof Map && compareValues(candidate.spec.get('key') ?? null, hint) === 0,
  );
  if (!index || index.hidden || !index.ready)
    return failCommand(2, 'error processing query: planner returned error: bad hint');
  return index;
}

/**
 * True when the index contains every document that can match. For `$gte: null` and `$lte: null` the server uses a
 * sparse index although it lacks documents without the field; so does this store.
 */
function isComplete(index: Index, conditions: ReadonlyMap<string, Leaf[]>): boolean {
  if (index.partial && !covers(parseFilter(index.partial), conditions)) return false;
  if (!index.sparse) return true;
  return index.fields.some((field) =>
    (conditions.get(field.name) ?? []).some((leaf) => {
      const bounds = boundsOf(leaf);
      return bounds !== undefined && (!bounds.includesNull || leaf.op === 'gte' || leaf.op === 'lte');
    }),
  );
}

/**
 * Bounds of one component: from all conditions together, or from only one of them when the component has array
 * elements.
 */
function componentBounds(leaves: readonly Leaf[], multikey: boolean): Bounds | undefined {
  const usable = leaves.map(boundsOf).filter((bounds) => bounds !== undefined);
  const [first, ...others] = usable.sort((a, b) => Number(b.keys !== undefined) - Number(a.keys !== undefined));
  if (!first || multikey) return first;
  return others.reduce(intersectBounds, first);
}

function intersectBounds(all: Bounds, other: Bounds): Bounds {
  return {
    intervals: all.intervals.flatMap((a) => other.intervals.map((b) => intersect(a, b))),
    keys: all.keys?.filter((key) => other.intervals.some((interval) => holds(interval, key))),
    includesNull: all.includesNull && other.includesNull,
  };
}

interface Prefixes {
  prefixes: Buffer[];
  /** The number of leading components that are restricted to exactly one value. */
  single: number;
  score: number;
  range: Interval[] | undefined;
}

function restrict(index: Index, conditions: ReadonlyMap<string, Leaf[]>): Prefixes {
  const state: Prefixes = { prefixes: [Buffer.alloc(0)], single: 0, score: 0, range: undefined };
  let arraysUsed = false;
  for (const [position, field] of index.fields.entries()) {
    const multikey = index.multikey[position] ?? false;
    if (multikey && arraysUsed) break;
    const bounds = componentBounds(conditions.get(field.name) ?? [], multikey);
    if (!bounds) break;
    arraysUsed ||= multikey;
    const keys = bounds.keys && distinct(bounds.keys);
    if (!keys || keys.length * state.prefixes.length > maxIntervals) {
      state.range = unite(
        unite(bounds.intervals).map((interval) => (field.descending ? descending(interval) : interval)),
      );
      state.score += 5;
      break;
    }
    const points = field.descending ? keys.map(inverted) : keys;
    state.prefixes = state.prefixes.flatMap((prefix) => points.map((point) => Buffer.concat([prefix, point])));
    if (points.length === 1 && state.single === position) state.single += 1;
    state.score += points.length <= 1 ? 10 : 8;
  }
  return state;
}

function distinct(keys: readonly Buffer[]): Buffer[] {
  const sorted = [...keys].sort(Buffer.compare);
  return sorted.filter((key, position) => position === 0 || !key.equals(sorted[position - 1] as Buffer));
}

function indexPlan(
  index: Index,
  conditions: ReadonlyMap<string, Leaf[]>,
  sort: readonly SortField[] | undefined,
): Candidate {
  const { prefixes, single, score, range } = restrict(index, conditions);
  const intervals = prefixes.flatMap((prefix) => {
    if (range)
      return range.map(({ low, high }) => ({ low: Buffer.concat([prefix, low]), high: Buffer.concat([prefix, high]) }));
    return prefix.length === 0 ? [everything] : [{ low: prefix, high: successor(prefix) }];
  });
  const order = sort ? orderOf(index, sort, single) : undefined;
  const plan: IndexPlan = {
    kind: 'index',
    index,
    intervals: unite(intervals.map(storableInterval)),
    reverse: order === 'backward',
    sorted: order !== undefined,
  };
  const unique = index.unique && single === index.fields.length ? 5 : 0;
  return { plan, score: score + (order ? 4 : 0) + unique };
}

/**
 * Whether reading the index in one direction gives the wanted order; leading fields with one value may be left out of
 * the order. An array in such a field does no harm unless the field is sorted by: under one of its values a document
 * has one entry.
 */
function orderOf(index: Index, sort: readonly SortField[], single: number): 'forward' | 'backward' | undefined {
  if (index.shortened || index.multikey.includes(true, single)) return undefined;
  const arrays = new Set(index.fields.filter((_, position) => index.multikey[position]).map((field) => field.name));
  if (sort.some((field) => arrays.has(field.name))) return undefined;
  const fixed = new Set(index.fields.slice(0, single).map((field) => field.name));
  const wanted = sort.filter((field) => !fixed.has(field.name));
  if (wanted.length === 0) return 'forward';
  const rest = index.fields.filter((field) => !fixed.has(field.name));
  if (wanted.length > rest.length) return undefined;
  const same = wanted.every((field, position) => field.name === rest[position]?.name);
  if (!same) return undefined;
  const agree = wanted.map((field, position) => field.descending === rest[position]?.descending);
  if (agree.every(Boolean)) return 'forward';
  return agree.some(Boolean) ? undefined : 'backward';
}
