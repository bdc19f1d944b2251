/**
 * The operators of an update as one tree over field paths. Building the tree finds conflicting paths (code 40).
 * Applying it visits the fields in name order, so `$set` adds new fields in that order and not in the given one.
 */
import { failCommand } from '../errors';
import type { Value } from '../bson/values';
import type { Applied, ApplyContext } from './apply-result';

/** How one operator changes the value at its path. */
export interface Change {
  /** Name of the operator, for messages. */
  operator: string;
  /** Whether a missing path is created (`$set`) or ignored (`$unset`, `$pull`). */
  creates: boolean;
  apply(current: Value | undefined, context: ApplyContext): Applied;
}

export interface TreeNode {
  change?: Change;
  children: Map<string, TreeNode>;
}

export const emptyNode = (): TreeNode => ({ children: new Map() });

/** Adds a change; throws code 40 when another change has the same path, a part of it or a longer one. */
export function addChange(root: TreeNode, path: string, change: Change): void {
  const parts = checkedParts(path);
  let node = root;
  parts.forEach((part, index) => {
    if (node.change) conflict(path, parts.slice(0, index).join('.'));
    let child = node.children.get(part);
    if (!child) {
      child = emptyNode();
      node.children.set(part, child);
    }
    node = child;
  });
  if (node.change || node.children.size > 0) conflict(path, path);
  node.change = change;
}

function conflict(path: string, at: string): never {
  return failCommand(40, `Updating the path '${path}' would create a conflict at '${at}'`);
}

/** Parts of an update path; throws code 56 for empty names and 52 for names that begin with a dollar sign. */
export function checkedParts(path: string): string[] {
  const parts = path.split('.');
  if (parts.includes(''))
    failCommand(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  parts.forEach((part, index) => {
    if (part === '$' || /^\$\[[^\]]*\]$/.test(part)) {
      if (index === 0)
        failCommand(2, `Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
    } else if (part.startsWith('$') && index === 0) {
      failCommand(
        52,
        `The dollar ($) prefixed field '${part}' in '${path}' is not allowed in the context of an update's replacement document.`,
      );
    }
  });
  return parts;
}

/** The tree without the changes that apply only when an upsert inserts. */
export function withoutInserts(node: TreeNode): TreeNode | undefined {
  if (node.change) return node.change.operator === '$setOnInsert' ? undefined : node;
  const children = new Map<string, TreeNode>();
  for (const [name, child] of node.children) {
    const kept = withoutInserts(child);
    if (kept) children.set(name, kept);
  }
  return children.size === 0 ? undefined : { children };
}

/** Joins the changes that several array filters select for one element. Throws code 40 when they overlap. */
export function mergeNodes(nodes: TreeNode[], path: string): TreeNode {
  const [first, ...others] = nodes as [TreeNode, ...TreeNode[]];
  return others.reduce((left, right) => mergeTwo(left, right, path), first);
}

function mergeTwo(left: TreeNode, right: TreeNode, path: string): TreeNode {
  if (left.change || right.change) return conflict(path, path);
  const children = new Map(left.children);
  for (const [name, child] of right.children) {
    const existing = children.get(name);
    children.set(name, existing ? mergeTwo(existing, child, `${path}.${name}`) : child);
  }
  return { children };
}

/** Order of fields in an update: numbers by value, before and among names by text. */
export function compareFieldNames(a: string, b: string): number {
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) return Number(a) - Number(b) || a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
