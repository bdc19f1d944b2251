/**
 * Reads BSON bytes into the value model. Every length is checked against its surroundings, because the bytes come
 * from the network: malformed input ends in an error with MongoDB's code 22, never in a crash or an over-read.
 */
import { isUtf8 } from 'node:buffer';
import { CommandError } from '../errors';
import { Decimal } from './decimal';
import type { Doc, Value } from './values';
import {
  Binary,
  BsonDate,
  BsonSymbol,
  Code,
  DbPointer,
  Int32,
  maxKey,
  minKey,
  ObjectId,
  Regex,
  Timestamp,
  undefinedValue,
} from './values';

const maxDepth = 250;

export const invalid = (what: string): CommandError => new CommandError(22, `Invalid BSON: ${what}`);

/** Decodes the document at `offset`; `limit` is the end of the readable bytes. Throws code 22 when malformed. */
export function decodeDoc(buffer: Buffer, offset = 0, limit = buffer.length): Doc {
  return new Reader(buffer, limit).document(offset, 0);
}

/** Reads one value of a stored document, of the given type and at the given offset. Throws code 22 when malformed. */
export function decodeValue(buffer: Buffer, type: number, offset: number, end: number): { value: Value; end: number } {
  const reader = new Reader(buffer, end);
  return { value: reader.valueAt(type, offset, end), end: reader.position };
}

/** The length in bytes of the document at `offset`, checked against `limit`. */
export function docLength(buffer: Buffer, offset: number, limit: number): number {
  if (offset + 5 > limit) throw invalid('document too short');
  const length = buffer.readInt32LE(offset);
  if (length < 5 || offset + length > limit || buffer[offset + length - 1] !== 0) throw invalid('document length');
  return length;
}

/** Field names repeat often: a name that was seen before is recognised by its bytes instead of being decoded again. */
const nameSlots = 4096;
const maxKnownName = 32;
const knownNames: (string | undefined)[] = Array.from({ length: nameSlots });

class Reader {
  private at = 0;

  constructor(
    private readonly buffer: Buffer,
    private readonly limit: number,
  ) {}

  document(offset: number, depth: number): Doc {
    const end = this.enter(offset, depth);
    const result: Doc = new Map();
    let fields = 0;
    for (let type = this.type(end); type !== 0; type = this.type(end)) {
      const name = this.name(end);
      result.set(name, this.value(type, end, depth));
      fields += 1;
    }
    this.leave(end);
    if (fields !== result.size)
      throw new CommandError(238, 'documents with two fields of one name are not offered by this store');
    return result;
  }

  /** Where the next read begins. */
  get position(): number {
    return this.at;
  }

  valueAt(type: number, offset: number, end: number): Value {
    this.at = offset;
    return this.value(type, end, 0);
  }

  private array(offset: number, depth: number): Value[] {
    const end = this.enter(offset, depth);
    const result: Value[] = [];
    for (let type = this.type(end); type !== 0; type = this.type(end)) {
      while (this.at < end && this.buffer[this.at] !== 0) this.at += 1;
      this.at += 1;
      result.push(this.value(type, end, depth));
    }
    this.leave(end);
    return result;
  }

  private enter(offset: number, depth: number): number {
    if (depth > maxDepth) throw new CommandError(15, `BSONObj exceeded maximum nested object depth: ${maxDepth}`);
    const length = docLength(this.buffer, offset, this.limit);
    this.at = offset + 4;
    return offset + length;
  }

  private leave(end: number): void {
    if (this.at !== end) throw invalid('document ends early');
  }

  private type(end: number): number {
    if (this.at >= end) throw invalid('document is not terminated');
    return this.buffer[this.at++] as number;
  }

  private need(bytes: number, end: number): number {
    const start = this.at;
    if (bytes < 0 || start + bytes > end - 1) throw invalid('value exceeds its document');
    this.at = start + bytes;
    return start;
  }

