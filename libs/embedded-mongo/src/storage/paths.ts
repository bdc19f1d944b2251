/** Dotted paths over documents and arrays, shared by every part that looks a field up by name. */
import type { Doc, Value } from '../bson/values';

/** The array position that a path part names ("0", "12"; not "01"), or undefined. */
export function arrayPosition(part: string): number | undefined {
  return /^(?:0|[1-9]\d{0,9})$/.test(part) ? Number(part) : undefined;
}

/** A field of a document, or an element of an array when the name is its position. */
export function fieldOf(container: Doc | Value[], name: string): Value | undefined {
  if (!Array.isArray(container)) return container.get(name);
  const position = arrayPosition(name);
  return position === undefined ? undefined : container[position];
}
