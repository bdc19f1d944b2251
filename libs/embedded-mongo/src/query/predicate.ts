/**
 * Filters as a tree: the meaning of a filter (used by the planner, upserts and partial indexes), separate from its
 * evaluation. `matches` follows MongoDB's path rules: elements of arrays are tested, and a missing field counts as
 * null.
 */
import { compareNumbers, isNaNValue, isNumeric, toInteger, truncateToInteger } from '../bson/numbers';
import { compareValues } from '../bson/compare';
import { identityOf } from '../bson/key-encoding';
import { rankOf } from '../bson/type-names';
import { typeName } from '../bson/type-names';
import type { Doc, Value } from '../bson/values';
import { BsonSymbol, isNullish, maxKey, minKey, Regex } from '../bson/values';
import { anyAtPath } from './path-values';

export type Comparison = 'eq' | 'lt' | 'lte' | 'gt' | 'gte';

export type Leaf =
  | { op: Comparison; value: Value }
  | { op: 'in'; values: Value[]; identities: Set<string>; patterns: PatternTest[] }
  | { op: 'exists' }
  | { op: 'type'; names: Set<string> }
  | { op: 'mod'; divisor: bigint; remainder: bigint }
  | { op: 'regex'; pattern: PatternTest }
  | { op: 'size'; size: number }
  | { op: 'elemMatchObject'; filter: Filter }
  | { op: 'elemMatchValue'; leaves: Filter[] };

export interface PatternTest {
  source: Regex;
  test(text: string): boolean;
}

export type Filter =
  | { kind: 'and' | 'or' | 'nor'; children: Filter[] }
  | { kind: 'not'; child: Filter }
  | { kind: 'expr'; source: Value; test: (document: Doc) => boolean }
  | { kind: 'field'; path: string; parts: string[]; leaf: Leaf };

export type Predicate = (document: Doc) => boolean;

/** Where in an array a filter matched, for the positional operator `$` and `$`-projections. */
export interface MatchDetails {
  position: number | undefined;
}

/** True when the document satisfies the filter; `details` receives the array position of the match. */
export function matches(filter: Filter, document: Doc | Value[], details?: MatchDetails): boolean {
  switch (filter.kind) {
    case 'and':
      return (details ? evaluationOrder(filter.children) : filter.children).every((child) =>
        matches(child, document, details),
      );
    case 'or':
      return filter.children.some((child) => matches(child, document, details));
    case 'nor':
      return !filter.children.some((child) => matches(child, document));
    case 'not':
      return !matches(filter.child, document);
    case 'expr':
      return document instanceof Map && filter.test(document);
    default:
      return matchesField(filter.parts, filter.leaf, document, details);
  }
}

const leafOrder = [
  'elemMatchObject',
  'elemMatchValue',
  'size',
  'eq',
  'lte',
  'lt',
  'gt',
  'gte',
  'regex',
  'mod',
  'exists',
  'in',
  'type',
];

/** The server's order of conditions; the last one that tests array elements sets the position for `$`. */
function evaluationOrder(children: Filter[]): Filter[] {
  if (children.length < 2) return children;
  const rank = (child: Filter): number => (child.kind === 'field' ? leafOrder.indexOf(child.leaf.op) : -1);
  const path = (child: Filter): string => (child.kind === 'field' ? child.path : '');
  return [...children].sort((a, b) => rank(a) - rank(b) || (path(a) < path(b) ? -1 : path(a) > path(b) ? 1 : 0));
}

function matchesField(
  parts: string[],
  leaf: Leaf,
  document: Doc | Value[],
  details: MatchDetails | undefined,
): boolean {
  const ofArrays = leaf.op === 'size' || leaf.op === 'elemMatchObject' || leaf.op === 'elemMatchValue';
  let inner: number | undefined;
  const found = anyAtPath(document, parts, !ofArrays, (value, position) => {
    if (!ofArrays) {
      if (!matchesValue(leaf, value)) return false;
    } else {
      if (!Array.isArray(value)) return false;
      const at = matchInArray(leaf, value);
      if (at === undefined) return false;
      inner = at < 0 ? undefined : at;
    }
    if (details && (position ?? inner) !== undefined) details.position = position ?? inner;
    return true;
  });
  return found;
}

