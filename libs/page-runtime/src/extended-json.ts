/**
 * Pipelines and plans in a form that people and JSON can read: dates, infinities and BSON numbers in MongoDB's extended
 * JSON.
 */

/** A copy that JSON can represent without loss. Unknown classes become their text. */
export function extendedJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $numberDouble: String(value) };
  if (typeof value === 'bigint') return { $numberLong: String(value) };
  if (value instanceof Date) return { $date: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (Array.isArray(value)) return value.map(extendedJson);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    return '_bsontype' in value && value._bsontype === 'Long' ? { $numberLong: String(value) } : String(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, extendedJson(inner)]));
}
