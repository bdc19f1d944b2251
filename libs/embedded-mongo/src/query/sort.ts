/**
 * Sorting as MongoDB does: an array sorts by its smallest element in ascending and its largest in descending order, a
 * missing field as null, an empty array before null. Several fields are compared as one key per combination of array
 * elements.
 */
import { CommandError, failCommand } from '../errors';
import { compareValues } from '../bson/compare';
import { isNumeric, toInteger, truncateToInteger } from '../bson/numbers';
import type { Doc, Value } from '../bson/values';
import { generateKeys } from '../storage/index-keys';

export interface SortField {
  name: string;
  path: string[];
  descending: boolean;
}

type SortKey = Value[];

const maxSortFields = 32;

/** Throws code 15975 for a bad direction, and others as MongoDB does. */
export function parseSort(sort: Doc): SortField[] {
  if (sort.size > maxSortFields) failCommand(13103, 'too many compound keys');
  return [...sort].map(([name, direction]) => {
    if (direction instanceof Map) {
      const meta = direction.get('$meta');
      if (meta === 'textScore') failCommand(40218, 'query requires text score metadata, but it is not available');
      failCommand(meta === undefined ? 17312 : 31138, 'Illegal $meta sort');
    }
    if (!isNumeric(direction)) failCommand(15974, `Illegal key in $sort specification: ${name}`);
    const whole = truncateToInteger(direction as number);
    if (whole !== 1n && whole !== -1n)
      failCommand(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    checkPath(name);
    return { name, path: name.split('.'), descending: whole === -1n };
  });
}

function checkPath(name: string): void {
  if (name === '') failCommand(40352, 'FieldPath cannot be constructed with empty string');
  if (name.endsWith('.')) failCommand(40353, "FieldPath must not end with a '.'.");
  const parts = name.split('.');
  if (parts.includes('')) failCommand(15998, 'FieldPath field names may not be empty strings.');
  for (const part of parts)
    if (part.startsWith('$')) failCommand(16410, "FieldPath field names may not start with '$'.");
}

function compareKeys(fields: readonly SortField[], a: SortKey, b: SortKey): number {
  for (let index = 0; index < fields.length; index += 1) {
    const order = compareValues(a[index] as Value, b[index] as Value);
    if (order !== 0) return fields[index]?.descending ? -order : order;
  }
  return 0;
}

/**
 * The sort key of a document; `_id` alone counts as a whole even when it is an array. Throws code 2 when two fields
 * have different arrays.
 */
function sortKeyOf(fields: readonly SortField[], document: Doc): SortKey {
  if (fields.length === 1 && fields[0]?.name === '_id') return [document.get('_id') ?? null];
  if (fields.every((field) => field.path.length === 1)) {
    const simple = fields.map((field) => document.get(field.name) ?? null);
    if (!simple.some(Array.isArray)) return simple;
  }
  const keys = keysOf(fields, document);
  return keys.reduce((best, key) => (compareKeys(fields, key, best) < 0 ? key : best));
}

function keysOf(fields: readonly SortField[], document: Doc): SortKey[] {
  try {
    const generated = generateKeys(
      document,
      fields.map((field) => field.path),
    );
    return generated.keys.map((key) => key.map((value) => value ?? null));
  } catch (error) {
    if (error instanceof CommandError && error.code === 171)
      failCommand(2, 'cannot sort with keys that are parallel arrays');
    throw error;
  }
}

/** Sorts added entries by their document; equal keys keep their order. With a limit, only the first ones are kept. */
export interface Sorter<T> {
  add(entry: T, document: Doc): void;
  result(): T[];
}

export function createSorter<T>(fields: readonly SortField[], limit?: number): Sorter<T> {
  const keyed: { key: SortKey; entry: T }[] = [];
  const order = (a: { key: SortKey }, b: { key: SortKey }): number => compareKeys(fields, a.key, b.key);
  const trimAt = limit === undefined ? Infinity : Math.max(1000, limit * 4);
  return {
    add: (entry, document) => {
      keyed.push({ key: sortKeyOf(fields, document), entry });
      if (keyed.length > trimAt) {
        keyed.sort(order);
        keyed.length = limit as number;
      }
    },
    result: () => {
      keyed.sort(order);
      if (limit !== undefined && keyed.length > limit) keyed.length = limit;
      return keyed.map(({ entry }) => entry);
    },
  };
}

/** Compares array elements by fields, as `$push` with `$sort` does; elements that are not documents have no fields. */
export function fieldOrder(sort: Doc): (a: Value, b: Value) => number {
  const fields = [...sort].map(([name, direction]) => ({
    name,
    path: name.split('.'),
    descending: isNumeric(direction) && toInteger(direction) === -1n,
  }));
  const keyOf = (value: Value): SortKey => sortKeyOf(fields, value instanceof Map ? value : new Map([['', value]]));
  return (a, b) => compareKeys(fields, keyOf(a), keyOf(b));
}
