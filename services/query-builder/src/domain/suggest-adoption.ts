/**
 * The smallest change that makes an opaque query readable again. Candidates are the changes that a person would try
 * first: remove a step, a statement, a parameter or a decorator, or replace surrounding code by the plain answer or
 * chain. Each candidate is checked by reading the whole query back, so a proposal is proven to work.
 */
import type { TemplateRegistry } from '@platform/builder';
import { applySplices, type Splice } from './edit/splice';
import { certify, routeNamed } from './page-queries';
import { readModel, type ModelSource } from './project';
import { readPageSource, type ClassSource } from './source/class-source';
import { memberName, ts } from './source/parse';

export interface SourceChange {
  readonly path: string;
  readonly before: string;
  readonly text: string;
}

export interface OpaqueQuery {
  readonly name: string;
  readonly page: ClassSource;
  readonly modelMethod: string | undefined;
  readonly model: { readonly name: string; readonly declaration: string; readonly source: ModelSource } | undefined;
  readonly templates: TemplateRegistry;
}

const maxTried = 400;
const maxCombined = 24;

/** Undefined when no small change helps; then only people edit the query. */
export function suggestAdoption(query: OpaqueQuery): SourceChange[] | undefined {
  const onPage = candidatesIn(query.page, query.name).map((splice) => ({ page: [splice], model: [] as Splice[] }));
  const inModel =
    query.model && query.modelMethod !== undefined
      ? candidatesIn(query.model.source.source, query.modelMethod).map((splice) => ({
          page: [] as Splice[],
          model: [splice],
        }))
      : [];
  const singles = [...onPage, ...inModel].slice(0, maxTried);
  const found = singles.filter((each) => readsBack(query, each)).sort((a, b) => sizeOf(a) - sizeOf(b))[0];
  return resultOf(query, found ?? pairThatReads(query, singles.slice(0, maxCombined)));
}

interface Change {
  readonly page: readonly Splice[];
  readonly model: readonly Splice[];
}

function pairThatReads(query: OpaqueQuery, singles: readonly Change[]): Change | undefined {
  const pairs = singles.flatMap((one, index) =>
    singles
      .slice(index + 1)
      .map((two) => ({ page: [...one.page, ...two.page], model: [...one.model, ...two.model] }))
      .filter(({ page, model }) => apart(page) && apart(model)),
  );
  return pairs.sort((a, b) => sizeOf(a) - sizeOf(b)).find((pair) => readsBack(query, pair));
}

const apart = ([one, two]: readonly Splice[]): boolean => !one || !two || one.end <= two.start || two.end <= one.start;

const sizeOf = ({ page, model }: Change): number =>
  [...page, ...model].reduce((sum, { start, end, text }) => sum + (end - start) + text.length, 0);

function readsBack({ name, page, model, templates }: OpaqueQuery, change: Change): boolean {
  try {
    const changed = readPageSource(page.path, applySplices(page.text, change.page));
    const changedModel =
      model && readModel(model.name, model.declaration, applySplices(model.source.source.text, change.model));
    const route = routeNamed(changed, name);
    return route !== undefined && certify(changed, route, changedModel, templates).kind === 'readable';
  } catch {
    return false;
  }
}

function resultOf({ page, model }: OpaqueQuery, change: Change | undefined): SourceChange[] | undefined {
  if (!change) return undefined;
  const source = model?.source.source;
  return [
    ...(change.page.length > 0
      ? [{ path: page.path, before: page.text, text: applySplices(page.text, change.page) }]
      : []),
    ...(source && change.model.length > 0
      ? [{ path: source.path, before: source.text, text: applySplices(source.text, change.model) }]
      : []),
  ];
}

/** Candidates: code to remove or to simplify, in one member and around its class. */
function candidatesIn({ file, owner, text }: ClassSource, name: string): Splice[] {
  const splices: Splice[] = [];
  const without = (node: ts.Node): void => void splices.push(lineWithout(text, node.getFullStart(), node.end));
  for (const statement of file.statements)
    if (statement !== owner && !ts.isImportDeclaration(statement)) without(statement);
  for (const decorator of owner.modifiers ?? []) if (ts.isDecorator(decorator)) without(decorator);
  for (const member of owner.members) {
    if (memberName(member) === name) collect(member, file, splices, text);
    else if (!ts.isMethodDeclaration(member)) without(member);
  }
  return splices;
}

function collect(member: ts.Node, file: ts.SourceFile, splices: Splice[], text: string): void {
  const visit = (node: ts.Node): void => {
    if (ts.isStatement(node) && !ts.isBlock(node) && !ts.isReturnStatement(node))
      splices.push(lineWithout(text, node.getFullStart(), node.end));
    if (ts.isParameter(node)) splices.push(withComma(text, node.getFullStart(), node.end));
    if (ts.isDecorator(node) && node.parent === member) splices.push(lineWithout(text, node.getFullStart(), node.end));
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      splices.push({ start: node.expression.expression.end, end: node.end, text: '' });
    if (ts.isReturnStatement(node) && node.expression) splices.push(...plainReturns(node.expression, file));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(member, visit);
}

/** Each chain or awaited model inside a returned expression, returned without the rest of it. */
function plainReturns(expression: ts.Expression, file: ts.SourceFile): Splice[] {
  const [start, end] = [expression.getStart(file), expression.end];
  const found: Splice[] = [];
  const visit = (node: ts.Node): void => {
    const inner = node.getText(file);
    if (ts.isAwaitExpression(node))
      for (const key of ['series', 'value']) found.push({ start, end, text: `{ ${key}: ${inner} }` });
    if (node !== expression && ts.isCallExpression(node) && /^this\s*\.rows\(\)/.test(inner))
      found.push({ start, end, text: inner });
    ts.forEachChild(node, visit);
  };
  visit(expression);
  return found;
}

/** Takes a node out together with the line end before it. */
function lineWithout(text: string, fullStart: number, end: number): Splice {
  const lead = /^\s*/.exec(text.slice(fullStart))![0];
  const start = fullStart + Math.max(0, lead.lastIndexOf('\n'));
  return { start, end, text: '' };
}

function withComma(text: string, fullStart: number, end: number): Splice {
  const after = /^\s*,/.exec(text.slice(end))?.[0];
  return { start: fullStart, end: end + (after?.length ?? 0), text: '' };
}
