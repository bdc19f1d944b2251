/**
 * Arithmetic in expressions: null gives null; int widens to long and long to double; a decimal operand gives a decimal.
 */
import { failCommand } from '../errors';
import { Decimal } from '../bson/decimal';
import {
  divideDecimals,
  multiplyDecimals,
  quantize,
  remainderOfDecimals,
  subtractDecimals,
} from '../bson/decimal-arithmetic';
import type { Rounding } from '../bson/decimal-arithmetic';
import type { Numeric } from '../bson/numbers';
import {
  compareNumbers,
  fitsInt,
  fitsLong,
  isNumeric,
  longMin,
  narrowest,
  toArithmeticDecimal,
  toDouble,
  toInteger,
  truncateToInteger,
} from '../bson/numbers';
import { typeName } from '../bson/type-names';
import type { Value } from '../bson/values';
import { BsonDate, Int32, isNullish } from '../bson/values';
import { Total } from '../aggregation/sum';
import type { Builder } from './arguments';
import { binary, unary, variadic } from './arguments';

type Operand = Value | undefined;

const isWhole = (value: Numeric): value is Int32 | bigint => typeof value === 'bigint' || value instanceof Int32;
const wholeOf = (value: Int32 | bigint): bigint => (typeof value === 'bigint' ? value : BigInt(value.value));

/** A date moved by milliseconds. Throws code 15 when it leaves the range of dates. */
function movedDate(date: BsonDate, by: bigint | undefined): BsonDate {
  const moved = by === undefined ? undefined : date.ms + by;
  if (moved === undefined || !fitsLong(moved)) return failCommand(15, 'date overflow in $add');
  return new BsonDate(moved);
}

/** The server rounds the sum twice, so a half is rounded down. */
function roundedMove(by: number): bigint | undefined {
  if (!Number.isFinite(by)) return undefined;
  const fraction = by - Math.trunc(by);
  if (Math.abs(fraction) === 0.5) return BigInt(Math.floor(by));
  return BigInt(Math.round(by));
}

const millisecondsOf = (value: Numeric): bigint | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.round(value)) : undefined;
  if (value instanceof Decimal)
    return value.kind === 'finite' ? truncateToInteger(quantize(value, 0, 'halfEven')) : undefined;
  return wholeOf(value);
};

/** The sum when all operands and the result are ints; undefined otherwise. */
function sumOfInts(values: readonly Operand[]): Int32 | undefined {
  let sum = 0;
  for (const value of values) {
    if (!(value instanceof Int32)) return undefined;
    sum += value.value;
  }
  return (sum | 0) === sum ? new Int32(sum | 0) : undefined;
}

function add(values: Operand[]): Operand {
  const small = sumOfInts(values);
  if (small !== undefined) return small;
  const total = new Total();
  let date: BsonDate | undefined;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (value instanceof BsonDate) {
      if (date) failCommand(16612, 'only one date allowed in an $add expression');
      date = value;
    } else if (isNumeric(value)) {
      total.add(value);
    } else {
      failCommand(16554, `$add only supports numeric or date types, not ${typeName(value)}`);
    }
  }
  const sum = total.result() as Numeric;
  return date ? movedDate(date, typeof sum === 'number' ? roundedMove(sum) : millisecondsOf(sum)) : sum;
}

function subtract(left: Operand, right: Operand): Operand {
  if (isNullish(left) || isNullish(right)) return null;
  if (left instanceof BsonDate) {
    if (right instanceof BsonDate) return BigInt.asIntN(64, left.ms - right.ms);
    if (isNumeric(right)) {
      const by = millisecondsOf(right);
      return movedDate(left, by === undefined ? undefined : -by);
    }
  }
  if (!isNumeric(left) || !isNumeric(right)) {
    return failCommand(14, `can't $subtract ${typeName(right)} from ${typeName(left)}`);
  }
  if (left instanceof Decimal || right instanceof Decimal)
    return subtractDecimals(toArithmeticDecimal(left), toArithmeticDecimal(right));
  if (isWhole(left) && isWhole(right)) {
    const exact = wholeOf(left) - wholeOf(right);
    if (fitsLong(exact)) return wholeResult(exact, left, right);
  }
  return toDouble(left) - toDouble(right);
}

/** Int when both were int and the result fits, long when it fits, otherwise double. */
function wholeResult(exact: bigint, left: Numeric, right: Numeric): Value {
  if (left instanceof Int32 && right instanceof Int32 && fitsInt(exact)) return new Int32(Number(exact));
  return fitsLong(exact) ? exact : Number(exact);
}

function multiply(values: Operand[]): Operand {
  let product: Numeric = new Int32(1);
  for (const value of values) {
    if (isNullish(value)) return null;
    if (!isNumeric(value)) return failCommand(14, `$multiply only supports numeric types, not ${typeName(value)}`);
    product = times(product, value);
  }
  return product;
}

function times(left: Numeric, right: Numeric): Numeric {
  if (left instanceof Decimal || right instanceof Decimal)
    return multiplyDecimals(toArithmeticDecimal(left), toArithmeticDecimal(right));
  if (isWhole(left) && isWhole(right)) {
    const exact = wholeOf(left) * wholeOf(right);
    return fitsLong(exact) ? (wholeResult(exact, left, right) as Numeric) : toDouble(left) * toDouble(right);
  }
  return toDouble(left) * toDouble(right);
}

