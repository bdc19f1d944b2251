/** Stages that handle one document at a time, or only count them. */
import { CommandError, failCommand } from '../errors';
import { isNumeric, toInteger } from '../bson/numbers';
import { typeName } from '../bson/type-names';
import type { Doc, Value } from '../bson/values';
import { int } from '../bson/values';
import { environmentOf } from '../expressions/compile';
import { Scope } from '../expressions/scope';
import { parseFilter } from '../query/compile-filter';
import { matches } from '../query/predicate';
import { addFields, compileProjection } from '../query/projection';
import { parseAdditions } from '../query/projection-tree';
import { createSorter, parseSort } from '../query/sort';
import { pauseMark } from '../storage/pause';
import type { Stage } from './stage';

const mapped = (change: (document: Doc) => Doc): Stage =>
  function* (input) {
    for (const document of input) yield document === pauseMark ? pauseMark : change(document);
  };

export function matchStage(spec: Value, scope: Scope): Stage {
  if (!(spec instanceof Map)) return failCommand(15959, 'the match filter must be an expression in an object');
  const filter = parseFilter(spec, { scope });
  return function* (input) {
    for (const document of input) if (document === pauseMark || matches(filter, document)) yield document;
  };
}

export function projectStage(spec: Value, scope: Scope): Stage {
  if (!(spec instanceof Map)) return failCommand(15969, '$project specification must be an object');
  if (spec.size === 0) failCommand(51272, 'projection specification must have at least one field');
  for (const name of spec.keys())
    if (name.endsWith('.$')) failCommand(31324, 'Cannot use positional projection in aggregation projection');
  return mapped(compileProjection(spec, false, new Scope(scope)));
}

export function setStage(spec: Value, scope: Scope): Stage {
  if (!(spec instanceof Map)) return failCommand(40272, '$set specification stage must be an object');
  const root = additions(spec, scope);
  return mapped((document) => addFields(root, document));
}

/** `$addFields` has its own error code for colliding paths. */
function additions(spec: Doc, scope: Scope): ReturnType<typeof parseAdditions> {
  try {
    return parseAdditions(spec, new Scope(scope));
  } catch (error) {
    if (error instanceof CommandError && (error.code === 31249 || error.code === 31250))
      failCommand(40176, error.message);
    throw error;
  }
}

export function unsetStage(spec: Value, scope: Scope): Stage {
  if (typeof spec !== 'string' && !Array.isArray(spec))
    return failCommand(31002, '$unset specification must be a string or an array');
  const names = Array.isArray(spec) ? spec : [spec];
  if (names.length === 0)
    failCommand(31119, '$unset specification must be a string or an array with at least one field');
  const projection: Doc = new Map();
  for (const name of names) {
    if (typeof name !== 'string')
      return failCommand(31120, '$unset specification must be a string or an array containing only string values');
    if (projection.has(name)) failCommand(31250, `Path collision at ${name}`);
    projection.set(name, false);
  }
  return mapped(compileProjection(projection, false, new Scope(scope)));
}

export function replaceRootStage(name: string, spec: Value, scope: Scope): Stage {
  let source = spec;
  if (name === '$replaceRoot') {
    if (!(spec instanceof Map)) return failCommand(40229, 'expected an object as specification for $replaceRoot stage');
    for (const field of spec.keys())
      if (field !== 'newRoot') failCommand(40415, `BSON field '$replaceRoot.${field}' is an unknown field.`);
    source =
      spec.get('newRoot') ??
      (spec.has('newRoot')
        ? null
        : failCommand(40414, "BSON field '$replaceRoot.newRoot' is missing but a required field"));
  }
  const expression = scope.compile(source);
  return mapped((document) => {
    const root = expression(environmentOf(document));
    if (root instanceof Map) return root;
    return failCommand(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was of type: ${typeName(root)}`,
    );
  });
}

/** Whole numbers of any kind; `$limit` needs at least 1. */
export function countOf(name: string, spec: Value): number {
  const whole = isNumeric(spec) ? toInteger(spec) : undefined;
  const code = name === '$limit' ? 5107201 : 5107200;
  if (whole === undefined || whole < 0n || whole >= 2n ** 63n) {
    return failCommand(code, `invalid argument to ${name} stage: Expected a non-negative number in: ${name}`);
  }
  if (name === '$limit' && whole === 0n) failCommand(15958, 'the limit must be positive');
  return Number(whole);
}

export function limitStage(count: number): Stage {
  return function* (input) {
    let taken = 0;
    for (const document of input) {
      yield document;
      if (document === pauseMark) continue;
      taken += 1;
      if (taken >= count) return;
    }
  };
}

export function skipStage(count: number): Stage {
  return function* (input) {
    let seen = 0;
    for (const document of input) {
      if (document !== pauseMark) seen += 1;
      if (document === pauseMark || seen > count) yield document;
    }
  };
}

export function sortStage(spec: Value, limit: number | undefined): Stage {
  if (!(spec instanceof Map)) return failCommand(15973, 'the $sort key specification must be an object');
  if (spec.size === 0) failCommand(15976, '$sort stage must have at least one sort key');
  const fields = parseSort(spec);
  return function* (input) {
    const sorter = createSorter<Doc>(fields, limit);
    for (const document of input) {
      if (document === pauseMark) yield pauseMark;
      else sorter.add(document, document);
    }
    yield* sorter.result();
  };
}

export function countStage(spec: Value): Stage {
  if (typeof spec !== 'string') return failCommand(40156, 'the count field must be a non-empty string');
  if (spec === '') failCommand(40157, 'the count field must be a non-empty string');
  if (spec.startsWith('$')) failCommand(40158, 'the count field cannot be a $-prefixed path');
  if (spec.includes('\0')) failCommand(40159, 'the count field cannot contain a null byte');
  if (spec.includes('.')) failCommand(40160, "the count field cannot contain '.'");
  if (spec === '_id') failCommand(15948, "a group's _id may only be specified once");
  return function* (input) {
    let total = 0;
    for (const document of input) {
      if (document === pauseMark) yield pauseMark;
      else total += 1;
    }
    if (total > 0) yield new Map<string, Value>([[spec, total <= 0x7fffffff ? int(total) : BigInt(total)]]);
  };
}
