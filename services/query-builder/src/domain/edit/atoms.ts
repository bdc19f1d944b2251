/**
 * A member as a row of atoms, the smallest parts that an edit replaces: a link of a chain, a parameter, or else a
 * token.
 */
import { literalValue } from '../source/literal';
import { ts } from '../source/parse';

interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: ts.SyntaxKind;
  /** Equal keys have the same meaning; quotes may differ. */
  readonly key: string;
}

export interface Atom {
  readonly start: number;
  readonly end: number;
  readonly key: string;
  readonly tokens: readonly Token[];
}

export function atomsOf(file: ts.SourceFile, member: ts.Node): Atom[] {
  const atoms: Atom[] = [];
  const single = (node: ts.Node): void => tokensOf(file, node).forEach((token) => atoms.push(atomOf([token])));
  const visit = (node: ts.Node): void => {
    if (ts.isParameter(node)) return void atoms.push(atomOf(tokensOf(file, node)));
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      visit(node.expression.expression);
      const inner = node.expression.expression.end;
      return void atoms.push(atomOf(tokensOf(file, node).filter(({ start }) => start >= inner)));
    }
    const children = childrenOf(file, node);
    if (children.length === 0) return single(node);
    children.forEach(visit);
  };
  visit(member);
  return atoms;
}

function atomOf(tokens: readonly Token[]): Atom {
  return { start: tokens[0]!.start, end: tokens.at(-1)!.end, key: tokens.map(({ key }) => key).join('\u0000'), tokens };
}

export function tokensOf(file: ts.SourceFile, node: ts.Node): Token[] {
  const children = childrenOf(file, node);
  if (children.length > 0) return children.flatMap((child) => tokensOf(file, child));
  const [start, end] = [node.getStart(file), node.end];
  if (start === end) return [];
  const value = literalValue(node);
  return [
    {
      start,
      end,
      kind: node.kind,
      key: value === undefined ? file.text.slice(start, end) : `${typeof value}:${String(value)}`,
    },
  ];
}

function childrenOf(file: ts.SourceFile, node: ts.Node): ts.Node[] {
  return node.getChildren(file).filter((child) => !ts.isJSDoc(child));
}

export function sameShape(a: Atom, b: Atom): boolean {
  return a.tokens.length === b.tokens.length && a.tokens.every(({ kind }, index) => kind === b.tokens[index]!.kind);
}
