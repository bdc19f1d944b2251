/**
 * One text per value: keys sorted at every level, no blanks. Fingerprints and payload digests use it, so two requests
 * with the same fields in a different order are the same request.
 */
import { createHash } from 'node:crypto';

/** Canonical text of plain JSON data. `undefined` members are left out; non-finite numbers are refused. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('a number that is not finite has no JSON form');
    return JSON.stringify(value);
  }
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  throw new TypeError(`a ${typeof value} has no JSON form`);
}

/** SHA-256 of a text, in lower-case hexadecimal (64 characters). */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** SHA-256 of the canonical text of a value. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
