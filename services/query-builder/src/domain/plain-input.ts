/**
 * Copies untrusted parameters into plain data before any check: getters run only once, and prototypes, keys with a
 * meaning in the language and deep nesting are refused.
 */
import type { Issue } from '@platform/builder';

export const maxDepth = 6;
export const maxValues = 2_000;
export const maxTextCharacters = 10_000;

export interface PlainCopy {
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

/**
 * A copy of JSON-like data; any other value is reported by its pointer. Expressions (`$expr`) are refused at any depth.
 */
export function plainCopy(value: unknown, pointer: string): PlainCopy {
  const issues: Issue[] = [];
  let values = 0;
  const addIssue = (at: string, message: string): undefined => void issues.push({ pointer: at, message });

  const copy = (current: unknown, at: string, depth: number): unknown => {
    values += 1;
    if (values > maxValues)
      return values === maxValues + 1 ? addIssue(at, `must hold at most ${maxValues} values`) : undefined;
    if (typeof current === 'string')
      return current.length <= maxTextCharacters
        ? current
        : addIssue(at, `must have at most ${maxTextCharacters} characters`);
    if (typeof current === 'boolean') return current;
    if (typeof current === 'number')
      return Number.isFinite(current) ? current : addIssue(at, 'must be a finite number');
    if (typeof current !== 'object' || current === null) return addIssue(at, 'must be text, a number, true or false');
    if (depth > maxDepth) return addIssue(at, `must not be nested deeper than ${maxDepth} levels`);
    if (Array.isArray(current))
      return Array.from({ length: Math.min(current.length, maxValues) }, (_, index) =>
        copy(ownValue(current, String(index)), `${at}/${index}`, depth + 1),
      );
    return copyObject(current, at, depth);
  };

  const copyObject = (current: object, at: string, depth: number): unknown => {
    const prototype: unknown = Object.getPrototypeOf(current);
    if (prototype !== Object.prototype && prototype !== null) return addIssue(at, 'must be a plain object');
    const entries: [string, unknown][] = [];
    for (const key of Object.keys(current)) {
      const inner = `${at}/${escapePointer(key)}`;
      if (key === '$expr') addIssue(inner, 'an expression is not accepted here');
      else if (key === '__proto__' || key === 'constructor' || key === 'prototype')
        addIssue(inner, 'this key is not accepted');
      else if (Object.getOwnPropertyDescriptor(current, key)?.get) addIssue(inner, 'a computed value is not accepted');
      else {
        const own = ownValue(current, key);
        if (own !== undefined) entries.push([key, copy(own, inner, depth + 1)]);
      }
    }
    return Object.fromEntries(entries);
  };

  return { value: copy(value, pointer, 0), issues };
}

function ownValue(holder: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(holder, key)?.value as unknown;
}

export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
