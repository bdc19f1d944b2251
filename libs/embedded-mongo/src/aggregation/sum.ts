/**
 * Running totals with MongoDB's rules: whole numbers exactly, doubles with a compensation term, decimals separately.
 * The result has the widest kind seen; a whole total beyond 64 bits becomes a double.
 */
import { Decimal } from '../bson/decimal';
import { addDecimals, divideDecimals } from '../bson/decimal-arithmetic';
import type { Numeric } from '../bson/numbers';
import { fitsInt, fitsLong } from '../bson/numbers';
import type { Value } from '../bson/values';
import { Int32 } from '../bson/values';

const kinds = { int: 0, long: 1, double: 2, decimal: 3 } as const;

/** Sums up to this value, plus one int, are exact as doubles. */
const maxSmall = 2 ** 52;

export class Total {
  private kind: number = kinds.int;
  private whole = 0n;
  /** Whole numbers that were not added to `whole` yet: adding small ones as doubles is exact and much faster. */
  private small = 0;
  private sum = 0;
  private compensation = 0;
  private special = 0;
  private decimal = Decimal.ZERO;

  add(value: Numeric): void {
    if (typeof value === 'number') {
      this.kind = Math.max(this.kind, kinds.double);
      this.addDouble(value);
    } else if (value instanceof Int32) {
      this.small += value.value;
      if (this.small > maxSmall || this.small < -maxSmall) this.settle();
      this.addDouble(value.value);
    } else if (typeof value === 'bigint') {
      this.kind = Math.max(this.kind, kinds.long);
      this.addWhole(value, Number(value));
    } else {
      this.kind = kinds.decimal;
      this.decimal = addDecimals(this.decimal, value);
    }
  }

  private settle(): void {
    this.whole += BigInt(this.small);
    this.small = 0;
  }

  private addWhole(exact: bigint, nearest: number): void {
    this.whole += exact;
    this.addDouble(nearest);
    const rest = exact - BigInt(nearest);
    if (rest !== 0n) this.addDouble(Number(rest));
  }

  private addDouble(value: number): void {
    this.special += value;
    const corrected = value + this.compensation;
    const total = this.sum + corrected;
    const part = total - this.sum;
    this.compensation = this.sum - (total - part) + (corrected - part);
    this.sum = total;
  }

  toNumber(): number {
    const total = this.sum + this.compensation;
    return Number.isNaN(total) ? this.special : total;
  }

  private toDecimal(): Decimal {
    if (!Number.isFinite(this.toNumber())) return addDecimals(this.decimal, Decimal.fromDoubleExact(this.toNumber()));
    const parts = addDecimals(Decimal.fromDoubleExact(this.sum), Decimal.fromDoubleExact(this.compensation));
    return addDecimals(this.decimal, parts);
  }

  result(): Value {
    if (this.kind === kinds.decimal) return this.toDecimal();
    if (this.kind === kinds.double) return this.toNumber();
    this.settle();
    if (this.kind === kinds.int && fitsInt(this.whole)) return new Int32(Number(this.whole));
    return fitsLong(this.whole) ? this.whole : this.toNumber();
  }

  average(count: number): Value {
    if (this.kind === kinds.decimal) return divideDecimals(this.toDecimal(), Decimal.fromBigInt(BigInt(count)));
    return this.toNumber() / count;
  }
}
