/**
 * MongoDB's walk along a dotted path for predicates: for an array on the way, its elements are visited (one level), and
 * a number in the path may be a position or a field name. The elements of an array at the end are visited first, then
 * the array as a whole.
 */
import type { Doc, Value } from '../bson/values';
import { arrayPosition, fieldOf } from '../storage/paths';

/** Returns true to stop; `position` is the index in the outermost array on the way. */
export type Visit = (value: Value | undefined, position: number | undefined) => boolean;

/**
 * True when `visit` accepts a value at the path. With `leafElements`, elements of an array at its end are visited too.
 */
export function anyAtPath(container: Doc | Value[], parts: string[], leafElements: boolean, visit: Visit): boolean {
  return walk(container, parts, 0, leafElements, undefined, visit);
}

function walk(
  container: Doc | Value[],
  parts: string[],
  start: number,
  leafElements: boolean,
  position: number | undefined,
  visit: Visit,
): boolean {
  let current: Doc | Value[] = container;
  for (let index = start; index < parts.length; index += 1) {
    const value = fieldOf(current, parts[index] as string);
    if (Array.isArray(value)) return walkArray(value, parts, index + 1, leafElements, position, visit);
    if (index === parts.length - 1) return visit(value, position);
    if (!(value instanceof Map)) return visit(undefined, position);
    current = value;
  }
  return false;
}

function walkArray(
  array: Value[],
  parts: string[],
  next: number,
  leafElements: boolean,
  outer: number | undefined,
  visit: Visit,
): boolean {
  if (next === parts.length) {
    if (leafElements && array.some((element, index) => visit(element, outer ?? index))) return true;
    return visit(array, outer);
  }
  const named = arrayPosition(parts[next] as string);
  return array.some((element, index) => {
    const position = outer ?? index;
    if (element instanceof Map && walk(element, parts, next, leafElements, position, visit)) return true;
    if (index !== named) return false;
    if (next + 1 === parts.length) return visit(element, outer);
    if (Array.isArray(element)) return walkArray(element, parts, next + 1, leafElements, outer, visit);
    return element instanceof Map && walk(element, parts, next + 1, leafElements, outer, visit);
  });
}
