/** Array operators. */
import { failCommand } from '../errors';
import { compareValues } from '../bson/compare';
import { identityOf } from '../bson/key-encoding';
import { isNumeric, toInteger } from '../bson/numbers';
import { typeName } from '../bson/type-names';
import type { Value } from '../bson/values';
import { int, isNullish } from '../bson/values';
import type { Builder } from './arguments';
import { binary, compileArguments, unary, variadic } from './arguments';

type Operand = Value | undefined;

/** A whole number that fits 32 bits; the codes are for other types and other numbers. */
function wholeNumber(value: Operand, typeCode: number, valueCode: number, what: string): number {
  if (!isNumeric(value)) return failCommand(typeCode, `${what} must be numeric, but is ${typeName(value)}`);
  const whole = toInteger(value);
  if (whole === undefined || whole > 0x7fffffffn || whole < -0x80000000n)
    return failCommand(valueCode, `${what} cannot be represented as a 32-bit integer`);
  return Number(whole);
}

const arrayElemAt = binary((array, index) => {
  if (isNullish(array)) return null;
  if (!Array.isArray(array))
    return failCommand(28689, `$arrayElemAt's first argument must be an array, but is ${typeName(array)}`);
  if (isNullish(index)) return null;
  const position = wholeNumber(index, 28690, 28691, "$arrayElemAt's second argument");
  return array[position < 0 ? array.length + position : position];
});

const edge = (position: 0 | -1): Builder =>
  unary((array, name) => {
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      return failCommand(28689, `${name}'s argument must be an array, but is ${typeName(array)}`);
    return array.at(position);
  });

const concatArrays = variadic((values) => {
  const result: Value[] = [];
  let empty = false;
  for (const value of values) {
    if (isNullish(value)) empty = true;
    else if (!Array.isArray(value))
      return failCommand(28664, `$concatArrays only supports arrays, not ${typeName(value)}`);
    else for (const element of value) result.push(element);
    if (empty) return null;
  }
  return result;
});

const size = unary((value) => {
  if (!Array.isArray(value))
    return failCommand(17124, `The argument to $size must be an array, but was of type: ${typeName(value)}`);
  return int(value.length);
});

const isMember = binary((value, array) => {
  if (!Array.isArray(array))
    return failCommand(40081, `$in requires an array as a second argument, found: ${typeName(array)}`);
  const wanted = value === undefined ? null : value;
  return value !== undefined && array.some((element) => compareValues(element, wanted) === 0);
});

const slice: Builder = (argument, scope, name) => {
  const operands = compileArguments(argument, scope, name, 2, 3);
  return (environment) => {
    const [array, second, third] = operands.map((operand) => operand(environment));
    if (isNullish(array) || isNullish(second)) return null;
    if (!Array.isArray(array))
      return failCommand(28724, `First argument to $slice must be an array, but is of type: ${typeName(array)}`);
    const first = wholeNumber(second, 28725, 28726, 'Second argument to $slice');
    if (operands.length === 2) return first >= 0 ? array.slice(0, first) : array.slice(first);
    if (isNullish(third)) return null;
    const count = wholeNumber(third, 28727, 28728, 'Third argument to $slice');
    if (count <= 0) failCommand(28729, 'Third argument to $slice must be positive');
    const start = first >= 0 ? first : Math.max(0, array.length + first);
    return array.slice(start, start + count);
  };
};

const range: Builder = (argument, scope, name) => {
  const operands = compileArguments(argument, scope, name, 2, 3);
  return (environment) => {
    const [first, second, third] = operands.map((operand) => operand(environment));
    const start = wholeNumber(first, 34443, 34444, '$range starting value');
    const end = wholeNumber(second, 34445, 34446, '$range ending value');
    const step = operands.length === 3 ? wholeNumber(third, 34447, 34448, '$range step value') : 1;
    if (step === 0) failCommand(34449, '$range requires a non-zero step value');
    const result: Value[] = [];
    for (let value = start; step > 0 ? value < end : value > end; value += step) {
      result.push(int(value));
      if (result.length > 6_000_000) failCommand(146, '$range would use too much memory');
    }
    return result;
  };
};

const reverseArray = unary((value) => {
  if (isNullish(value)) return null;
  if (!Array.isArray(value))
    return failCommand(34435, `The argument to $reverseArray must be an array, but was of type: ${typeName(value)}`);
  return [...value].reverse();
});

const indexOfArray = variadic(
  ([array, wanted, start, end]) => {
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      return failCommand(40090, `$indexOfArray requires an array as a first argument, found: ${typeName(array)}`);
    const from = start === undefined ? 0 : wholeNumber(start, 40096, 40096, '$indexOfArray');
    const until = end === undefined ? array.length : wholeNumber(end, 40096, 40096, '$indexOfArray');
    if (from < 0 || until < 0) failCommand(40097, '$indexOfArray requires non-negative indexes');
    const identity = wanted === undefined ? undefined : identityOf(wanted);
    for (let at = from; at < Math.min(until, array.length); at += 1) {
      if (identity !== undefined && identityOf(array[at] as Value) === identity) return int(at);
    }
    return int(-1);
  },
  2,
  4,
);

export const arrayOperators: Record<string, Builder> = {
  $arrayElemAt: arrayElemAt,
  $first: edge(0),
  $last: edge(-1),
  $concatArrays: concatArrays,
  $size: size,
  $in: isMember,
  $slice: slice,
  $range: range,
  $reverseArray: reverseArray,
  $indexOfArray: indexOfArray,
  $isArray: unary((value) => Array.isArray(value)),
};
