/** Projections as trees: parsing, with MongoDB's refusals. projection.ts applies them to documents. */
import { failCommand } from '../errors';
import { isNumeric, toDouble, truncateToInteger } from '../bson/numbers';
import type { Doc, Value } from '../bson/values';
import type { Expression, Scope } from '../expressions/scope';
import { parseFilter } from './compile-filter';
import type { Filter } from './predicate';

export type Projected =
  | { kind: 'include' }
  | { kind: 'exclude' }
  | { kind: 'computed'; expression: Expression }
  | { kind: 'slice'; skip: number | undefined; limit: number }
  | { kind: 'elemMatch'; filter: Filter }
  | ProjectionNode;

export interface ProjectionNode {
  kind: 'node';
  children: Map<string, Projected>;
}

export interface ParsedProjection {
  type: 'inclusion' | 'exclusion';
  root: ProjectionNode;
  /** The path whose array is reduced to the element that the filter matched. */
  positional: string[] | undefined;
}

interface Parsing {
  find: boolean;
  scope: Scope;
  type: 'inclusion' | 'exclusion' | undefined;
  /** Computed fields determine the type of the projection only when no other field does. */
  computed: boolean;
  inclusionWanted: boolean;
  positional: string[] | undefined;
  root: ProjectionNode;
}

