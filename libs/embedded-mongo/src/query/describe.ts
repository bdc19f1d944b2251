/** Values as readable text for error messages; long texts are shortened. */
import { Decimal } from '../bson/decimal';
import type { Value } from '../bson/values';
import { BsonDate, Int32, ObjectId } from '../bson/values';
import { typeName } from '../bson/type-names';

const maxText = 400;

/** For example `{ k: 1, s: "x" }`. */
export function describeValue(value: Value | undefined): string {
  const text = describe(value);
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}

function describe(value: Value | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value.slice(0, maxText));
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Int32) return String(value.value);
  if (value instanceof Decimal) return value.toString();
  if (value instanceof ObjectId) return `ObjectId('${value.hex}')`;
  if (value instanceof BsonDate) return `new Date(${value.ms})`;
  if (Array.isArray(value)) return `[ ${value.slice(0, 20).map(describe).join(', ')} ]`;
  if (value instanceof Map) {
    return `{ ${[...value]
      .slice(0, 20)
      .map(([name, field]) => `${name}: ${describe(field)}`)
      .join(', ')} }`;
  }
  return typeName(value);
}
