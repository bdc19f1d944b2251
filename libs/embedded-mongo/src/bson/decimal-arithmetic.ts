/**
 * Arithmetic on decimal128: the preferred exponents of IEEE 754 (so that 1.0 + 2.00 is 3.00), exact until the final
 * rounding to 34 digits.
 */
import { Decimal, digitCount, pow10 } from './decimal';

const signed = (value: Decimal): bigint => (value.negative ? -value.coefficient : value.coefficient);

function fromSigned(value: bigint, exponent: number, negativeZero = false): Decimal {
  return Decimal.finite(value < 0n || (value === 0n && negativeZero), value < 0n ? -value : value, exponent);
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return Decimal.NAN;
  if (a.kind === 'infinity') return b.kind === 'infinity' && a.negative !== b.negative ? Decimal.NAN : a;
  if (b.kind === 'infinity') return b;
  const exponent = Math.min(a.exponent, b.exponent);
  if (Math.abs(a.exponent - b.exponent) > 200) return addFarApart(a, b);
  const left = signed(a) * pow10(a.exponent - exponent);
  const right = signed(b) * pow10(b.exponent - exponent);
  return fromSigned(left + right, exponent, a.negative && b.negative);
}

/** Numbers whose exponents differ by hundreds: the smaller one only determines the rounding direction. */
function addFarApart(a: Decimal, b: Decimal): Decimal {
  const [large, small] = a.exponent > b.exponent ? [a, b] : [b, a];
  if (large.isZero()) return Decimal.finite(small.negative, small.coefficient, small.exponent);
  const room = 40;
  const exponent = Math.max(small.exponent, large.exponent - room);
  const tail = small.isZero() ? 0n : small.negative ? -1n : 1n;
  return fromSigned(signed(large) * pow10(large.exponent - exponent) + tail, exponent);
}

export const subtractDecimals = (a: Decimal, b: Decimal): Decimal => addDecimals(a, b.negate());

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return Decimal.NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinity' || b.kind === 'infinity') {
    if (a.isZero() || b.isZero()) return Decimal.NAN;
    return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
  }
  return Decimal.finite(negative, a.coefficient * b.coefficient, a.exponent + b.exponent);
}

export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return Decimal.NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinity') {
    if (b.kind === 'infinity') return Decimal.NAN;
    return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
  }
  if (b.kind === 'infinity') return Decimal.finite(negative, 0n, -6176);
  if (b.isZero()) {
    if (a.isZero()) return Decimal.NAN;
    return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
  }
  const preferred = a.exponent - b.exponent;
  if (a.isZero()) return Decimal.finite(negative, 0n, preferred);
  const shift = Math.max(0, 36 + digitCount(b.coefficient) - digitCount(a.coefficient));
  const scaled = a.coefficient * pow10(shift);
  let quotient = scaled / b.coefficient;
  let exponent = preferred - shift;
  if (scaled % b.coefficient !== 0n) return Decimal.finite(negative, quotient * 10n + 1n, exponent - 1);
  while (exponent < preferred && quotient % 10n === 0n) {
    quotient /= 10n;
    exponent += 1;
  }
  return Decimal.finite(negative, quotient, exponent);
}

/** The remainder of a division rounded toward zero, with the sign of the dividend. */
export function remainderOfDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan' || a.kind === 'infinity' || b.isZero()) return Decimal.NAN;
  if (b.kind === 'infinity') return a;
  const exponent = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * pow10(a.exponent - exponent);
  const right = b.coefficient * pow10(b.exponent - exponent);
  return Decimal.finite(a.negative, left % right, exponent);
}

export type Rounding = 'halfEven' | 'down' | 'floor' | 'ceil';

/**
 * Rounds to the given number of places after the point (negative: before it); the value is padded when it has fewer
 * places.
 */
export function quantize(value: Decimal, places: number, rounding: Rounding): Decimal {
  if (value.kind !== 'finite') return value;
  const target = -places;
  if (value.exponent >= target) {
    const pad = value.exponent - target;
    if (digitCount(value.coefficient) + pad > 34) return Decimal.NAN;
    return Decimal.finite(value.negative, value.coefficient * pow10(pad), target);
  }
  const divisor = pow10(target - value.exponent);
  let quotient = value.coefficient / divisor;
  const rest = value.coefficient % divisor;
  const up =
    rounding === 'halfEven'
      ? rest * 2n > divisor || (rest * 2n === divisor && quotient % 2n === 1n)
      : rest > 0n && ((rounding === 'floor' && value.negative) || (rounding === 'ceil' && !value.negative));
  if (up) quotient += 1n;
  return Decimal.finite(value.negative, quotient, target);
}
