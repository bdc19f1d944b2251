/**
 * Applies projections: included fields keep the order of the document, computed fields follow in the order of the
 * projection, arrays are projected element by element.
 */
import { failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import type { Environment } from '../expressions/scope';
import { environmentOf, outermostScope } from '../expressions/compile';
import type { MatchDetails } from './predicate';
import { matches } from './predicate';
import type { Projected, ProjectionNode } from './projection-tree';
import { parseProjection } from './projection-tree';

export type Projection = (document: Doc, details?: MatchDetails) => Doc;

/** Compiles a projection; `find` allows the forms that only find and findAndModify know. */
export function compileProjection(spec: Doc, find: boolean, scope = outermostScope()): Projection {
  if (spec.size === 0) return (document) => document;
  const { type, root, positional } = parseProjection(spec, find, scope);
  return (document, details) => {
    const environment = environmentOf(document);
    const kept = type === 'inclusion' ? includeFields(root, document) : excludeFields(root, document);
    let result = addComputed(root, kept, environment, type === 'inclusion');
    if (positional) result = cutToPosition(result, positional, 0, details?.position);
    return result;
  };
}

/** Adds the computed fields of `$addFields` to a document. */
export function addFields(root: ProjectionNode, document: Doc): Doc {
  return addComputed(root, new Map(document), environmentOf(document), false);
}

function includeFields(node: ProjectionNode, document: Doc): Doc {
  const result: Doc = new Map();
  for (const [name, value] of document) {
    const child = node.children.get(name);
    if (!child) continue;
    const kept = includeValue(child, value);
    if (kept !== undefined) result.set(name, kept);
  }
  return result;
}

function includeValue(child: Projected, value: Value): Value | undefined {
  switch (child.kind) {
    case 'include':
      return value;
    case 'slice':
      return sliced(child, value);
    case 'node':
      if (value instanceof Map) return includeFields(child, value);
      if (Array.isArray(value)) return includeElements(child, value);
      return undefined;
    default:
      return undefined;
  }
}

/** Elements without an included field are left out, unless computed fields will make documents of them. */
function includeElements(child: ProjectionNode, value: Value[]): Value[] {
  const kept = value.map((element) => includeValue(child, element));
  return (hasComputed(child) ? kept : kept.filter((element) => element !== undefined)) as Value[];
}

function excludeFields(node: ProjectionNode, document: Doc): Doc {
  const result: Doc = new Map();
  for (const [name, value] of document) {
    const child = node.children.get(name);
    const kept = child ? excludeValue(child, value) : value;
    if (kept !== undefined) result.set(name, kept);
  }
  return result;
}

function excludeValue(child: Projected, value: Value): Value | undefined {
  switch (child.kind) {
    case 'exclude':
      return undefined;
    case 'slice':
      return sliced(child, value);
    case 'node':
      if (value instanceof Map) return excludeFields(child, value);
      if (Array.isArray(value))
        return value.map((element) => excludeValue(child, element)).filter((element) => element !== undefined);
      return value;
    default:
      return value;
  }
}

function sliced(child: Extract<Projected, { kind: 'slice' }>, value: Value): Value {
  if (!Array.isArray(value)) return value;
  if (child.skip === undefined) return child.limit >= 0 ? value.slice(0, child.limit) : value.slice(child.limit);
  const start = child.skip >= 0 ? child.skip : Math.max(0, value.length + child.skip);
  return value.slice(start, start + child.limit);
}

const hasComputed = (child: Projected): boolean =>
  child.kind === 'computed' ||
  child.kind === 'elemMatch' ||
  (child.kind === 'node' && [...child.children.values()].some(hasComputed));

function addComputed(node: ProjectionNode, target: Doc, environment: Environment, inclusion: boolean): Doc {
  for (const [name, child] of node.children) {
    if (!hasComputed(child)) continue;
    const value = computedValue(child, name, target.get(name), environment, inclusion);
    if (value === undefined) target.delete(name);
    else target.set(name, value);
  }
  return target;
}

function computedValue(
  child: Projected,
  name: string,
  existing: Value | undefined,
  environment: Environment,
  inclusion: boolean,
): Value | undefined {
  if (child.kind === 'computed') return child.expression(environment);
  if (child.kind === 'elemMatch') return firstMatch(child, name, environment);
  if (child.kind !== 'node') return existing;
  if (Array.isArray(existing)) {
    return existing.map((element) => computedValue(child, name, element, environment, inclusion) as Value);
  }
  return addComputed(child, existing instanceof Map ? new Map(existing) : new Map(), environment, inclusion);
}

function firstMatch(
  child: Extract<Projected, { kind: 'elemMatch' }>,
  name: string,
  environment: Environment,
): Value | undefined {
  const document = environment.root as Doc;
  const details: MatchDetails = { position: undefined };
  if (!matches(child.filter, document, details) || details.position === undefined) return undefined;
  return [(document.get(name) as Value[])[details.position] as Value];
}

/**
 * Reduces the first array on the path to the element that the filter matched. Throws code 51246 when it matched none.
 */
function cutToPosition(document: Doc, path: string[], index: number, position: number | undefined): Doc {
  const name = path[index] as string;
  const value = document.get(name);
  if (Array.isArray(value)) {
    if (position === undefined || position >= value.length) {
      failCommand(
        51246,
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      );
    }
    return new Map(document).set(name, [value[position as number] as Value]);
  }
  if (value instanceof Map && index + 1 < path.length) {
    return new Map(document).set(name, cutToPosition(value, path, index + 1, position));
  }
  return document;
}
