/**
 * Writes the value model as BSON into one growing buffer. Sizes are filled in afterwards, so each byte is written once.
 */
import { CommandError } from '../errors';
import { Decimal } from './decimal';
import type { Doc, Value } from './values';
import {
  Binary,
  BsonDate,
  BsonSymbol,
  Code,
  DbPointer,
  EncodedDoc,
  Int32,
  maxKey,
  ObjectId,
  Regex,
  Timestamp,
  undefinedValue,
} from './values';

/** The greatest nesting of a message. */
const maxMessageNesting = 250;
/** The greatest nesting below the document itself that MongoDB stores; deeper documents are refused with code 15. */
export const maxStoredNesting = 179;

/** Encodes one document. Throws code 15 when it nests deeper than MongoDB allows. */
export function encodeDoc(document: Doc, maxNesting = maxMessageNesting): Buffer {
  return encodeAfter(0, document, maxNesting);
}

/** Encodes one document after `space` bytes that the caller fills. */
export function encodeAfter(space: number, document: Doc, maxNesting = maxMessageNesting): Buffer {
  const writer = new Writer(maxNesting);
  writer.skip(space);
  writer.document(document, 0);
  return writer.result();
}

/** Texts up to this length are written character by character, which is faster than a call to the runtime. */
const shortText = 40;

let scratch = Buffer.allocUnsafe(64 * 1024);

class Writer {
  private buffer = scratch;
  private at = 0;

  constructor(private readonly maxNesting: number) {}

  result(): Buffer {
    const copy = Buffer.allocUnsafe(this.at);
    this.buffer.copy(copy, 0, 0, this.at);
    if (this.buffer.length > scratch.length && this.buffer.length <= 1024 * 1024) scratch = this.buffer;
    return copy;
  }

  private reserve(bytes: number): number {
    const start = this.at;
    this.at += bytes;
    if (this.at > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at));
      this.buffer.copy(larger, 0, 0, start);
      this.buffer = larger;
    }
    return start;
  }

  private int32(value: number): void {
    const at = this.reserve(4);
    this.buffer.writeInt32LE(value, at);
  }

  private byte(value: number): void {
    const at = this.reserve(1);
    this.buffer[at] = value;
  }

  skip(bytes: number): void {
    this.reserve(bytes);
  }

  /**
   * Writes a short text with one byte per character and its terminator; returns false, and writes nothing, for others.
   */
  private shortText(text: string): boolean {
    const { length } = text;
    if (length > shortText) return false;
    const start = this.reserve(length + 1);
    const { buffer } = this;
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 127) {
        this.at = start;
        return false;
      }
      buffer[start + index] = code;
    }
    buffer[start + length] = 0;
    return true;
  }

  private cstring(text: string): void {
    if (this.shortText(text)) return;
    const bytes = Buffer.byteLength(text);
    const at = this.reserve(bytes + 1);
    this.buffer.write(text, at);
    this.buffer[at + bytes] = 0;
  }

  private string(text: string): void {
    const at = this.reserve(4);
    if (this.shortText(text)) {
      this.buffer.writeInt32LE(text.length + 1, at);
      return;
    }
    this.at = at;
    const bytes = Buffer.byteLength(text);
    this.int32(bytes + 1);
    this.cstring(text);
  }

  private hex(text: string): void {
    const at = this.reserve(text.length / 2);
    this.buffer.write(text, at, 'hex');
  }

  document(document: Doc, depth: number): void {
    const start = this.open(depth);
    for (const [name, value] of document) this.element(name, value, depth);
    this.close(start);
  }

  private array(values: readonly Value[], depth: number): void {
    const start = this.open(depth);
    for (let index = 0; index < values.length; index += 1) this.element(String(index), values[index] as Value, depth);
    this.close(start);
  }

  private open(depth: number): number {
    if (depth > this.maxNesting) throw new CommandError(15, `cannot nest deeper than ${this.maxNesting} levels`);
    return this.reserve(4);
  }

  private close(start: number): void {
    this.byte(0);
    this.buffer.writeInt32LE(this.at - start, start);
  }

  private element(name: string, value: Value, depth: number): void {
    const at = this.reserve(1);
    this.cstring(name);
    const type = this.value(value, depth);
    this.buffer[at] = type;
  }

  private value(value: Value, depth: number): number {
    if (typeof value === 'string') {
      this.string(value);
      return 0x02;
    }
    if (typeof value === 'number') {
      const at = this.reserve(8);
      this.buffer.writeDoubleLE(value, at);
      return 0x01;
    }
    if (value === null) return 0x0a;
    if (typeof value === 'boolean') {
      this.byte(value ? 1 : 0);
      return 0x08;
    }
    if (typeof value === 'bigint') {
      const at = this.reserve(8);
      this.buffer.writeBigInt64LE(value, at);
      return 0x12;
    }
    return this.object(value, depth);
  }

  private object(value: Exclude<Value, null | string | number | boolean | bigint>, depth: number): number {
    if (value instanceof Int32) {
      this.int32(value.value);
      return 0x10;
    }
    if (value instanceof Map) {
      this.document(value, depth + 1);
      return 0x03;
    }
    if (value instanceof EncodedDoc) {
      const at = this.reserve(value.bytes.length);
      value.bytes.copy(this.buffer, at);
      return 0x03;
    }
    if (Array.isArray(value)) {
      this.array(value, depth + 1);
      return 0x04;
    }
    if (value instanceof ObjectId) {
      this.hex(value.hex);
      return 0x07;
    }
    if (value instanceof BsonDate) {
      const at = this.reserve(8);
      this.buffer.writeBigInt64LE(value.ms, at);
      return 0x09;
    }
    return this.rare(value, depth);
  }

  private rare(
    value: Decimal | Binary | Regex | Timestamp | Code | BsonSymbol | DbPointer | object,
    depth: number,
  ): number {
    if (value instanceof Decimal) {
      const at = this.reserve(16);
      value.writeTo(this.buffer, at);
      return 0x13;
    }
    if (value instanceof Binary) {
      this.int32(value.bytes.length);
      this.byte(value.subtype);
      const at = this.reserve(value.bytes.length);
      value.bytes.copy(this.buffer, at);
      return 0x05;
    }
    if (value instanceof Regex) {
      this.cstring(value.pattern);
      this.cstring(value.options);
      return 0x0b;
    }
    if (value instanceof Timestamp) {
      const at = this.reserve(8);
      this.buffer.writeBigUInt64LE(value.bits, at);
      return 0x11;
    }
    if (value instanceof BsonSymbol) {
      this.string(value.text);
      return 0x0e;
    }
    if (value instanceof DbPointer) {
      this.string(value.namespace);
      this.hex(value.id.hex);
      return 0x0c;
    }
    if (value instanceof Code) return this.code(value, depth);
    return value === undefinedValue ? 0x06 : value === maxKey ? 0x7f : 0xff;
  }

  private code(value: Code, depth: number): number {
    if (!value.scope) {
      this.string(value.code);
      return 0x0d;
    }
    const start = this.reserve(4);
    this.string(value.code);
    this.document(value.scope, depth + 1);
    this.buffer.writeInt32LE(this.at - start, start);
    return 0x0f;
  }
}
