/**
 * Field paths in expressions: for arrays on the way, the rest of the path applies to each of their documents; numbers
 * are not positions.
 */
import type { Value } from '../bson/values';
import type { Expression } from './scope';

export function fieldPath(base: Expression, parts: string[]): Expression {
  if (parts.length === 1) {
    const [name] = parts as [string];
    return (environment) => {
      const value = base(environment);
      return value instanceof Map ? value.get(name) : follow(value, parts, 0);
    };
  }
  return (environment) => follow(base(environment), parts, 0);
}

/** The value at a path below `value`; missing when the path ends early. */
export function follow(value: Value | undefined, parts: readonly string[], start: number): Value | undefined {
  let current = value;
  for (let index = start; index < parts.length; index += 1) {
    if (Array.isArray(current)) {
      const results: Value[] = [];
      for (const element of current) {
        const found = element instanceof Map ? follow(element, parts, index) : undefined;
        if (found !== undefined) results.push(found);
      }
      return results;
    }
    if (!(current instanceof Map)) return undefined;
    current = current.get(parts[index] as string);
  }
  return current;
}
