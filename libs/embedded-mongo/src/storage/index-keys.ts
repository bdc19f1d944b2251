/**
 * The keys that a document has in an index or under a sort: one per array element, as MongoDB's key generator makes
 * them. A missing field is `undefined` here (sparse indexes and null need the difference); an empty array gives the
 * BSON value undefined, which sorts before null.
 */
import { failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import { undefinedValue } from '../bson/values';
import { arrayPosition } from './paths';

export type IndexKey = (Value | undefined)[];

export interface GeneratedKeys {
  keys: IndexKey[];
  /** Which components come from array elements. */
  multikey: boolean[];
}

interface Pending {
  /** Remaining path parts below the current document, or undefined when the component is known. */
  rest: string[] | undefined;
  value: Value | undefined;
}

/** All keys of the document for the given paths. Throws code 171 when two components have different arrays. */
export function generateKeys(document: Doc, paths: readonly string[][]): GeneratedKeys {
  const multikey = paths.map(() => false);
  const keys: IndexKey[] = [];
  expand(
    document,
    paths.map((path) => ({ rest: path, value: undefined })),
    multikey,
    keys,
  );
  return { keys, multikey };
}

function expand(document: Doc | undefined, pending: Pending[], multikey: boolean[], keys: IndexKey[]): void {
  let array: Value[] | undefined;
  const resolved = pending.map((component, index): Pending & { over: boolean } => {
    if (!component.rest) return { ...component, over: false };
    const found = walk(document, component.rest);
    if (!found.array) return { rest: undefined, value: found.value, over: false };
    if (array && array !== found.array) failCommand(171, 'cannot index parallel arrays');
    array = found.array;
    multikey[index] = true;
    return { rest: found.rest, value: undefined, over: true };
  });
  if (!array) {
    keys.push(resolved.map((component) => component.value));
    return;
  }
  const elements: (Value | undefined)[] = array.length === 0 ? [undefinedValue] : array;
  for (const element of elements) {
    expand(
      element instanceof Map ? element : undefined,
      resolved.map(({ rest, value, over }) =>
        over && rest?.length === 0 ? { rest: undefined, value: element } : { rest: over ? rest : undefined, value },
      ),
      multikey,
      keys,
    );
  }
}

interface Found {
  value?: Value | undefined;
  array?: Value[];
  rest?: string[];
}

/** Follows a path until it ends, breaks or reaches an array whose elements are to be visited. */
function walk(document: Doc | undefined, path: string[]): Found {
  let current: Value | undefined = document;
  let positioned = false;
  for (let index = 0; index < path.length; index += 1) {
    const part = path[index] as string;
    if (Array.isArray(current)) {
      const position = arrayPosition(part);
      if (position === undefined || position >= current.length) return { array: current, rest: path.slice(index) };
      if (current.some((element) => element instanceof Map && element.has(part))) {
        failCommand(
          16746,
          `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${part}'`,
        );
      }
      current = current[position];
      positioned = true;
    } else if (current instanceof Map) {
      current = current.get(part);
      positioned = false;
    } else {
      return { value: undefined };
    }
  }
  return Array.isArray(current) && !positioned ? { array: current, rest: [] } : { value: current };
}
