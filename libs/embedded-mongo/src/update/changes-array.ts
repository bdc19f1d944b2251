/** Update operators on arrays: push with its modifiers, add to set, the pulls and pop. */
import { failCommand } from '../errors';
import { Decimal } from '../bson/decimal';
import { compareValues } from '../bson/compare';
import { identityOf } from '../bson/key-encoding';
import { isNumeric, toInteger } from '../bson/numbers';
import { typeName } from '../bson/type-names';
import type { Doc, Value } from '../bson/values';
import { Regex } from '../bson/values';
import { isOperatorDoc, parseFilter } from '../query/compile-filter';
import { matches } from '../query/predicate';
import { describeValue } from '../query/describe';
import { fieldOrder } from '../query/sort';
import type { Applied } from './apply-result';
import { unchanged } from './apply-result';
import type { Change } from './update-tree';

interface PushSpec {
  each: Value[];
  position: number | undefined;
  slice: number | undefined;
  compare: ((a: Value, b: Value) => number) | undefined;
}

export function pushChange(operand: Value, path: string): Change {
  const spec = parsePush(operand);
  return {
    operator: '$push',
    creates: true,
    apply: (current) => {
      if (current === undefined) return arranged([], spec);
      if (!Array.isArray(current))
        return failCommand(2, `The field '${path}' must be an array but is of type ${typeName(current)}`);
      const result = arranged(current, spec);
      // On the server, a sort counts as a change even when it moves nothing.
      const still = spec.each.length === 0 && !spec.compare && result.length === current.length;
      return still ? unchanged : result;
    },
  };
}

function arranged(current: Value[], spec: PushSpec): Value[] {
  let result = [...current];
  const at = spec.position === undefined ? result.length : spec.position;
  result.splice(at < 0 ? Math.max(0, result.length + at) : at, 0, ...spec.each);
  if (spec.compare) result.sort(spec.compare);
  if (spec.slice !== undefined) {
    result = spec.slice >= 0 ? result.slice(0, spec.slice) : result.slice(Math.max(0, result.length + spec.slice));
  }
  return result;
}

function parsePush(operand: Value): PushSpec {
  if (!(operand instanceof Map) || !operand.has('$each')) {
    return { each: [operand], position: undefined, slice: undefined, compare: undefined };
  }
  const each = operand.get('$each') as Value;
  if (!Array.isArray(each)) return failCommand(2, 'The argument to $each in $push must be an array');
  for (const name of operand.keys()) {
    if (!['$each', '$slice', '$sort', '$position'].includes(name))
      failCommand(2, `Unrecognized clause in $push: ${name}`);
  }
  return {
    each,
    position: wholeNumber(operand, '$position'),
    slice: wholeNumber(operand, '$slice'),
    compare: operand.has('$sort') ? parseSort(operand.get('$sort') as Value) : undefined,
  };
}

function wholeNumber(operand: Doc, name: string): number | undefined {
  const value = operand.get(name);
  if (value === undefined) return undefined;
  const whole = isNumeric(value) ? toInteger(value) : undefined;
  if (whole === undefined || (value instanceof Decimal && whole === undefined)) {
    return failCommand(2, `The value for ${name} must be an integer value but was given type: ${typeName(value)}`);
  }
  return Number(whole);
}

const direction = (value: Value): number | undefined => {
  const whole = isNumeric(value) ? Number(toInteger(value) ?? 0n) : 0;
  return whole === 1 || whole === -1 ? whole : undefined;
};

function parseSort(operand: Value): (a: Value, b: Value) => number {
  const whole = direction(operand);
  if (whole !== undefined) return (a, b) => whole * compareValues(a, b);
  if (!(operand instanceof Map))
    return failCommand(
      2,
      'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
    );
  if (operand.size === 0) return failCommand(2, 'The $sort pattern is empty when it should be a set of fields.');
  for (const [name, value] of operand) {
    if (name === '' || name.split('.').includes('')) failCommand(2, 'The $sort field cannot be empty');
    if (direction(value) === undefined) failCommand(2, 'The $sort element value must be either 1 or -1');
  }
  return fieldOrder(operand);
}

export function addToSetChange(operand: Value, path: string): Change {
  const additions = parseEach(operand);
  return {
    operator: '$addToSet',
    creates: true,
    apply: (current) => {
      if (current !== undefined && !Array.isArray(current)) {
        return failCommand(
          2,
          `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(current)}`,
        );
      }
      const present = new Set((current ?? []).map(identityOf));
      const result = [...(current ?? [])];
      for (const value of additions) {
        const identity = identityOf(value);
        if (present.has(identity)) continue;
        present.add(identity);
        result.push(value);
      }
      return current && result.length === current.length ? unchanged : result;
    },
  };
}

function parseEach(operand: Value): Value[] {
  if (!(operand instanceof Map) || operand.keys().next().value !== '$each') return [operand];
  const each = operand.get('$each') as Value;
  if (!Array.isArray(each))
    return failCommand(14, `The argument to $each in $addToSet must be an array but it was of type ${typeName(each)}`);
  if (operand.size > 1) failCommand(2, `Found unexpected fields after $each in $addToSet: ${describeValue(operand)}`);
  return each;
}

/** Keeps the elements that `keep` accepts; refuses a field that is not an array with code 2. */
function filtered(operator: string, keep: (element: Value) => boolean): Change {
  return {
    operator,
    creates: false,
    apply: (current): Applied => {
      if (current === undefined) return unchanged;
      if (!Array.isArray(current)) return failCommand(2, `Cannot apply ${operator} to a non-array value`);
      const result = current.filter(keep);
      return result.length === current.length ? unchanged : result;
    },
  };
}

export function pullChange(operand: Value): Change {
  if (operand instanceof Regex || (isOperatorDoc(operand) && !isLogical(operand))) {
    assertPullOperand(operand);
    const filter = parseFilter(new Map([['v', operand]]), { allowExpr: false });
    return filtered('$pull', (element) => !matches(filter, new Map([['v', element]])));
  }
  if (operand instanceof Map) {
    const filter = parseFilter(operand, { allowExpr: false });
    return filtered('$pull', (element) => !(element instanceof Map && matches(filter, element)));
  }
  return filtered('$pull', (element) => compareValues(element, operand) !== 0);
}

/** `$or` and similar operators apply to whole element documents. */
const isLogical = (operand: Doc): boolean => ['$and', '$or', '$nor'].includes(operand.keys().next().value as string);

/** `$not` on the bare element is refused by the server inside `$pull`. */
function assertPullOperand(operand: Value): void {
  if (operand instanceof Map && operand.has('$not')) failCommand(2, 'unknown top level operator: $not');
}

export function pullAllChange(operand: Value): Change {
  if (!Array.isArray(operand)) return failCommand(2, '$pullAll requires an array argument');
  const unwanted = new Set(operand.map(identityOf));
  return filtered('$pullAll', (element) => !unwanted.has(identityOf(element)));
}

export function popChange(operand: Value, path: string): Change {
  const whole = direction(operand);
  if (whole === undefined) return failCommand(9, `$pop expects 1 or -1, found: ${describeValue(operand)}`);
  return {
    operator: '$pop',
    creates: false,
    apply: (current) => {
      if (current === undefined) return unchanged;
      if (!Array.isArray(current))
        return failCommand(14, `Path '${path}' contains an element of non-array type '${typeName(current)}'`);
      if (current.length === 0) return unchanged;
      return whole === 1 ? current.slice(0, -1) : current.slice(1);
    },
  };
}
