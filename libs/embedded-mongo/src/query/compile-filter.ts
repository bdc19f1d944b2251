/**
 * Reads a filter document into a tree and refuses what MongoDB refuses. Operators that this store does not support get
 * code 2 like any unknown operator, so a filter is either understood completely or not run.
 */
import { failCommand } from '../errors';
import { Decimal } from '../bson/decimal';
import { isNumeric, toDouble, toInteger, truncateToInteger } from '../bson/numbers';
import { identityOf } from '../bson/key-encoding';
import { typeNumbers } from '../bson/type-names';
import type { Doc, Value } from '../bson/values';
import { isNullish, Regex, undefinedValue } from '../bson/values';
import type { Scope } from '../expressions/scope';
import { compileExpression, environmentOf } from '../expressions/compile';
import { isTruthy } from '../expressions/truth';
import { compilePattern } from './patterns';
import { describeValue } from './describe';
import type { Comparison, Filter, Leaf, Predicate } from './predicate';
import { matches } from './predicate';

export interface FilterOptions {
  /** `$expr` and `$where`-like operators are forbidden in array filters and `$pull`. */
  allowExpr?: boolean;
  /** Variables that `$expr` may use. */
  scope?: Scope | undefined;
}

/** The filter as a test on documents. */
export function compileFilter(document: Doc): Predicate {
  const filter = parseFilter(document);
  return (candidate) => matches(filter, candidate);
}

/** Throws code 2 (and others, as MongoDB does) for a filter that cannot be understood. */
export function parseFilter(document: Doc, options: FilterOptions = {}): Filter {
  return { kind: 'and', children: parseClauses(document, options) };
}

function parseClauses(document: Doc, options: FilterOptions): Filter[] {
  const children: Filter[] = [];
  for (const [name, operand] of document) {
    if (name.startsWith('$')) {
      const clause = parseTopLevel(name, operand, options);
      if (clause) children.push(clause);
    } else {
      children.push(...parseField(name, operand, options));
    }
  }
  return children;
}

function parseTopLevel(name: string, operand: Value, options: FilterOptions): Filter | undefined {
  switch (name) {
    case '$and':
    case '$or':
    case '$nor':
      return { kind: name.slice(1) as 'and' | 'or' | 'nor', children: parseList(name, operand, options) };
    case '$comment':
      return undefined;
    case '$expr':
      if (options.allowExpr === false) failCommand(2, '$expr is not allowed in this context');
      return parseExpr(operand, options);
    case '$text':
      return failCommand(27, 'text index required for $text query');
    default:
      return failCommand(2, `unknown top level operator: ${name}`);
  }
}

function parseExpr(operand: Value, options: FilterOptions): Filter {
  const expression = compileExpression(operand, options.scope);
  return { kind: 'expr', source: operand, test: (document) => isTruthy(expression(environmentOf(document))) };
}

function parseList(name: string, operand: Value, options: FilterOptions): Filter[] {
  if (!Array.isArray(operand)) failCommand(2, `${name} must be an array`);
  if (operand.length === 0) failCommand(2, `${name} argument must be a non-empty array`);
  return operand.map((clause) => {
    if (!(clause instanceof Map)) return failCommand(2, `${name} argument's entries must be objects`);
    return parseFilter(clause, options);
  });
}

/** True for an object whose first field is an operator, except DBRef fields, which are data. */
export function isOperatorDoc(value: Value): value is Doc {
  if (!(value instanceof Map) || value.size === 0) return false;
  const first = value.keys().next().value as string;
  return first.startsWith('$') && !['$ref', '$id', '$db'].includes(first);
}

function fieldFilter(path: string, leaf: Leaf): Filter {
  return { kind: 'field', path, parts: path.split('.'), leaf };
}

function parseField(path: string, operand: Value, options: FilterOptions): Filter[] {
  if (isOperatorDoc(operand)) return parseOperators(path, operand, options);
  if (operand instanceof Regex) return [fieldFilter(path, { op: 'regex', pattern: compilePattern(operand) })];
  return [comparison(path, 'eq', operand)];
}