  private name(end: number): string {
    const { buffer, at } = this;
    const last = Math.min(end, at + maxKnownName);
    let stop = at;
    let hash = 0;
    for (let byte = buffer[stop] as number; byte !== 0 && stop < last; byte = buffer[stop] as number) {
      hash = (Math.imul(hash, 31) + byte) | 0;
      stop += 1;
    }
    if (stop >= last) return this.cstring(end);
    const slot = hash & (nameSlots - 1);
    const known = knownNames[slot];
    if (known !== undefined && this.isText(known, stop)) {
      this.at = stop + 1;
      return known;
    }
    const text = this.cstring(end);
    // Only names with one byte per character can be compared byte by byte.
    if (text.length === stop - at) knownNames[slot] = text;
    return text;
  }

  /** Whether the bytes up to `stop` are a text with one byte per character. */
  private isText(text: string, stop: number): boolean {
    const { buffer, at } = this;
    if (text.length !== stop - at) return false;
    for (let index = 0; index < text.length; index += 1)
      if (text.charCodeAt(index) !== buffer[at + index]) return false;
    return true;
  }

  private cstring(end: number): string {
    const stop = this.buffer.indexOf(0, this.at);
    if (stop < 0 || stop >= end) throw invalid('unterminated name');
    const text = this.text(this.at, stop);
    this.at = stop + 1;
    return text;
  }

  private string(end: number): string {
    const length = this.buffer.readInt32LE(this.need(4, end));
    if (length < 1) throw invalid('string length');
    const start = this.need(length, end);
    if (this.buffer[start + length - 1] !== 0) throw invalid('unterminated string');
    return this.text(start, start + length - 1);
  }

  /** Text that is not UTF-8 could not be returned unchanged, so it is refused. */
  private text(start: number, end: number): string {
    const text = this.buffer.toString('utf8', start, end);
    if (text.includes('\ufffd') && !isUtf8(this.buffer.subarray(start, end))) throw invalid('text is not UTF-8');
    return text;
  }

  private nested(end: number): number {
    const start = this.need(4, end);
    const length = this.buffer.readInt32LE(start);
    if (length < 5 || start + length > end - 1) throw invalid('nested document length');
    return start;
  }

  private objectId(end: number): ObjectId {
    const start = this.need(12, end);
    return new ObjectId(this.buffer.toString('hex', start, start + 12));
  }

  private binary(end: number): Binary {
    const length = this.buffer.readInt32LE(this.need(4, end));
    const subtype = this.buffer[this.need(1, end)] as number;
    const start = this.need(length, end);
    return new Binary(subtype, Buffer.from(this.buffer.subarray(start, start + length)));
  }

  private codeWithScope(end: number, depth: number): Code {
    this.need(4, end);
    const code = this.string(end);
    const start = this.nested(end);
    return new Code(code, this.document(start, depth + 1));
  }

  private value(type: number, end: number, depth: number): Value {
    const buffer = this.buffer;
    switch (type) {
      case 0x01:
        return buffer.readDoubleLE(this.need(8, end));
      case 0x02:
        return this.string(end);
      case 0x03:
        return this.document(this.nested(end), depth + 1);
      case 0x04:
        return this.array(this.nested(end), depth + 1);
      case 0x05:
        return this.binary(end);
      case 0x06:
        return undefinedValue;
      case 0x07:
        return this.objectId(end);
      case 0x08:
        return buffer[this.need(1, end)] !== 0;
      case 0x09:
        return new BsonDate(buffer.readBigInt64LE(this.need(8, end)));
      case 0x0a:
        return null;
      case 0x0b:
        return new Regex(this.cstring(end), this.cstring(end));
      case 0x0c:
        return new DbPointer(this.string(end), this.objectId(end));
      case 0x0d:
        return new Code(this.string(end));
      case 0x0e:
        return new BsonSymbol(this.string(end));
      case 0x0f:
        return this.codeWithScope(end, depth);
      case 0x10:
        return new Int32(buffer.readInt32LE(this.need(4, end)));
      case 0x11:
        return new Timestamp(buffer.readBigUInt64LE(this.need(8, end)));
      case 0x12:
        return buffer.readBigInt64LE(this.need(8, end));
      case 0x13:
        return Decimal.fromBytes(buffer, this.need(16, end));
      case 0x7f:
        return maxKey;
      case 0xff:
        return minKey;
      default:
        throw invalid(`unknown type ${type}`);
    }
  }
}
