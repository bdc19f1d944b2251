/**
 * Encodes values as bytes whose order (memcmp) is the BSON order, so that an ordered key-value store works as a B-tree
 * index. Numbers of all kinds share one form: the double at or just below the value and, only if that is inexact, the
 * exact decimal digits. Every form has its own end mark, so concatenated components order like tuples; equal values
 * give equal bytes.
 */
import type { Decimal } from './decimal';
import type { Numeric } from './numbers';
import { compareNumbers, isNaNValue, isNumeric, toDecimal, toDouble, toInteger } from './numbers';
import { rankOf, typeRank } from './type-names';
import type { Doc, Value, BsonDate, ObjectId, Timestamp } from './values';
import { Binary, BsonSymbol, Code, DbPointer, Int32, Regex } from './values';

/** Collects bytes of one key; descending components are written inverted. */
export class KeyWriter {
  private buffer = Buffer.allocUnsafe(256);
  private length = 0;

  private reserve(bytes: number): number {
    const start = this.length;
    this.length += bytes;
    if (this.length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length));
      this.buffer.copy(larger, 0, 0, start);
      this.buffer = larger;
    }
    return start;
  }

  /** Appends one component in ascending or descending direction. */
  component(value: Value, descending = false): this {
    const start = this.length;
    this.value(value);
    if (descending) {
      for (let index = start; index < this.length; index += 1) this.buffer[index] = ~(this.buffer[index] as number);
    }
    return this;
  }

  byte(value: number): void {
    const at = this.reserve(1);
    this.buffer[at] = value;
  }

  private value(value: Value): void {
    const rank = rankOf(value);
    this.byte(rank);
    this.payload(rank, value);
  }

  private payload(rank: number, value: Value): void {
    switch (rank) {
      case typeRank.number:
        return isNumeric(value) ? this.number(value) : undefined;
      case typeRank.string:
        return this.text(value instanceof BsonSymbol ? value.text : (value as string));
      case typeRank.object:
        return this.document(value as Doc);
      case typeRank.array:
        for (const element of value as Value[]) this.value(element);
        return this.byte(0);
      case typeRank.bool:
        return this.byte(value === true ? 1 : 0);
      case typeRank.date:
        return this.uint64(BigInt.asUintN(64, (value as BsonDate).ms) ^ (1n << 63n));
      case typeRank.timestamp:
        return this.uint64((value as Timestamp).bits);
      case typeRank.objectId:
        return this.raw(Buffer.from((value as ObjectId).hex, 'hex'));
      default:
        return this.rare(value);
    }
  }

  private rare(value: Value): void {
    if (value instanceof Binary) {
      this.uint32(value.bytes.length);
      this.byte(value.subtype);
      this.raw(value.bytes);
    } else if (value instanceof Regex) {
      this.text(value.pattern);
      this.text(value.options);
    } else if (value instanceof Code) {
      this.text(value.code);
      if (value.scope) this.document(value.scope);
    } else if (value instanceof DbPointer) {
      this.uint32(Buffer.byteLength(value.namespace));
      this.text(value.namespace);
      this.raw(Buffer.from(value.id.hex, 'hex'));
    }
  }

  private document(value: Doc): void {
    for (const [name, field] of value) {
      const rank = rankOf(field);
      this.byte(rank);
      this.text(name);
      this.payload(rank, field);
    }
    this.byte(0);
  }

  /** Zero bytes are escaped as 00 FF and the end is 00 01, which sorts before any continuation. */
  private text(value: string): void {
    const bytes = Buffer.from(value, 'utf8');
    if (bytes.includes(0)) {
      for (const byte of bytes) {
        this.byte(byte);
        if (byte === 0) this.byte(0xff);
      }
    } else {
      this.raw(bytes);
    }
    this.byte(0);
    this.byte(1);
  }

  private raw(bytes: Buffer): void {
    const at = this.reserve(bytes.length);
    bytes.copy(this.buffer, at);
  }

  private uint32(value: number): void {
    const at = this.reserve(4);
    this.buffer.writeUInt32BE(value, at);
  }

  private uint64(value: bigint): void {
    const at = this.reserve(8);
    this.buffer.writeBigUInt64BE(value, at);
  }

  private number(value: Numeric): void {
    if (isNaNValue(value)) return this.byte(0);
    this.byte(1);
    const floor = floorDouble(value);
    const at = this.reserve(8);
    this.buffer.writeDoubleBE(floor === 0 ? 0 : floor, at);
    const first = this.buffer[at] as number;
    if (first & 0x80)
      for (let index = at; index < at + 8; index += 1) this.buffer[index] = ~(this.buffer[index] as number);
    else this.buffer[at] = first | 0x80;
    if (compareNumbers(value, floor) === 0) return this.byte(0);
    this.byte(1);
    return this.exactDigits(toDecimal(value));
  }

  /** Sign, decimal exponent and digits of a number that no double holds; negative numbers are inverted. */
  private exactDigits(value: Decimal): void {
    const digits = value.coefficient.toString().replace(/0+$/, '');
    const exponent = value.exponent + value.coefficient.toString().length;
    const bytes = Buffer.allocUnsafe(3 + digits.length);
    bytes.writeUInt16BE(exponent + 0x8000, 0);
    for (let index = 0; index < digits.length; index += 1) bytes[2 + index] = digits.charCodeAt(index);
    bytes[2 + digits.length] = 0;
    if (value.negative) for (let index = 0; index < bytes.length; index += 1) bytes[index] = ~(bytes[index] as number);
    this.byte(value.negative ? 0 : 1);
    this.raw(bytes);
  }

  result(): Buffer {
    const copy = Buffer.allocUnsafe(this.length);
    this.buffer.copy(copy, 0, 0, this.length);
    return copy;
  }
}

/** The greatest double that does not exceed the value. */
function floorDouble(value: Numeric): number {
  const nearest = toDouble(value);
  return compareNumbers(nearest, value) > 0 ? nextBelow(nearest) : nearest;
}

function nextBelow(value: number): number {
  if (value === Infinity) return Number.MAX_VALUE;
  if (value === 0) return -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? -1n : 1n));
  return view.getFloat64(0);
}

/** The bytes of one value as a single ascending component. */
export const encodeValue = (value: Value): Buffer => new KeyWriter().component(value).result();

/** A string that is equal exactly for values that compare as equal; for grouping and sets. */
export function identityOf(value: Value): string {
  if (typeof value === 'string') return `s${value}`;
  if (value instanceof BsonSymbol) return `s${value.text}`;
  if (value instanceof Int32) return `n${value.value}`;
  const whole = isNumeric(value) ? toInteger(value) : undefined;
  return whole === undefined ? `b${encodeValue(value).toString('latin1')}` : `n${whole}`;
}
