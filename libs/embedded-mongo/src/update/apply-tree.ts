/**
 * Applies an update tree to a document without changing the original: containers on changed paths are copied, so the
 * stored form stays available for index maintenance and for "before" answers.
 */
import { failCommand } from '../errors';
import { describeValue } from '../query/describe';
import { arrayPosition } from '../storage/paths';
import type { Doc, Value } from '../bson/values';
import type { Applied, ApplyContext } from './apply-result';
import { unchanged } from './apply-result';
import type { TreeNode } from './update-tree';
import { compareFieldNames, mergeNodes } from './update-tree';

/** The most nulls that may be filled in before a new array element, as in MongoDB. */
const maxPadding = 1_500_000;

/** The changed document; the same object when nothing changed. */
export function applyTree(root: TreeNode, document: Doc, context: ApplyContext): Doc {
  const result = applyNode(root, document, '', context);
  return result === unchanged ? document : (result as Doc);
}

function applyNode(node: TreeNode, current: Value | undefined, path: string, context: ApplyContext): Applied {
  if (node.change) return node.change.apply(current, context);
  if (Array.isArray(current)) return applyToArray(node, current, path, context);
  if (current instanceof Map) return applyToDocument(node, current, path, context);
  return failCommand(28, `Cannot create field in element at '${path}': ${describeValue(current)}`);
}

/** True when some change below would create a missing path. */
function creates(node: TreeNode): boolean {
  return node.change ? node.change.creates : [...node.children.values()].some(creates);
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** The children of a node with `$` replaced by the position that the filter found. */
function resolvedChildren(node: TreeNode, path: string, context: ApplyContext): [string, TreeNode][] {
  const children = new Map<string, TreeNode>();
  for (const [name, child] of node.children) {
    const actual = name === '$' ? positionName(context) : name;
    const existing = children.get(actual);
    children.set(actual, existing ? mergeNodes([existing, child], join(path, actual)) : child);
  }
  return [...children].sort(([a], [b]) => compareFieldNames(a, b));
}

function positionName(context: ApplyContext): string {
  if (context.position !== undefined) return String(context.position);
  return failCommand(2, 'The positional operator did not find the match needed from the query.');
}

function applyToDocument(node: TreeNode, document: Doc, path: string, context: ApplyContext): Applied {
  let result: Doc | undefined;
  for (const [name, child] of resolvedChildren(node, path, context)) {
    if (name.startsWith('$[')) {
      failCommand(2, `The path '${path}' must exist and be an array in order to apply array updates.`);
    }
    const existing = document.get(name);
    const applied =
      existing === undefined
        ? createField(child, join(path, name), context)
        : applyExisting(child, existing, name, path, context);
    if (applied === unchanged || (applied === undefined && existing === undefined)) continue;
    result ??= new Map(document);
    if (applied === undefined) result.delete(name);
    else result.set(name, applied);
  }
  return result ?? unchanged;
}

function applyExisting(child: TreeNode, existing: Value, name: string, path: string, context: ApplyContext): Applied {
  const full = join(path, name);
  if (!child.change && !(existing instanceof Map) && !Array.isArray(existing)) {
    const arrayUpdate = [...child.children.keys()].find((key) => key.startsWith('$['));
    if (arrayUpdate)
      failCommand(2, `Cannot apply array updates to non-array element ${full}: ${describeValue(existing)}`);
    if (child.children.has('$')) positionName(context);
    if (!creates(child)) return leaveAlone(child, existing, full);
  }
  return applyNode(child, existing, full, context);
}

/**
 * Changes that never create paths ignore a scalar on the path, except `$pull` and similar operators, which require a
 * container.
 */
function leaveAlone(child: TreeNode, existing: Value, path: string): Applied {
  const strict = [...child.children.values()].some(
    (node) => node.change?.operator === '$pull' || node.change?.operator === '$pullAll',
  );
  if (strict) failCommand(28, `Cannot use the part of path ${path} to traverse the element ${describeValue(existing)}`);
  return unchanged;
}

/** A missing field: created when a change below creates it, otherwise left missing. */
function createField(node: TreeNode, path: string, context: ApplyContext): Applied {
  if (node.change) return node.change.creates ? node.change.apply(undefined, context) : unchanged;
  const arrayUpdate = [...node.children.keys()].some((key) => key.startsWith('$['));
  if (arrayUpdate) failCommand(2, `The path '${path}' must exist in the document in order to apply array updates.`);
  if (!creates(node)) return unchanged;
  const built = applyToDocument(node, new Map(), path, context);
  return built === unchanged ? unchanged : built;
}

function applyToArray(node: TreeNode, array: Value[], path: string, context: ApplyContext): Applied {
  const hasFilters = [...node.children.keys()].some((name) => name.startsWith('$['));
  if (hasFilters) return applyToElements(node, array, path, context);
  let result: Value[] | undefined;
  for (const [name, child] of resolvedChildren(node, path, context)) {
    const position = /^\d+$/.test(name) ? Number(name) : undefined;
    if (position === undefined || position > 0x7fffffff) {
      if (!creates(child) && !isStrict(child)) continue;
      failCommand(28, `Cannot create field '${name}' in element {${path}: ${describeValue(array)}}`);
    }
    const applied = applyAtPosition(child, result ?? array, position as number, path, context);
    if (applied === unchanged) continue;
    result ??= [...array];
    if (applied === undefined) result[position as number] = null;
    else setElement(result, position as number, applied);
  }
  return result ?? unchanged;
}

const isStrict = (node: TreeNode): boolean => node.change?.operator === '$pull' || node.change?.operator === '$pullAll';

function applyAtPosition(
  child: TreeNode,
  array: Value[],
  position: number,
  path: string,
  context: ApplyContext,
): Applied {
  if (position < array.length) {
    return applyExisting(child, array[position] as Value, String(position), path, context);
  }
  const created = createField(child, join(path, String(position)), context);
  return created === undefined ? unchanged : created;
}

function setElement(array: Value[], position: number, value: Value): void {
  if (position > array.length + maxPadding) {
    failCommand(34, `can't backfill more than ${maxPadding} elements`);
  }
  while (array.length < position) array.push(null);
  array[position] = value;
}

/** `$[]` and `$[identifier]`: each element gets the changes of all selectors that choose it. */
function applyToElements(node: TreeNode, array: Value[], path: string, context: ApplyContext): Applied {
  let result: Value[] | undefined;
  const children = resolvedChildren(node, path, context);
  array.forEach((element, index) => {
    const chosen = children.filter(([name]) => selects(name, element, index, context)).map(([, child]) => child);
    if (chosen.length === 0) return;
    const merged = mergeNodes(chosen, join(path, String(index)));
    const applied = applyExisting(merged, element, String(index), path, context);
    if (applied === unchanged) return;
    result ??= [...array];
    result[index] = applied === undefined ? null : applied;
  });
  for (const [name, child] of children) {
    const position = arrayPosition(name);
    if (position === undefined || position < array.length) continue;
    const applied = applyAtPosition(child, result ?? array, position, path, context);
    if (applied === unchanged || applied === undefined) continue;
    result ??= [...array];
    setElement(result, position, applied);
  }
  return result ?? unchanged;
}

function selects(name: string, element: Value, index: number, context: ApplyContext): boolean {
  if (!name.startsWith('$[')) return arrayPosition(name) === index;
  if (name === '$[]') return true;
  const filter = context.arrayFilters.get(name.slice(2, -1));
  return filter !== undefined && filter(element);
}
