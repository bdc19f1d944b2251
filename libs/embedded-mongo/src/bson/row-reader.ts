/**
 * Reads some fields of stored documents, and refuses a document at the first field that a condition does not accept.
 * Documents of one collection usually have their fields in one order: the name that is expected at a place is
 * recognised by comparing words, and the value is read or skipped without decoding the name.
 */
import { decodeValue, docLength, invalid } from './decode';
import type { Doc, Value } from './values';
import { BsonDate, Int32 } from './values';

export interface Condition {
  test(value: Value | undefined): boolean;
  /** Set when the condition only tests for equality with this text. */
  readonly text?: { readonly bytes: Buffer; readonly accepted: boolean };
}

/** A top-level field. */
export interface WantedField {
  readonly name: string;
  /** Whether its value is stored in the row. */
  readonly keep: boolean;
  readonly conditions: readonly Condition[];
}

/**
 * Fills the row, which may have been used for another document; false for a document that is refused, and then the
 * row's content is undefined.
 */
export type ReadRow = (bytes: Buffer, row: Doc) => boolean;

/**
 * For bytes that were decoded completely once, when they were received. The reader throws code 22 when they are
 * malformed.
 */
export function createRowReader(wanted: readonly WantedField[]): ReadRow {
  const names = createNames(wanted.map(({ name }) => name));
  const fields = wanted.map(readyField);
  const found = fields.map(() => 0);
  let documents = 0;
  return (bytes, row) => {
    const end = docLength(bytes, 0, bytes.length);
    const view = viewOf(bytes);
    const base = bytes.byteOffset;
    documents += 1;
    let left = fields.length;
    let at = 4;
    for (let place = 0; left > 0; place += 1) {
      const type = bytes[at] as number;
      if (type === 0) break;
      const name = names.at(place, bytes, view, at + 1, end);
      at += 1 + name.length;
      const fixed = fixedBytes[type] as number;
      const size = fixed === varies ? sizeOf(type, bytes, view, base, at, end) : fixed;
      if (at + size >= end) throw invalid('value exceeds its document');
      if (name.wanted >= 0) {
        const field = fields[name.wanted] as ReadyField;
        if (!readField(field, type, bytes, view, at, size, row)) return false;
        found[name.wanted] = documents;
        left -= 1;
      }
      at += size;
    }
    return left === 0 || leaveOut(fields, found, documents, row);
  };
}

/** Handles fields that the document lacks: false when a condition needs one. */
function leaveOut(fields: readonly ReadyField[], found: readonly number[], document: number, row: Doc): boolean {
  for (let index = 0; index < fields.length; index += 1) {
    if (found[index] === document) continue;
    const { name, keep, conditions } = fields[index] as ReadyField;
    if (keep) row.delete(name);
    if (!conditions.every((condition) => condition.test(undefined))) return false;
  }
  return true;
}

interface ReadyCondition extends Condition {
  /** The text of the condition with the byte that ends it, compared by words as a name is. */
  readonly words: Name | undefined;
  readonly accepted: boolean;
}

interface ReadyField extends WantedField {
  readonly conditions: readonly ReadyCondition[];
}

function readyField(field: WantedField): ReadyField {
  const conditions = field.conditions.map((condition): ReadyCondition => {
    const { text } = condition;
    const words = text && nameOf(Buffer.concat([text.bytes, Buffer.alloc(1)]), -1);
    return { ...condition, words, accepted: text?.accepted ?? true };
  });
  return { ...field, conditions };
}

function readField(
  { name, keep, conditions }: ReadyField,
  type: number,
  bytes: Buffer,
  view: DataView,
  at: number,
  size: number,
  row: Doc,
): boolean {
  let value: Value | undefined;
  for (const condition of conditions) {
    const { words } = condition;
    if (type === 0x02 && words) {
      const same = size === words.length + 4 && isName(words, bytes, view, at + 4, bytes.length);
      if (same !== condition.accepted) return false;
      continue;
    }
    value ??= valueOf(type, bytes, view, at, size);
    if (!condition.test(value)) return false;
  }
  if (keep) row.set(name, value === undefined ? valueOf(type, bytes, view, at, size) : value);
  return true;
}

function valueOf(type: number, bytes: Buffer, view: DataView, at: number, size: number): Value {
  const place = bytes.byteOffset + at;
  switch (type) {
    case 0x01:
      return view.getFloat64(place, true);
    case 0x02:
      return textAt(bytes, at + 4, at + size - 1) ?? decodeValue(bytes, type, at, bytes.length).value;
    case 0x09:
      return new BsonDate(view.getBigInt64(place, true));
    case 0x10:
      return new Int32(view.getInt32(place, true));
    default:
      return decodeValue(bytes, type, at, bytes.length).value;
  }
}

let lastBytes: Buffer = Buffer.alloc(0);
let lastView: DataView = new DataView(lastBytes.buffer);