/** The conditions of an operator document on one field; the path is empty for `$elemMatch` over plain values. */
function parseOperators(path: string, operators: Doc, options: FilterOptions): Filter[] {
  const result: Filter[] = [];
  for (const [name, operand] of operators) {
    if (name === '$options') {
      if (!operators.has('$regex')) failCommand(2, '$options needs a $regex');
      continue;
    }
    result.push(...parseOperator(path, name, operand, operators, options));
  }
  return result;
}

/** Every operator that a filter may use. */
export const filterOperators = [
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$exists',
  '$type',
  '$mod',
  '$regex',
  '$options',
  '$size',
  '$all',
  '$elemMatch',
  '$not',
  '$and',
  '$or',
  '$nor',
  '$expr',
  '$comment',
] as const;

const comparisons: Readonly<Record<string, Comparison>> = { $eq: 'eq', $lt: 'lt', $lte: 'lte', $gt: 'gt', $gte: 'gte' };

function parseOperator(path: string, name: string, operand: Value, all: Doc, options: FilterOptions): Filter[] {
  const comparisonOp = comparisons[name];
  if (comparisonOp) return [comparison(path, comparisonOp, operand, name)];
  switch (name) {
    case '$ne':
      if (operand instanceof Regex) failCommand(2, "Can't have regex as arg to $ne.");
      return [{ kind: 'not', child: comparison(path, 'eq', operand) }];
    case '$in':
      return [membership(path, name, operand)];
    case '$nin':
      return [{ kind: 'not', child: membership(path, name, operand) }];
    case '$exists':
      return isTruthyOperand(operand)
        ? [fieldFilter(path, { op: 'exists' })]
        : [{ kind: 'not', child: fieldFilter(path, { op: 'exists' }) }];
    case '$type':
      return [fieldFilter(path, { op: 'type', names: parseTypes(operand) })];
    case '$mod':
      return [fieldFilter(path, parseMod(operand))];
    case '$regex':
      return [fieldFilter(path, { op: 'regex', pattern: compilePattern(regexOf(operand, all.get('$options'))) })];
    case '$size':
      return [fieldFilter(path, { op: 'size', size: parseSize(operand) })];
    case '$not':
      return [parseNot(path, operand, options)];
    case '$all':
      return [parseAll(path, operand, options)];
    case '$elemMatch':
      return [parseElemMatch(path, operand, options)];
    default:
      return failCommand(2, `unknown operator: ${name}`);
  }
}

function comparison(path: string, op: Comparison, operand: Value, name?: string): Filter {
  if (operand === undefinedValue) failCommand(2, 'cannot compare to undefined');
  if (operand instanceof Regex) {
    if (op !== 'eq') failCommand(2, `Can't have RegEx as arg to predicate over field '${path}'.`);
    if (name !== '$eq') return fieldFilter(path, { op: 'regex', pattern: compilePattern(operand) });
  }
  return fieldFilter(path, { op, value: operand });
}

function membership(path: string, name: string, operand: Value): Filter {
  if (!Array.isArray(operand)) return failCommand(2, `${name} needs an array`);
  const values: Value[] = [];
  const patterns = [];
  for (const value of operand) {
    if (isOperatorDoc(value)) failCommand(2, `cannot nest $ under ${name}`);
    if (value === undefinedValue) failCommand(2, 'cannot compare to undefined');
    if (value instanceof Regex) patterns.push(compilePattern(value));
    else values.push(value);
  }
  const identities = new Set(values.map((value) => identityOf(isNullish(value) ? null : value)));
  return fieldFilter(path, { op: 'in', values, identities, patterns });
}

/** `$exists` accepts any value by its truth: null, false and zero are false. */
function isTruthyOperand(value: Value): boolean {
  if (isNullish(value) || value === false) return false;
  return !isNumeric(value) || toDouble(value) !== 0;
}

function parseTypes(operand: Value): Set<string> {
  const list = Array.isArray(operand) ? operand : [operand];
  if (list.length === 0) failCommand(9, '$type must match at least one type');
  return new Set(list.map(parseType));
}

