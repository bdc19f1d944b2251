/** `$unwind`: one document per array element. */
import { failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import { isNullish } from '../bson/values';
import { pauseMark } from '../storage/pause';
import type { Stage } from './stage';

interface Unwind {
  path: string[];
  index: string | undefined;
  keepEmpty: boolean;
}

export function unwindStage(spec: Value): Stage {
  const unwind = parse(spec);
  return function* (input) {
    for (const document of input) {
      if (document === pauseMark) yield pauseMark;
      else yield* unwindDoc(document, unwind);
    }
  };
}

function parse(spec: Value): Unwind {
  let source = spec;
  let keepEmpty = false;
  let index: string | undefined;
  if (spec instanceof Map) {
    source = spec.get('path') ?? failCommand(28812, 'no path specified to $unwind stage');
    if (typeof source !== 'string') return failCommand(28808, 'expected a string as the path for $unwind stage');
    for (const [name, value] of spec) {
      if (name === 'preserveNullAndEmptyArrays') {
        if (typeof value !== 'boolean')
          return failCommand(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
        keepEmpty = value;
      } else if (name === 'includeArrayIndex') {
        if (typeof value !== 'string' || value === '')
          return failCommand(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
        if (value.startsWith('$'))
          failCommand(28822, "includeArrayIndex option to $unwind stage should not be prefixed with a '$'");
        index = value;
      } else if (name !== 'path') {
        failCommand(28811, `unrecognized option to $unwind stage: ${name}`);
      }
    }
  } else if (typeof spec !== 'string') {
    return failCommand(15981, 'expected either a string or an object as specification for $unwind stage');
  }
  return { path: parsePath(source as string), index, keepEmpty };
}

function parsePath(path: string): string[] {
  if (path === '') failCommand(28812, 'no path specified to $unwind stage');
  if (!path.startsWith('$')) failCommand(28818, "path option to $unwind stage should be prefixed with a '$'");
  const parts = path.slice(1).split('.');
  if (path === '$') failCommand(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) failCommand(40353, "FieldPath must not end with a '.'.");
  for (const part of parts) {
    if (part === '') failCommand(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$')) failCommand(16410, "FieldPath field names may not start with '$'.");
  }
  return parts;
}

function* unwindDoc(document: Doc, unwind: Unwind): Generator<Doc> {
  const value = valueAt(document, unwind.path);
  if (!Array.isArray(value)) {
    if (!isNullish(value) || unwind.keepEmpty) yield withIndex(document, unwind, null);
    return;
  }
  if (value.length === 0) {
    if (unwind.keepEmpty) yield withIndex(replaceAt(document, unwind.path, undefined), unwind, null);
    return;
  }
  for (const [position, element] of value.entries()) {
    yield withIndex(replaceAt(document, unwind.path, element), unwind, BigInt(position));
  }
}

function valueAt(document: Doc, path: readonly string[]): Value | undefined {
  let current: Value | undefined = document;
  for (const part of path) current = current instanceof Map ? current.get(part) : undefined;
  return current;
}

/** A copy of the document with another value at the path. */
export function replaceAt(document: Doc, path: readonly string[], value: Value | undefined): Doc {
  const [name, ...rest] = path as [string, ...string[]];
  const result = new Map(document);
  if (rest.length > 0) {
    const child = result.get(name);
    result.set(name, replaceAt(child instanceof Map ? child : new Map(), rest, value));
  } else if (value === undefined) {
    result.delete(name);
  } else {
    result.set(name, value);
  }
  return result;
}

const withIndex = (document: Doc, unwind: Unwind, index: bigint | null): Doc =>
  unwind.index === undefined ? document : replaceAt(document, unwind.index.split('.'), index);