function divide(left: Operand, right: Operand): Operand {
  if (isNumeric(left) && isNumeric(right)) {
    if (compareNumbers(right, 0) === 0) failCommand(2, "can't $divide by zero");
    if (left instanceof Decimal || right instanceof Decimal)
      return divideDecimals(toArithmeticDecimal(left), toArithmeticDecimal(right));
    return toDouble(left) / toDouble(right);
  }
  if (isNullish(left) || isNullish(right)) return null;
  return failCommand(14, `$divide only supports numeric types, not ${typeName(left)} and ${typeName(right)}`);
}

function mod(left: Operand, right: Operand): Operand {
  if (isNumeric(left) && isNumeric(right)) {
    if (compareNumbers(right, 0) === 0) failCommand(16610, "can't $mod by zero");
    if (left instanceof Decimal || right instanceof Decimal)
      return remainderOfDecimals(toArithmeticDecimal(left), toArithmeticDecimal(right));
    const divisor =
      typeof right === 'number' && Number.isInteger(right) && fitsInt(BigInt(right)) ? new Int32(right) : right;
    if (isWhole(left) && isWhole(divisor)) {
      const exact = wholeOf(left) % wholeOf(divisor);
      return left instanceof Int32 && divisor instanceof Int32 ? new Int32(Number(exact)) : exact;
    }
    return toDouble(left) % toDouble(right);
  }
  if (isNullish(left) || isNullish(right)) return null;
  return failCommand(16611, `$mod only supports numeric types, not ${typeName(left)} and ${typeName(right)}`);
}

/** One-argument operators that keep the kind of their number. */
function sameKind(
  whole: (value: bigint) => bigint,
  double: (value: number) => number,
  decimal: (value: Decimal) => Decimal,
): Builder {
  return unary((value, name) => {
    if (isNullish(value)) return null;
    if (!isNumeric(value)) return failCommand(28765, `${name} only supports numeric types, not ${typeName(value)}`);
    if (typeof value === 'number') return double(value);
    if (value instanceof Decimal) return decimal(value);
    if (value instanceof Int32) return narrowest(whole(BigInt(value.value))) ?? value;
    if (name === '$abs' && value === longMin) return failCommand(28680, "can't take $abs of long long min");
    return whole(value);
  });
}

/** `$round` and `$trunc` with an optional place from -20 to 100. */
function rounding(mode: Rounding): Builder {
  return variadic(
    ([value, place], name) => {
      if (isNullish(value)) return null;
      if (!isNumeric(value)) return failCommand(51081, `${name} only supports numeric types, not ${typeName(value)}`);
      if (place === null || place === undefined) {
        if (place === null) return null;
        return roundTo(value, 0, mode);
      }
      return roundTo(value, placeOf(place, name), mode);
    },
    1,
    2,
  );
}

function placeOf(place: Value, name: string): number {
  if (!isNumeric(place)) return failCommand(16004, `can't convert from BSON type ${typeName(place)} to long`);
  const whole = toInteger(place);
  if (whole === undefined) return failCommand(51082, `invalid conversion to integer in ${name}`);
  if (whole < -20n || whole > 100n)
    failCommand(51083, `cannot apply ${name} with precision value ${whole} value must be in [-20, 100]`);
  return Number(whole);
}

function roundTo(value: Numeric, place: number, mode: Rounding): Value {
  if (value instanceof Decimal) return quantize(value, place, mode);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return value;
    const rounded = quantize(Decimal.fromDoubleExact(value), place, mode);
    return rounded.kind === 'nan' ? value : rounded.toNumber();
  }
  if (place >= 0) return value;
  const rounded = truncateToInteger(quantize(Decimal.fromBigInt(wholeOf(value)), place, mode)) as bigint;
  if (value instanceof Int32) return narrowest(rounded) ?? value;
  return fitsLong(rounded) ? rounded : failCommand(51080, 'invalid conversion of a rounded value to long');
}

export const arithmeticOperators: Record<string, Builder> = {
  $add: variadic(add),
  $subtract: binary(subtract),
  $multiply: variadic(multiply),
  $divide: binary(divide),
  $mod: binary(mod),
  $abs: sameKind(
    (value) => (value < 0n ? -value : value),
    Math.abs,
    (value) => value.abs(),
  ),
  $ceil: sameKind(
    (value) => value,
    Math.ceil,
    (value) => quantizeWhole(value, 'ceil'),
  ),
  $floor: sameKind(
    (value) => value,
    Math.floor,
    (value) => quantizeWhole(value, 'floor'),
  ),
  $round: rounding('halfEven'),
  $trunc: rounding('down'),
};

/** Infinity and numbers with more than 34 digits have no whole form in decimal128 and give NaN, as on the server. */
const quantizeWhole = (value: Decimal, mode: Rounding): Decimal =>
  value.kind === 'finite' ? quantize(value, 0, mode) : Decimal.NAN;