function parseType(operand: Value): string {
  if (typeof operand === 'string') {
    if (operand !== 'number' && !(operand in typeNumbers)) failCommand(2, `Unknown type name alias: ${operand}`);
    return operand;
  }
  if (!isNumeric(operand)) return failCommand(14, 'type must be represented as a number or a string');
  const number = Number(toInteger(operand) ?? failCommand(2, `Invalid numerical type code: ${describeValue(operand)}`));
  const name = Object.keys(typeNumbers).find((alias) => typeNumbers[alias] === number);
  return name ?? failCommand(2, `Invalid numerical type code: ${number}`);
}

function parseMod(operand: Value): Leaf {
  if (!Array.isArray(operand)) return failCommand(2, 'malformed mod, needs to be an array');
  if (operand.length !== 2) return failCommand(2, 'malformed mod, needs exactly two elements');
  const [divisor, remainder] = operand.map((value) => {
    const whole = isNumeric(value) ? truncateToInteger(value) : undefined;
    if (whole === undefined || whole < -(2n ** 63n) || whole >= 2n ** 63n) return undefined;
    return whole;
  });
  if (divisor === undefined) return failCommand(2, 'malformed mod, divisor is not a number');
  if (divisor === 0n) return failCommand(2, 'divisor cannot be 0');
  if (remainder === undefined) return failCommand(2, 'malformed mod, remainder is not a number');
  return { op: 'mod', divisor, remainder };
}

function parseSize(operand: Value): number {
  const size = isNumeric(operand) && !(operand instanceof Decimal) ? toInteger(operand) : undefined;
  if (size === undefined) return failCommand(2, '$size needs a whole number');
  if (size < 0n) return failCommand(2, '$size may not be negative');
  return Number(size);
}

/** The pattern of `$regex` with its `$options`. */
function regexOf(operand: Value, options: Value | undefined): Regex {
  if (options !== undefined && typeof options !== 'string') return failCommand(2, '$options has to be a string');
  if (operand instanceof Regex) {
    if (options !== undefined && operand.options) return failCommand(51075, 'options set in both $regex and $options');
    return new Regex(operand.pattern, options ?? operand.options);
  }
  if (typeof operand !== 'string') return failCommand(2, '$regex has to be a string');
  return new Regex(operand, options ?? '');
}

function parseNot(path: string, operand: Value, options: FilterOptions): Filter {
  if (operand instanceof Regex) {
    return { kind: 'not', child: fieldFilter(path, { op: 'regex', pattern: compilePattern(operand) }) };
  }
  if (!(operand instanceof Map)) return failCommand(2, '$not needs a regex or a document');
  if (operand.size === 0) return failCommand(2, '$not cannot be empty');
  for (const name of operand.keys()) if (!name.startsWith('$')) failCommand(2, `unknown operator: ${name}`);
  return { kind: 'not', child: { kind: 'and', children: parseOperators(path, operand, options) } };
}

function parseAll(path: string, operand: Value, options: FilterOptions): Filter {
  if (!Array.isArray(operand)) return failCommand(2, '$all needs an array');
  const [first] = operand;
  const elemMatches = first instanceof Map && first.keys().next().value === '$elemMatch';
  const children = operand.map((value) => {
    if (elemMatches) {
      if (!(value instanceof Map) || value.keys().next().value !== '$elemMatch') {
        return failCommand(2, '$all/$elemMatch has to be consistent');
      }
      return parseElemMatch(path, value.get('$elemMatch') as Value, options);
    }
    if (isOperatorDoc(value)) return failCommand(2, 'no $ expressions in $all');
    return comparison(path, 'eq', value);
  });
  return children.length === 0 ? { kind: 'or', children: [] } : { kind: 'and', children };
}

const logical = ['$and', '$or', '$nor'];

function parseElemMatch(path: string, operand: Value, options: FilterOptions): Filter {
  if (!(operand instanceof Map)) return failCommand(2, '$elemMatch needs an Object');
  const first = operand.keys().next().value;
  if (isOperatorDoc(operand) && first !== undefined && !logical.includes(first) && first !== '$expr') {
    return fieldFilter(path, { op: 'elemMatchValue', leaves: parseOperators('', operand, options) });
  }
  const filter = parseFilter(operand, { ...options, allowExpr: false });
  return fieldFilter(path, { op: 'elemMatchObject', filter });
}
