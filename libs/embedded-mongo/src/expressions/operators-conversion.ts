/** `$convert` and its short forms, `$type`, `$isNumber`. */
import { CommandError, failCommand } from '../errors';
import { Decimal } from '../bson/decimal';
import { quantize } from '../bson/decimal-arithmetic';
import { compareNumbers, fitsInt, fitsLong, isNumeric, toDouble, toInteger, truncateToInteger } from '../bson/numbers';
import { typeNumbers, typeName } from '../bson/type-names';
import type { Value } from '../bson/values';
import { BsonDate, Int32, isNullish, ObjectId } from '../bson/values';
import type { Builder } from './arguments';
import { unary } from './arguments';
import { parseDateText } from './date-text';
import { doubleToText, isoDate } from './text-forms';

type Target = 'int' | 'long' | 'double' | 'decimal' | 'string' | 'bool' | 'date' | 'objectId';
const targets: readonly string[] = ['int', 'long', 'double', 'decimal', 'string', 'bool', 'date', 'objectId'];

const failed = (value: Value, target: string, why = ''): never =>
  failCommand(
    241,
    `Unsupported conversion from ${typeName(value)} to ${target} in $convert with no onError value${why}`,
  );

/** Converts a value that is not null. Throws code 241 when it cannot be converted. */
function convertValue(value: Value, target: Target): Value {
  switch (target) {
    case 'bool':
      return isNumeric(value) ? compareNumbers(value, 0) !== 0 : value !== false;
    case 'int':
    case 'long':
      return toWhole(value, target);
    case 'double':
      return toDoubleValue(value);
    case 'decimal':
      return toDecimalValue(value);
    case 'string':
      return toText(value);
    case 'date':
      return toDate(value);
    default:
      return toObjectId(value);
  }
}

function toWhole(value: Value, target: 'int' | 'long'): Value {
  const whole = wholeFrom(value, target);
  if (target === 'int') return fitsInt(whole) ? new Int32(Number(whole)) : failed(value, target, ': overflow');
  return fitsLong(whole) ? whole : failed(value, target, ': overflow');
}

function wholeFrom(value: Value, target: 'int' | 'long'): bigint {
  if (isNumeric(value)) return truncateToInteger(value) ?? failed(value, target, ': not a finite number');
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string')
    return /^[+-]?\d+$/.test(value) ? BigInt(value.replace(/^\+/, '')) : failed(value, target, ': failed to parse');
  if (value instanceof BsonDate && target === 'long') return value.ms;
  return failed(value, target);
}

function toDoubleValue(value: Value): number {
  if (value instanceof Decimal) {
    const double = value.toNumber();
    const lost = value.kind === 'finite' && (!Number.isFinite(double) || (double === 0 && !value.isZero()));
    return lost ? failed(value, 'double', ': out of range') : double;
  }
  if (isNumeric(value)) return toDouble(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof BsonDate) return Number(value.ms);
  if (typeof value !== 'string') return failed(value, 'double');
  const parsed = parseDouble(value);
  return parsed ?? failed(value, 'double', ': failed to parse');
}

function parseDouble(text: string): number | undefined {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  if (/^[+-]?nan$/i.test(text)) return NaN;
  const infinity = /^([+-]?)inf(?:inity)?$/i.exec(text);
  return infinity ? (infinity[1] === '-' ? -Infinity : Infinity) : undefined;
}

function toDecimalValue(value: Value): Decimal {
  if (value instanceof Decimal) return value;
  if (typeof value === 'number') return Decimal.fromDouble15(value);
  if (isNumeric(value)) return Decimal.fromBigInt(toInteger(value) as bigint);
  if (typeof value === 'boolean') return Decimal.fromBigInt(value ? 1n : 0n);
  if (value instanceof BsonDate) return Decimal.fromBigInt(value.ms);
  if (typeof value !== 'string') return failed(value, 'decimal');
  return Decimal.parse(value) ?? failed(value, 'decimal', ': failed to parse');
}

