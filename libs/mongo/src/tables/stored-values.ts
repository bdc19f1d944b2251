/** Converts row values without a JavaScript type between MongoDB's extended JSON and the driver's classes. */
import { Decimal128, ObjectId } from 'mongodb';

/**
 * A copy in which `{ $oid }` and `{ $numberDecimal }` are replaced by their values. Neither is an operator of the query
 * language, so the meaning is certain. Throws what the driver's classes throw for an invalid text.
 */
export function storedValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storedValues);
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const entries = Object.entries(value);
  if (entries.length === 1) {
    const [key, text] = entries[0]!;
    if (key === '$oid' && typeof text === 'string') return ObjectId.createFromHexString(text);
    if (key === '$numberDecimal' && typeof text === 'string') return Decimal128.fromString(text);
  }
  return Object.fromEntries(entries.map(([key, inner]) => [key, storedValues(inner)]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
