/**
 * IEEE 754-2008 decimal128 as MongoDB stores and computes it: 34 digits, exponents -6176 to 6111, round half to even.
 * All arithmetic uses exact integers, so no result depends on binary floating point.
 */
export type DecimalKind = 'finite' | 'nan' | 'infinity';

const maxDigits = 34;
const minExponent = -6176;
const maxExponent = 6111;
const exponentBias = 6176n;
const mask113 = (1n << 113n) - 1n;

const powers: bigint[] = [1n];
/** Ten to the given power, cached. */
export function pow10(exponent: number): bigint {
  while (powers.length <= exponent && powers.length < 400) powers.push((powers[powers.length - 1] as bigint) * 10n);
  return powers[exponent] ?? 10n ** BigInt(exponent);
}

export const digitCount = (value: bigint): number => (value === 0n ? 1 : value.toString().length);

export class Decimal {
  private constructor(
    readonly kind: DecimalKind,
    readonly negative: boolean,
    readonly coefficient: bigint,
    readonly exponent: number,
  ) {}

  static readonly NAN = new Decimal('nan', false, 0n, 0);
  static readonly INFINITY = new Decimal('infinity', false, 0n, 0);
  static readonly NEGATIVE_INFINITY = new Decimal('infinity', true, 0n, 0);
  static readonly ZERO = new Decimal('finite', false, 0n, 0);

  /** A finite number, rounded half to even to 34 digits; overflow gives infinity, underflow zero. */
  static finite(negative: boolean, coefficient: bigint, exponent: number): Decimal {
    let digits = coefficient;
    let power = exponent;
    const drop = Math.max(digitCount(digits) - maxDigits, minExponent - power, 0);
    if (drop > 0) {
      digits = roundAway(digits, drop);
      power += drop;
      if (digitCount(digits) > maxDigits) {
        digits /= 10n;
        power += 1;
      }
    }
    if (power > maxExponent) {
      if (digits === 0n) return new Decimal('finite', negative, 0n, maxExponent);
      const pad = power - maxExponent;
      if (digitCount(digits) + pad > maxDigits) return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
      digits *= pow10(pad);
      power = maxExponent;
    }
    return new Decimal('finite', negative, digits, power);
  }

  static fromBigInt(value: bigint): Decimal {
    return Decimal.finite(value < 0n, value < 0n ? -value : value, 0);
  }

  /** Reads decimal text ("1.50", "-1E+3", "NaN", "Infinity"); undefined when it is not a number. */
  static parse(text: string): Decimal | undefined {
    const match = /^([+-]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:[eE]([+-]?\d+))?$/.exec(text);
    if (!match) {
      const special = /^([+-]?)(nan|inf|infinity)$/i.exec(text);
      if (!special) return undefined;
      if ((special[2] as string).toLowerCase() === 'nan') return Decimal.NAN;
      return special[1] === '-' ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
    }
    const fraction = match[3] ?? match[4] ?? '';
    const exponent = Number(match[5] ?? '0') - fraction.length;
    return Decimal.finite(match[1] === '-', BigInt((match[2] ?? '') + fraction), clampExponent(exponent));
  }

  /** The double as its exact value, rounded to 34 digits. */
  static fromDoubleExact(value: number): Decimal {
    if (Number.isNaN(value)) return Decimal.NAN;
    if (!Number.isFinite(value)) return value < 0 ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
    if (value === 0) return Decimal.finite(Object.is(value, -0), 0n, 0);
    const { mantissa, exponent } = splitDouble(value);
    const negative = value < 0 || Object.is(value, -0);
    let magnitude = mantissa < 0n ? -mantissa : mantissa;
    if (exponent >= 0) return Decimal.finite(negative, magnitude << BigInt(exponent), 0);
    let places = -exponent;
    while (places > 0 && magnitude % 2n === 0n) {
      magnitude /= 2n;
      places -= 1;
    }
    return Decimal.finite(negative, magnitude * 5n ** BigInt(places), -places);
  }

  /** The double with 15 significant digits, as the server's `$toDecimal` and mixed arithmetic read it. */
  static fromDouble15(value: number): Decimal {
    if (!Number.isFinite(value) || value === 0) return Decimal.fromDoubleExact(value);
    return Decimal.parse(value.toExponential(14)) as Decimal;
  }

  static fromBytes(buffer: Buffer, offset: number): Decimal {
    const low = buffer.readBigUInt64LE(offset);
    const high = buffer.readBigUInt64LE(offset + 8);
    const negative = high >> 63n === 1n;
    const combination = Number((high >> 58n) & 31n);
    if (combination === 31) return Decimal.NAN;
    if (combination === 30) return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
    if (combination >= 24) {
      return new Decimal('finite', negative, 0n, Number((high >> 47n) & 16383n) - Number(exponentBias));
    }
    const coefficient = ((high << 64n) | low) & mask113;
    const exponent = Number((high >> 49n) & 16383n) - Number(exponentBias);
    return new Decimal('finite', negative, coefficient >= pow10(maxDigits) ? 0n : coefficient, exponent);
  }

  writeTo(buffer: Buffer, offset: number): void {
    let high = this.negative ? 1n << 63n : 0n;
    let low = 0n;
    if (this.kind === 'nan') high = 31n << 58n;
    else if (this.kind === 'infinity') high |= 30n << 58n;
    else {
      low = this.coefficient & 0xffffffffffffffffn;
      high |= (this.coefficient >> 64n) | (BigInt(this.exponent + Number(exponentBias)) << 49n);
    }
    buffer.writeBigUInt64LE(low, offset);
    buffer.writeBigUInt64LE(high, offset + 8);
  }

  isZero(): boolean {
    return this.kind === 'finite' && this.coefficient === 0n;
  }

  toNumber(): number {
    if (this.kind === 'nan') return NaN;
    if (this.kind === 'infinity') return this.negative ? -Infinity : Infinity;
    return Number(`${this.negative ? '-' : ''}${this.coefficient}e${this.exponent}`);
  }

  /** Scientific or plain notation, as the BSON specification of decimal128 prescribes. */
  toString(): string {
    const sign = this.negative ? '-' : '';
    if (this.kind === 'nan') return 'NaN';
    if (this.kind === 'infinity') return `${sign}Infinity`;
    const digits = this.coefficient.toString();
    const adjusted = this.exponent + digits.length - 1;
    if (this.exponent > 0 || adjusted < -6) {
      const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
      return `${sign}${digits[0]}${fraction}E${adjusted < 0 ? '-' : '+'}${Math.abs(adjusted)}`;
    }
    if (this.exponent === 0) return sign + digits;
    const padded = digits.padStart(1 - this.exponent, '0');
    return `${sign}${padded.slice(0, this.exponent)}.${padded.slice(this.exponent)}`;
  }

  negate(): Decimal {
    return this.kind === 'nan' ? this : new Decimal(this.kind, !this.negative, this.coefficient, this.exponent);
  }

  abs(): Decimal {
    return this.negative ? this.negate() : this;
  }
}

const clampExponent = (exponent: number): number => Math.max(-20000, Math.min(20000, exponent));

/** The double as mantissa × 2^exponent, exactly. */
export function splitDouble(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const raw = Number((bits >> 52n) & 2047n);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = raw === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: bits >> 63n ? -mantissa : mantissa, exponent: (raw === 0 ? 1 : raw) - 1075 };
}

/** Drops decimal digits, rounding half to even. */
function roundAway(value: bigint, drop: number): bigint {
  const divisor = pow10(drop);
  const quotient = value / divisor;
  const twice = (value % divisor) * 2n;
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient;
}
