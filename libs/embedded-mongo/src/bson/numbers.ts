/**
 * The four numeric kinds of BSON as one family: exact comparison across kinds, and arithmetic with MongoDB's widening
 * (int to long to double or decimal). Comparison never rounds: 2^53+1 as a long is not 2^53 as a double.
 */
import { Decimal, pow10, splitDouble } from './decimal';
import { addDecimals, multiplyDecimals } from './decimal-arithmetic';
import type { Value } from './values';
import { Int32 } from './values';

export type Numeric = number | bigint | Int32 | Decimal;

export const isNumeric = (value: Value | undefined): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Int32 || value instanceof Decimal;

const intMin = -2147483648n;
const intMax = 2147483647n;
export const longMin = -9223372036854775808n;
const longMax = 9223372036854775807n;

export const fitsInt = (value: bigint): boolean => value >= intMin && value <= intMax;
export const fitsLong = (value: bigint): boolean => value >= longMin && value <= longMax;

/** The nearest double. */
export function toDouble(value: Numeric): number {
  if (typeof value === 'number') return value;
  if (value instanceof Int32) return value.value;
  return typeof value === 'bigint' ? Number(value) : value.toNumber();
}

export function toDecimal(value: Numeric): Decimal {
  if (value instanceof Decimal) return value;
  if (value instanceof Int32) return Decimal.fromBigInt(BigInt(value.value));
  return typeof value === 'bigint' ? Decimal.fromBigInt(value) : Decimal.fromDoubleExact(value);
}

/** A decimal for mixed arithmetic, in which the server reads doubles with 15 digits. */
export const toArithmeticDecimal = (value: Numeric): Decimal =>
  typeof value === 'number' ? Decimal.fromDouble15(value) : toDecimal(value);

/** The value as an integer when it is one, whatever its kind; undefined for fractions, NaN and infinities. */
export function toInteger(value: Numeric): bigint | undefined {
  if (value instanceof Int32) return BigInt(value.value);
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (value.kind !== 'finite') return undefined;
  const signed = value.negative ? -value.coefficient : value.coefficient;
  if (value.exponent >= 0) return signed * pow10(value.exponent);
  const divisor = pow10(-value.exponent);
  return signed % divisor === 0n ? signed / divisor : undefined;
}

/** Removes the fraction; undefined for NaN and infinities. */
export function truncateToInteger(value: Numeric): bigint | undefined {
  if (value instanceof Int32) return BigInt(value.value);
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
  if (value.kind !== 'finite') return undefined;
  const signed = value.negative ? -value.coefficient : value.coefficient;
  return value.exponent >= 0 ? signed * pow10(value.exponent) : signed / pow10(-value.exponent);
}

export const isNaNValue = (value: Numeric): boolean =>
  typeof value === 'number' ? Number.isNaN(value) : value instanceof Decimal && value.kind === 'nan';

const sign = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Exact order of two numbers of any kinds; NaN equals NaN and is the smallest. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  const left = isNaNValue(a);
  const right = isNaNValue(b);
  if (left || right) return Number(right) - Number(left);
  const x = a instanceof Int32 ? a.value : a;
  const y = b instanceof Int32 ? b.value : b;
  if (x instanceof Decimal || y instanceof Decimal) return compareWithDecimal(x, y);
  if (typeof x === typeof y) return sign(x, y);
  return typeof x === 'number' ? compareDoubleWithLong(x, y as bigint) : -compareDoubleWithLong(y as number, x);
}

function compareDoubleWithLong(double: number, long: bigint): number {
  if (!Number.isFinite(double)) return double < 0 ? -1 : 1;
  const whole = Math.trunc(double);
  return sign(BigInt(whole), long) || sign(double, whole);
}

function compareWithDecimal(a: number | bigint | Decimal, b: number | bigint | Decimal): number {
  const left = typeof a === 'object' ? a.toNumber() : Number(a);
  const right = typeof b === 'object' ? b.toNumber() : Number(b);
  if (left !== right) return sign(left, right);
  if (isInfinite(a) || isInfinite(b)) {
    return isInfinite(a) && isInfinite(b) ? 0 : isInfinite(a) === left > 0 ? 1 : -1;
  }
  return compareRatios(ratioOf(a), ratioOf(b));
}

const isInfinite = (value: number | bigint | Decimal): boolean =>
  typeof value === 'number' ? !Number.isFinite(value) : typeof value === 'object' && value.kind === 'infinity';

interface Ratio {
  /** value = digits × 10^ten × 2^two */
  digits: bigint;
  ten: number;
  two: number;
}

function ratioOf(value: number | bigint | Decimal): Ratio {
  if (typeof value === 'bigint') return { digits: value, ten: 0, two: 0 };
  if (typeof value === 'object') {
    return { digits: value.negative ? -value.coefficient : value.coefficient, ten: value.exponent, two: 0 };
  }
  const { mantissa, exponent } = splitDouble(value);
  return { digits: mantissa, ten: 0, two: exponent };
}

function compareRatios(a: Ratio, b: Ratio): number {
  const signs = sign(a.digits, 0n) - sign(b.digits, 0n);
  if (signs !== 0 || a.digits === 0n) return signs;
  const ten = Math.min(a.ten, b.ten);
  const two = Math.min(a.two, b.two);
  return sign(
    (a.digits * pow10(a.ten - ten)) << BigInt(a.two - two),
    (b.digits * pow10(b.ten - ten)) << BigInt(b.two - two),
  );
}

/** A whole number as int when it fits, otherwise as long, otherwise undefined. */
export function narrowest(value: bigint): Int32 | bigint | undefined {
  if (fitsInt(value)) return new Int32(Number(value));
  return fitsLong(value) ? value : undefined;
}

type Whole = Int32 | bigint;
const isWhole = (value: Numeric): value is Whole => typeof value === 'bigint' || value instanceof Int32;
const wholeOf = (value: Whole): bigint => (typeof value === 'bigint' ? value : BigInt(value.value));

/** Sum or product with MongoDB's widening; undefined when a long would overflow. */
export function combine(operation: 'add' | 'multiply', a: Numeric, b: Numeric): Numeric | undefined {
  if (a instanceof Decimal || b instanceof Decimal) {
    const [left, right] = [toArithmeticDecimal(a), toArithmeticDecimal(b)];
    return operation === 'add' ? addDecimals(left, right) : multiplyDecimals(left, right);
  }
  if (a instanceof Int32 && b instanceof Int32) {
    const small = operation === 'add' ? a.value + b.value : a.value * b.value;
    if ((small | 0) === small) return new Int32(small | 0);
  }
  if (isWhole(a) && isWhole(b)) {
    const exact = operation === 'add' ? wholeOf(a) + wholeOf(b) : wholeOf(a) * wholeOf(b);
    if (a instanceof Int32 && b instanceof Int32) return narrowest(exact);
    return fitsLong(exact) ? exact : undefined;
  }
  return operation === 'add' ? toDouble(a) + toDouble(b) : toDouble(a) * toDouble(b);
}