/** The engine reuses a few buffers, so their views are cached; the same object is recognised fastest. */
function viewOf(bytes: Buffer): DataView {
  if (lastBytes === bytes) return lastView;
  if (lastView.buffer !== bytes.buffer) lastView = new DataView(bytes.buffer);
  lastBytes = bytes;
  return lastView;
}

/** Of a type whose values differ in length. */
const varies = 255;

/** Bytes of the values of each type. */
const fixedBytes = new Uint8Array(256).fill(varies);
for (const [type, size] of [
  [0x01, 8],
  [0x06, 0],
  [0x07, 12],
  [0x08, 1],
  [0x09, 8],
  [0x0a, 0],
  [0x10, 4],
  [0x11, 8],
  [0x12, 8],
  [0x13, 16],
  [0x7f, 0],
  [0xff, 0],
] as const)
  fixedBytes[type] = size;

/** Bytes of a value of a type that varies. */
function sizeOf(type: number, bytes: Buffer, view: DataView, base: number, at: number, end: number): number {
  if (type === 0x02 || type === 0x03 || type === 0x04 || type === 0x0d || type === 0x0e) {
    if (at + 4 > end) throw invalid('value exceeds its document');
    const length = view.getInt32(base + at, true);
    const size = type === 0x03 || type === 0x04 ? length : length + 4;
    if (size < 5) throw invalid('value length');
    return size;
  }
  return decodeValue(bytes, type, at, end).end - at;
}

/**
 * Short ASCII texts repeat often, such as names of states and kinds: a text that was read before is recognised by its
 * bytes.
 */
const textSlots = 1_024;
const longestKnown = 24;
const knownTexts = Array.from({ length: textSlots }, () => '');

function textAt(bytes: Buffer, start: number, end: number): string | undefined {
  if (end - start > longestKnown) return undefined;
  let hash = 0;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  const slot = hash & (textSlots - 1);
  const known = knownTexts[slot] as string;
  if (known.length === end - start && isAscii(known, bytes, start)) return known;
  for (let at = start; at < end; at += 1) if ((bytes[at] as number) > 0x7f) return undefined;
  return (knownTexts[slot] = bytes.toString('latin1', start, end));
}

function isAscii(text: string, bytes: Buffer, start: number): boolean {
  for (let index = 0; index < text.length; index += 1)
    if (text.charCodeAt(index) !== bytes[start + index]) return false;
  return true;
}

const maxNames = 1_000;
const wordBytes = 4;

interface Name {
  /** With the byte that ends it, which `length` counts too. */
  readonly bytes: Buffer;
  readonly length: number;
  /** The words of four bytes at both ends, which cover a name of four to eight bytes; a shorter one has none. */
  readonly first: number;
  readonly last: number;
  /** Position among the wanted fields, or -1. */
  readonly wanted: number;
}

/**
 * Names by their place in a document, two for each place: a field that some documents lack moves the fields behind it.
 */
function createNames(wanted: readonly string[]) {
  const known = new Map<string, Name>();
  const expected: Name[] = [];
  const before: Name[] = [];
  const learn = (bytes: Buffer, start: number, end: number): Name => {
    const stop = bytes.indexOf(0, start);
    if (stop < 0 || stop >= end) throw invalid('unterminated name');
    const text = bytes.toString('utf8', start, stop);
    const name = known.get(text) ?? nameOf(Buffer.from(bytes.subarray(start, stop + 1)), wanted.indexOf(text));
    if (known.size < maxNames) known.set(text, name);
    return name;
  };
  return {
    /** The name of the document's field at this place. */
    at(place: number, bytes: Buffer, view: DataView, start: number, end: number): Name {
      const guess = expected[place];
      if (guess && isName(guess, bytes, view, start, end)) return guess;
      const second = before[place];
      const name = second && isName(second, bytes, view, start, end) ? second : learn(bytes, start, end);
      if (place >= maxNames) return name;
      if (guess) before[place] = guess;
      return (expected[place] = name);
    },
  };
}

function nameOf(bytes: Buffer, wanted: number): Name {
  const { length } = bytes;
  const whole = length >= wordBytes;
  return {
    bytes,
    length,
    first: whole ? bytes.readInt32LE(0) : 0,
    last: whole ? bytes.readInt32LE(length - wordBytes) : 0,
    wanted,
  };
}

function isName(name: Name, bytes: Buffer, view: DataView, start: number, end: number): boolean {
  const { length } = name;
  if (start + length >= end) return false;
  if (length < wordBytes) return areBytes(name.bytes, bytes, start, 0, length);
  const base = bytes.byteOffset + start;
  if (view.getInt32(base, true) !== name.first || view.getInt32(base + length - wordBytes, true) !== name.last)
    return false;
  return length <= 2 * wordBytes || areBytes(name.bytes, bytes, start, wordBytes, length - wordBytes);
}

function areBytes(own: Buffer, bytes: Buffer, start: number, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if (own[index] !== bytes[start + index]) return false;
  return true;
}
