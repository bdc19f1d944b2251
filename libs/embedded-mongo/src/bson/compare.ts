/**
 * MongoDB's total order over BSON values. Numbers of all kinds compare by their exact value, strings by UTF-8 bytes,
 * documents field by field (type, then name, then value). Equality is "compares as 0", so 1, 1.0 and decimal 1 are equal.
 */
import { compareNumbers, isNumeric } from './numbers';
import { rankOf, typeRank } from './type-names';
import type { Doc, Value, Binary, ObjectId, Timestamp } from './values';
import { BsonDate, BsonSymbol, Code, DbPointer, Int32, minKey, Regex, undefinedValue } from './values';

const sign = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Orders strings by their UTF-8 bytes, which is code point order and differs from JavaScript beyond the BMP. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) {
      const leftHigh = left >= 0xd800 && left <= 0xdfff;
      const rightHigh = right >= 0xd800 && right <= 0xdfff;
      if (leftHigh !== rightHigh) return leftHigh ? 1 : -1;
      return left - right;
    }
  }
  return a.length - b.length;
}

/** Negative, zero or positive as `a` sorts before, with or after `b`. */
export function compareValues(a: Value, b: Value): number {
  if (a === b) return 0;
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (a instanceof Int32 && b instanceof Int32) return a.value - b.value;
  if (a instanceof BsonDate && b instanceof BsonDate) return sign(a.ms, b.ms);
  const left = rankOf(a);
  const right = rankOf(b);
  if (left !== right) return left - right;
  return compareSameRank(left, a, b);
}

/** The total order including missing values, which equal BSON undefined. */
export function compareOptional(a: Value | undefined, b: Value | undefined): number {
  if (a === undefined || b === undefined) {
    if (a === b) return 0;
    const known = (a ?? b) as Value;
    const order = known === minKey ? 1 : known === undefinedValue ? 0 : -1;
    return a === undefined ? order : -order;
  }
  return compareValues(a, b);
}

function compareSameRank(rank: number, a: Value, b: Value): number {
  switch (rank) {
    case typeRank.number:
      return isNumeric(a) && isNumeric(b) ? compareNumbers(a, b) : 0;
    case typeRank.string:
      return compareStrings(textOf(a), textOf(b));
    case typeRank.object:
      return compareDocs(a as Doc, b as Doc);
    case typeRank.array:
      return compareArrays(a as Value[], b as Value[]);
    case typeRank.binData:
      return compareBinaries(a as Binary, b as Binary);
    case typeRank.objectId:
      return sign1((a as ObjectId).hex, (b as ObjectId).hex);
    case typeRank.bool:
      return Number(a) - Number(b);
    case typeRank.date:
      return sign((a as BsonDate).ms, (b as BsonDate).ms);
    case typeRank.timestamp:
      return sign((a as Timestamp).bits, (b as Timestamp).bits);
    default:
      return compareRare(a, b);
  }
}

function compareRare(a: Value, b: Value): number {
  if (a instanceof Regex && b instanceof Regex) {
    return compareStrings(a.pattern, b.pattern) || compareStrings(a.options, b.options);
  }
  if (a instanceof Code && b instanceof Code) {
    return compareStrings(a.code, b.code) || (a.scope && b.scope ? compareDocs(a.scope, b.scope) : 0);
  }
  if (a instanceof DbPointer && b instanceof DbPointer) {
    const byLength = Buffer.byteLength(a.namespace) - Buffer.byteLength(b.namespace);
    return byLength || compareStrings(a.namespace, b.namespace) || sign1(a.id.hex, b.id.hex);
  }
  return 0;
}

const sign1 = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const textOf = (value: Value): string => (value instanceof BsonSymbol ? value.text : (value as string));

function compareBinaries(a: Binary, b: Binary): number {
  return a.bytes.length - b.bytes.length || a.subtype - b.subtype || Buffer.compare(a.bytes, b.bytes);
}

function compareArrays(a: Value[], b: Value[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const order = compareValues(a[index] as Value, b[index] as Value);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareDocs(a: Doc, b: Doc): number {
  const right = b.entries();
  for (const [name, value] of a) {
    const next = right.next();
    if (next.done) return 1;
    const [otherName, otherValue] = next.value;
    const order =
      rankOf(value) - rankOf(otherValue) || compareStrings(name, otherName) || compareValues(value, otherValue);
    if (order !== 0) return order;
  }
  return right.next().done ? 0 : -1;
}

/** True when both values have the same types, field orders and bits; an update with such a result changes nothing. */
export function identicalValues(a: Value, b: Value): boolean {
  if (a === b) return typeof a !== 'number' || Object.is(a, b);
  if (typeof a === 'number' && typeof b === 'number') return Object.is(a, b);
  if (a instanceof Map && b instanceof Map) return identicalDocs(a, b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, index) => identicalValues(element, b[index] as Value));
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  return a.constructor === b.constructor && compareValues(a, b) === 0 && String(a) === String(b);
}

function identicalDocs(a: Doc, b: Doc): boolean {
  if (a.size !== b.size) return false;
  const right = b.entries();
  for (const [name, value] of a) {
    const [otherName, otherValue] = right.next().value as [string, Value];
    if (name !== otherName || !identicalValues(value, otherValue)) return false;
  }
  return true;
}