/** Parses a projection of find (`find: true`, with `$slice`, `$elemMatch`, `.$`) or of `$project`. */
export function parseProjection(spec: Doc, find: boolean, scope: Scope): ParsedProjection {
  const root: ProjectionNode = { kind: 'node', children: new Map() };
  const state: Parsing = {
    find,
    scope,
    type: undefined,
    computed: false,
    inclusionWanted: false,
    positional: undefined,
    root,
  };
  for (const [name, value] of spec) parseField(state, name, value, '');
  const id = root.children.get('_id');
  let type = state.type;
  if (!type) {
    const onlyIdExcluded = id?.kind === 'exclude' && !state.computed && !state.inclusionWanted;
    type =
      state.computed || state.inclusionWanted || (id?.kind === 'include' && !onlyIdExcluded)
        ? 'inclusion'
        : 'exclusion';
    if (!find && state.computed) type = 'inclusion';
  }
  if (type === 'inclusion' && !id) root.children.set('_id', { kind: 'include' });
  if (type === 'inclusion' && id?.kind === 'exclude') root.children.delete('_id');
  if (type === 'exclusion' && id?.kind === 'include') root.children.delete('_id');
  return { type, root, positional: state.positional };
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function parseField(state: Parsing, name: string, value: Value, prefix: string): void {
  const path = join(prefix, name);
  if (state.find && path.includes('.$.'))
    failCommand(31394, 'As of 4.4, positional projection may only be used at the end.');
  if (state.find && path.endsWith('.$') && isFlag(value)) {
    if (typeof value === 'boolean' ? !value : toDouble(value) === 0)
      failCommand(31395, 'positional projection cannot be used with exclusion');
    if (state.positional) failCommand(31276, 'Cannot specify more than one positional projection per query.');
    if (state.type === 'exclusion') failCommand(31395, 'positional projection cannot be used with exclusion');
    state.positional = path.slice(0, -2).split('.');
    state.type = 'inclusion';
    return place(state, path.slice(0, -2), { kind: 'include' });
  }
  if (isFlag(value)) return parseFlag(state, path, typeof value === 'boolean' ? value : toDouble(value) !== 0);
  if (value instanceof Map) return parseObject(state, path, value);
  return addComputed(state, path, value);
}

const isFlag = (value: Value): value is boolean | Extract<Value, number> =>
  typeof value === 'boolean' || isNumeric(value);

function parseFlag(state: Parsing, path: string, included: boolean): void {
  if (path !== '_id') {
    const type = included ? 'inclusion' : 'exclusion';
    if (included && state.type === 'exclusion')
      failCommand(31253, `Cannot do inclusion on field ${path} in exclusion projection`);
    if (!included && state.type === 'inclusion')
      failCommand(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
    if (!included && state.computed) failCommand(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
    state.type = type;
  }
  place(state, path, { kind: included ? 'include' : 'exclude' });
}

function parseObject(state: Parsing, path: string, value: Doc): void {
  if (value.size === 0) failCommand(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
  const first = value.keys().next().value as string;
  if (first.startsWith('$')) {
    if (value.size > 1)
      failCommand(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
    if (state.find && first === '$slice') return addSlice(state, path, value.get(first) as Value, value);
    if (state.find && first === '$elemMatch') return addElemMatch(state, path, value.get(first) as Value);
    return addComputed(state, path, value);
  }
  for (const [name, child] of value) parseField(state, name, child, path);
}

function addComputed(state: Parsing, path: string, value: Value): void {
  if (state.type === 'exclusion') failCommand(31310, `Cannot use an expression ${path} in an exclusion projection`);
  if (path !== '_id') {
    state.computed = true;
    state.type = 'inclusion';
  } else {
    state.inclusionWanted = true;
  }
  place(state, path, { kind: 'computed', expression: state.scope.compile(value) });
}

function addSlice(state: Parsing, path: string, operand: Value, whole: Doc): void {
  if (Array.isArray(operand)) {
    const [skip, limit] = operand.map((element) =>
      isNumeric(element) ? Number(truncateToInteger(element) ?? 0n) : undefined,
    );
    if (operand.length !== 2) return addComputedSlice(state, path, whole);
    if (skip === undefined || limit === undefined) return addComputedSlice(state, path, whole);
    if (limit <= 0) failCommand(28724, `First argument to $slice must be an array, but is of type: int`);
    return place(state, path, { kind: 'slice', skip, limit });
  }
  if (!isNumeric(operand))
    return failCommand(28667, 'Invalid $slice syntax. The given syntax did not match the find() syntax');
  return place(state, path, { kind: 'slice', skip: undefined, limit: Number(truncateToInteger(operand) ?? 0n) });
}

/** Other forms of `$slice` are the aggregation expression. */
function addComputedSlice(state: Parsing, path: string, whole: Doc): void {
  addComputed(state, path, whole);
}

function addElemMatch(state: Parsing, path: string, operand: Value): void {
  if (!(operand instanceof Map)) return failCommand(31274, `elemMatch: Invalid argument, object required`);
  if (path.includes('.')) failCommand(31275, `Cannot use $elemMatch projection on a nested field`);
  state.inclusionWanted = true;
  const filter = parseFilter(new Map([[path, new Map([['$elemMatch', operand]])]]), { allowExpr: false });
  place(state, path, { kind: 'elemMatch', filter });
}

/** Puts a leaf into the tree; throws 31249 or 31250 when paths collide. */
function place(state: Parsing, path: string, leaf: Projected): void {
  const parts = checkedPath(path);
  let node = state.root;
  parts.slice(0, -1).forEach((part) => {
    const existing = node.children.get(part);
    if (existing && existing.kind !== 'node') failCommand(31249, `Path collision at ${path} remaining portion ${part}`);
    const child: ProjectionNode = existing?.kind === 'node' ? existing : { kind: 'node', children: new Map() };
    if (!existing) node.children.set(part, child);
    node = child;
  });
  const last = parts.at(-1) as string;
  if (node.children.has(last)) failCommand(31250, `Path collision at ${path}`);
  node.children.set(last, leaf);
}

function checkedPath(path: string): string[] {
  if (path === '') failCommand(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) failCommand(40353, "FieldPath must not end with a '.'.");
  const parts = path.split('.');
  for (const part of parts) {
    if (part === '') failCommand(15998, 'FieldPath field names may not be empty strings.');
    if (part.startsWith('$'))
      failCommand(16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.");
  }
  return parts;
}

/** The tree of `$addFields` and `$set`: every leaf is an expression. */
export function parseAdditions(spec: Doc, scope: Scope): ProjectionNode {
  const root: ProjectionNode = { kind: 'node', children: new Map() };
  const state: Parsing = {
    find: false,
    scope,
    type: undefined,
    computed: false,
    inclusionWanted: false,
    positional: undefined,
    root,
  };
  const add = (path: string, value: Value): void => {
    if (value instanceof Map) {
      if (value.size === 0) failCommand(40180, `Empty object is not a valid value. Found empty object at path ${path}`);
      const names = [...value.keys()];
      if (!names[0]?.startsWith('$')) {
        for (const [name, child] of value) add(`${path}.${name}`, child);
        return;
      }
    }
    place(state, path, { kind: 'computed', expression: scope.compile(value) });
  };
  for (const [path, value] of spec) add(path, value);
  return root;
}