function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return doubleToText(value);
  if (value instanceof Decimal) return value.toString();
  if (isNumeric(value)) return String(toInteger(value));
  if (typeof value === 'boolean') return String(value);
  if (value instanceof ObjectId) return value.hex;
  if (value instanceof BsonDate) return isoDate(value.ms);
  return failed(value, 'string');
}

function toDate(value: Value): BsonDate {
  if (value instanceof BsonDate) return value;
  if (value instanceof Int32) return failed(value, 'date');
  if (typeof value === 'bigint') return new BsonDate(value);
  if (typeof value === 'number' || value instanceof Decimal) {
    const whole = truncateToInteger(typeof value === 'number' ? value : quantize(value, 0, 'down'));
    return whole !== undefined && fitsLong(whole) ? new BsonDate(whole) : failed(value, 'date', ': out of range');
  }
  if (value instanceof ObjectId) return new BsonDate(BigInt(Number.parseInt(value.hex.slice(0, 8), 16) | 0) * 1000n);
  if (typeof value !== 'string') return failed(value, 'date');
  return parseDateText(value, undefined);
}

function toObjectId(value: Value): ObjectId {
  if (value instanceof ObjectId) return value;
  if (typeof value !== 'string') return failed(value, 'objectId');
  return /^[0-9a-fA-F]{24}$/.test(value)
    ? new ObjectId(value.toLowerCase())
    : failed(value, 'objectId', ': failed to parse');
}

const short = (target: Target): Builder => unary((value) => (isNullish(value) ? null : convertValue(value, target)));

const convert: Builder = (argument, scope) => {
  if (!(argument instanceof Map)) return failCommand(9, '$convert expects an object of named arguments');
  for (const name of argument.keys()) {
    if (!['input', 'to', 'onError', 'onNull'].includes(name))
      failCommand(9, `$convert found an unknown argument: ${name}`);
  }
  const field = (name: string): ReturnType<typeof scope.compile> | undefined =>
    argument.has(name) ? scope.compile(argument.get(name) as Value) : undefined;
  const input = field('input') ?? failCommand(9, "Missing 'input' parameter to $convert");
  const to = field('to') ?? failCommand(9, "Missing 'to' parameter to $convert");
  const [onError, onNull] = [field('onError'), field('onNull')];
  return (environment) => {
    const value = input(environment);
    const target = targetOf(to(environment));
    if (isNullish(value)) return onNull ? onNull(environment) : null;
    if (target === undefined) return null;
    try {
      return targets.includes(target) ? convertValue(value, target as Target) : failed(value, target);
    } catch (error) {
      if (onError && error instanceof CommandError && error.code === 241) return onError(environment);
      throw error;
    }
  };
};

function targetOf(value: Value | undefined): string | undefined {
  if (isNullish(value)) return undefined;
  if (typeof value === 'string') return value in typeNumbers ? value : failCommand(2, `Unknown type name: ${value}`);
  const number = isNumeric(value)
    ? toInteger(value)
    : failCommand(9, "$convert's 'to' argument must be a string or number");
  if (number === undefined) return failCommand(9, "In $convert, numeric 'to' argument is not an integer");
  const name = Object.keys(typeNumbers).find((alias) => typeNumbers[alias] === Number(number));
  return name ?? failCommand(9, `In $convert, numeric value for 'to' does not correspond to a BSON type: ${number}`);
}

export const conversionOperators: Record<string, Builder> = {
  $convert: convert,
  $toInt: short('int'),
  $toLong: short('long'),
  $toDouble: short('double'),
  $toDecimal: short('decimal'),
  $toString: short('string'),
  $toBool: short('bool'),
  $toDate: short('date'),
  $toObjectId: short('objectId'),
  $type: unary((value) => typeName(value)),
  $isNumber: unary((value) => isNumeric(value)),
};