/** The index of the element that satisfies an array condition, -1 when the condition concerns the whole array. */
function matchInArray(leaf: Leaf, array: Value[]): number | undefined {
  if (leaf.op === 'size') return array.length === leaf.size ? -1 : undefined;
  const index = array.findIndex((element) => {
    if (leaf.op === 'elemMatchObject') {
      return (element instanceof Map || Array.isArray(element)) && matches(leaf.filter, element);
    }
    return leaf.op === 'elemMatchValue' && leaf.leaves.every((child) => matchesElement(child, element));
  });
  return index < 0 ? undefined : index;
}

/** Tests conditions without a field name ("$gt: 3") on one value; elements of an array are not tested. */
function matchesElement(filter: Filter, value: Value): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.children.every((child) => matchesElement(child, value));
    case 'or':
      return filter.children.some((child) => matchesElement(child, value));
    case 'nor':
      return !filter.children.some((child) => matchesElement(child, value));
    case 'not':
      return !matchesElement(filter.child, value);
    case 'field': {
      const { leaf } = filter;
      if (leaf.op === 'size' || leaf.op === 'elemMatchObject' || leaf.op === 'elemMatchValue') {
        return Array.isArray(value) && matchInArray(leaf, value) !== undefined;
      }
      return matchesValue(leaf, value);
    }
    default:
      return false;
  }
}

function matchesValue(leaf: Leaf, value: Value | undefined): boolean {
  switch (leaf.op) {
    case 'exists':
      return value !== undefined;
    case 'in':
      return matchesIn(leaf, value);
    case 'type':
      return value !== undefined && matchesType(leaf.names, value);
    case 'mod':
      return value !== undefined && matchesMod(leaf.divisor, leaf.remainder, value);
    case 'regex':
      return matchesPattern(leaf.pattern, value);
    case 'size':
    case 'elemMatchObject':
    case 'elemMatchValue':
      return false;
    default:
      return matchesComparison(leaf.op, leaf.value, value);
  }
}

const includesEquality = (op: Comparison): boolean => op === 'eq' || op === 'lte' || op === 'gte';

/** Comparison inside one type bracket: other types never match, null and missing are equal, and NaN only equals NaN. */
export function matchesComparison(op: Comparison, operand: Value, value: Value | undefined): boolean {
  if (isNullish(operand)) return isNullish(value) && includesEquality(op);
  if (operand === minKey || operand === maxKey) return matchesExtreme(op, operand, value);
  if (value === undefined || rankOf(value) !== rankOf(operand)) return false;
  if (isNumeric(value) && isNumeric(operand) && (isNaNValue(value) || isNaNValue(operand))) {
    return isNaNValue(value) && isNaNValue(operand) && includesEquality(op);
  }
  const order = isNumeric(value) && isNumeric(operand) ? compareNumbers(value, operand) : compareValues(value, operand);
  switch (op) {
    case 'eq':
      return order === 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
    case 'gt':
      return order > 0;
    default:
      return order >= 0;
  }
}

/** MinKey and MaxKey ignore brackets: they compare with values of every type, and with a missing one. */
function matchesExtreme(op: Comparison, operand: Value, value: Value | undefined): boolean {
  const order = value === operand ? 0 : operand === minKey ? 1 : -1;
  if (order === 0) return includesEquality(op);
  return order > 0 ? op === 'gt' || op === 'gte' : op === 'lt' || op === 'lte';
}

function matchesIn(leaf: Extract<Leaf, { op: 'in' }>, value: Value | undefined): boolean {
  if (isNullish(value)) return leaf.identities.has(identityOf(null));
  return leaf.identities.has(identityOf(value)) || leaf.patterns.some((pattern) => matchesPattern(pattern, value));
}

function matchesType(names: Set<string>, value: Value): boolean {
  const name = typeName(value);
  return names.has(name) || (names.has('number') && isNumeric(value));
}

function matchesMod(divisor: bigint, remainder: bigint, value: Value): boolean {
  if (!isNumeric(value)) return false;
  const whole = toInteger(value) ?? truncateToInteger(value);
  return whole !== undefined && whole >= -(2n ** 63n) && whole < 2n ** 63n && whole % divisor === remainder;
}

function matchesPattern(pattern: PatternTest, value: Value | undefined): boolean {
  if (typeof value === 'string') return pattern.test(value);
  if (value instanceof BsonSymbol) return pattern.test(value.text);
  return value instanceof Regex && value.pattern === pattern.source.pattern && value.options === pattern.source.options;
}
