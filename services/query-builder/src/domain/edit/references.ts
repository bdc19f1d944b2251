/** Where names of a file are used. Names of properties are no uses: `{ Query: 1 }` says nothing about an import `Query`. */
import { ts } from '../source/parse';
import type { Range } from './comments';

/** Names that are used as values or types, inside or outside the given ranges. Import declarations use nothing. */
export function usedNames(file: ts.SourceFile, where: (node: ts.Node) => boolean): Set<string> {
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isIdentifier(node) && isUse(node) && where(node)) used.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return used;
}

export function isWithin(node: ts.Node, ranges: readonly Range[]): boolean {
  return ranges.some(({ start, end }) => node.getStart() >= start && node.end <= end);
}

function isUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent)) return parent.left === node;
  if (ts.isExportSpecifier(parent)) return !parent.parent.parent.moduleSpecifier && (parent.propertyName ?? parent.name) === node;
  if (ts.isBindingElement(parent) && parent.propertyName === node) return false;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  const named = (parent as { readonly name?: ts.Node }).name === node;
  return !named;
}
