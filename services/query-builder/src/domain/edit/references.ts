/**
 * Where a file uses a name. A property name is not a use: `{ Query: 1 }` says nothing about an import `Query`. A name
 * is used only where the text contains the word, so in a large file only the parts that contain it are visited.
 */
import { ts } from '../source/parse';
import type { Range } from './comments';

/** Names that are used as values or types at a node or below it. Import declarations use nothing. */
export function usedNames(root: ts.Node): Set<string> {
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isIdentifier(node) && isUse(node)) used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return used;
}

/** Returns the names that a file uses. */
export function usedAmong(file: ts.SourceFile, names: readonly string[]): Set<string> {
  return new Set(
    names.filter((name) => someNode(file, name, (node) => ts.isIdentifier(node) && node.text === name && isUse(node))),
  );
}

/** Calls the predicate with the nodes outside the ranges and outside of imports whose text contains the word. */
export function someNode(
  file: ts.SourceFile,
  word: string,
  accepts: (node: ts.Node) => boolean,
  without: readonly Range[] = [],
): boolean {
  const places = placesOf(file.text, word);
  const isNear = ({ pos, end }: ts.Node): boolean => places === 'anywhere' || holdsOne(places, pos, end);
  const visit = (node: ts.Node): boolean => {
    if (ts.isImportDeclaration(node) || !isNear(node)) return false;
    if (accepts(node) && !isWithin(node, without)) return true;
    return ts.forEachChild(node, visit) ?? false;
  };
  return visit(file);
}

/**
 * Starts of a word in a text, ascending; a text with a backslash may contain the word in escaped form, `\u0061sDate`.
 */
function placesOf(text: string, word: string): number[] | 'anywhere' {
  if (word === '' || text.includes('\\')) return 'anywhere';
  const places: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) places.push(at);
  return places;
}

function holdsOne(places: readonly number[], from: number, to: number): boolean {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return low < places.length && places[low]! < to;
}

function isWithin(node: ts.Node, ranges: readonly Range[]): boolean {
  return ranges.some(({ start, end }) => node.getStart() >= start && node.end <= end);
}

function isUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent)) return parent.left === node;
  if (ts.isExportSpecifier(parent))
    return !parent.parent.parent.moduleSpecifier && (parent.propertyName ?? parent.name) === node;
  if (ts.isBindingElement(parent) && parent.propertyName === node) return false;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  const named = (parent as { readonly name?: ts.Node }).name === node;
  return !named;
}
