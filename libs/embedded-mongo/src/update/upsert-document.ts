/** The document with which an upsert starts: the equalities of its filter, as MongoDB extracts them. */
import { failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import { Regex } from '../bson/values';
import type { Filter } from '../query/predicate';

/** Throws code 54 when two equalities concern one field or a part of it. */
export function documentFromFilter(filter: Filter): Doc {
  const equalities = new Map<string, Value>();
  collect(filter, equalities);
  const result: Doc = new Map();
  const id = equalities.get('_id');
  if (id !== undefined) result.set('_id', id);
  for (const [path, value] of equalities) if (path !== '_id') place(result, path, value);
  return result;
}

function collect(filter: Filter, equalities: Map<string, Value>): void {
  if (filter.kind === 'and') {
    for (const child of filter.children) collect(child, equalities);
  } else if (filter.kind === 'or' && filter.children.length === 1) {
    collect(filter.children[0] as Filter, equalities);
  } else if (filter.kind === 'expr') {
    failCommand(224, '$expr is not allowed in the query predicate for an upsert');
  } else if (filter.kind === 'field') {
    const { leaf, path } = filter;
    if (leaf.op === 'eq') addEquality(equalities, path, leaf.value);
    else if (leaf.op === 'in' && leaf.values.length + leaf.patterns.length === 1) {
      if (leaf.values.length === 1) addEquality(equalities, path, leaf.values[0] as Value);
    }
  }
}

function addEquality(equalities: Map<string, Value>, path: string, value: Value): void {
  for (const existing of equalities.keys()) {
    if (existing === path || existing.startsWith(`${path}.`) || path.startsWith(`${existing}.`)) {
      failCommand(54, `cannot infer query fields to set, path '${path}' is matched twice`);
    }
  }
  if (path === '_id' && value instanceof Regex) failCommand(53, "The '_id' value cannot be of type regex");
  equalities.set(path, value);
}

function place(root: Doc, path: string, value: Value): void {
  const parts = path.split('.');
  let current = root;
  for (const part of parts.slice(0, -1)) {
    const next = current.get(part);
    const child: Doc = next instanceof Map ? next : new Map();
    current.set(part, child);
    current = child;
  }
  current.set(parts.at(-1) as string, value);
}
