/**
 * The closed set of expressions that can be read back. A term leaves out differences of spelling (parentheses, quotes,
 * casts, parameter names, constants that are used once) and keeps everything that affects the meaning. Any other
 * expression is unreadable and reported with its position; no part is skipped.
 */
import type { PlainScalar } from '@platform/builder';
import { literalValue } from './literal';
import { ts } from './parse';

export type Term =
  | { readonly kind: 'literal'; readonly value: PlainScalar; readonly node: ts.Node }
  | { readonly kind: 'parameter'; readonly index: number; readonly node: ts.Node }
  /** An imported binding (`@platform/page-runtime#asDate`) or, without a `#`, a name that the file declares. */
  | { readonly kind: 'name'; readonly name: string; readonly node: ts.Node }
  | { readonly kind: 'this'; readonly node: ts.Node }
  | { readonly kind: 'member'; readonly of: Term; readonly name: string; readonly node: ts.Node }
  | { readonly kind: 'call'; readonly callee: Term; readonly args: readonly Term[]; readonly node: ts.Node }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Term])[]; readonly node: ts.Node }
  | { readonly kind: 'await'; readonly of: Term; readonly node: ts.Node };

/** Source outside the grammar. */
export class Unreadable extends Error {
  override name = 'Unreadable';
  constructor(
    readonly node: ts.Node,
    message: string,
  ) {
    super(message);
  }
}

export interface Scope {
  /** The meaning of a name in the file: `module#name` for an import, the name itself for a declaration. */
  resolve(name: string): string | undefined;
  /** The module of a namespace import, for names such as `runtime.asDate`. */
  namespaceOf(name: string): string | undefined;
  /** The literal behind a constant of the file. */
  constant(name: string): ts.Expression | undefined;
}

interface Local {
  readonly initializer: ts.Expression;
  uses: number;
}

/** A function as parameters and the term that it returns. Throws Unreadable. */
export function readFunction(node: ts.MethodDeclaration | ts.ArrowFunction, scope: Scope): Term {
  if (node.asteriskToken || node.typeParameters || !node.body)
    throw new Unreadable(node, 'a generator, a type parameter or a method without a body is not generated');
  const parameters = new Map<string, number>();
  node.parameters.forEach((parameter, index) => {
    if (!ts.isIdentifier(parameter.name)) throw new Unreadable(parameter, 'a parameter is taken apart');
    if (parameter.initializer || parameter.dotDotDotToken)
      throw new Unreadable(parameter, 'a parameter has a default or takes the rest');
    if (parameter.name.text === 'this' || parameters.has(parameter.name.text))
      throw new Unreadable(parameter, 'a parameter has an unusual name');
    parameters.set(parameter.name.text, index);
  });
  const locals = new Map<string, Local>();
  const result = ts.isBlock(node.body) ? readBlock(node.body, locals) : node.body;
  const awaits = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false;
  const term = readTerm(result, { scope, parameters, locals, awaits });
  for (const { initializer, uses } of locals.values()) {
    const once = uses === 1 || (uses > 1 && literalValue(strip(initializer)) !== undefined);
    if (!once)
      throw new Unreadable(
        initializer,
        uses === 0 ? 'a constant is not used' : 'a computed constant is used more than once',
      );
  }
  return term;
}

function readBlock(body: ts.Block, locals: Map<string, Local>): ts.Expression {
  const statements = body.statements.filter((statement) => !ts.isEmptyStatement(statement));
  const last = statements.pop();
  for (const statement of statements) {
    // Readable code cannot assign, so a variable is equivalent to a constant; `using` would run code at the end of the
    // scope.
    if (!ts.isVariableStatement(statement) || statement.declarationList.flags & ts.NodeFlags.Using)
      throw new Unreadable(statement, 'a statement besides the one that returns');
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name) || !initializer) throw new Unreadable(statement, 'a constant is taken apart');
      if (locals.has(name.text)) throw new Unreadable(name, 'a variable is declared twice');
      locals.set(name.text, { initializer, uses: 0 });
    }
  }
  if (!last || !ts.isReturnStatement(last) || !last.expression)
    throw new Unreadable(last ?? body, 'the last statement does not return a value');
  return last.expression;
}

interface Names {
  readonly scope: Scope;
  readonly parameters: ReadonlyMap<string, number>;
  readonly locals: ReadonlyMap<string, Local>;
  /** Whether the function is asynchronous. */
  readonly awaits: boolean;
}

/** Reads an expression that is outside every function. Throws Unreadable. */
export function readFreeTerm(node: ts.Expression, scope: Scope): Term {
  return readTerm(node, { scope, parameters: new Map(), locals: new Map(), awaits: false });
}

function readTerm(wrapped: ts.Expression, names: Names): Term {
  const node = strip(wrapped);
  const value = literalValue(node);
  if (value !== undefined) return { kind: 'literal', value, node };
  if (node.kind === ts.SyntaxKind.ThisKeyword) return { kind: 'this', node };
  if (ts.isIdentifier(node)) return readName(node, names);
  if (ts.isAwaitExpression(node) && !names.awaits) throw new Unreadable(node, 'a function that is not async awaits');
  if (ts.isAwaitExpression(node)) return { kind: 'await', of: readTerm(node.expression, names), node };
  if (ts.isObjectLiteralExpression(node)) return readObject(node, names);
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.name) && !node.questionDotToken)
    return readMember(node, node.expression, node.name.text, names);
  if (ts.isElementAccessExpression(node) && !node.questionDotToken && ts.isStringLiteralLike(node.argumentExpression))
    return readMember(node, node.expression, node.argumentExpression.text, names);
  if (ts.isCallExpression(node) && !node.questionDotToken) {
    return {
      kind: 'call',
      callee: readTerm(node.expression, names),
      args: node.arguments.map((argument) => readTerm(argument, names)),
      node,
    };
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return readJoined(node, [node.left, node.right], names);
  throw new Unreadable(node, `this kind of expression (${ts.SyntaxKind[node.kind]}) is not generated`);
}

/** A text that is joined from texts. */
function readJoined(node: ts.Expression, parts: readonly ts.Expression[], names: Names): Term {
  const texts = parts.map((part) => {
    const term = readTerm(part, names);
    if (term.kind !== 'literal' || typeof term.value !== 'string')
      throw new Unreadable(part, 'only texts are put together');
    return term.value;
  });
  return { kind: 'literal', value: texts.join(''), node };
}

function readName(node: ts.Identifier, names: Names): Term {
  const local = names.locals.get(node.text);
  if (local) {
    if (node.pos < local.initializer.end) throw new Unreadable(node, 'a constant is used before it has its value');
    local.uses += 1;
    return readTerm(local.initializer, names);
  }
  const index = names.parameters.get(node.text);
  if (index !== undefined) return { kind: 'parameter', index, node };
  const constant = names.scope.constant(node.text);
  const value = constant && literalValue(strip(constant));
  if (value !== undefined) return { kind: 'literal', value, node };
  const resolved = names.scope.resolve(node.text);
  if (resolved === undefined) throw new Unreadable(node, `the name ${node.text} is not declared in this file`);
  return { kind: 'name', name: resolved, node };
}

function readMember(node: ts.Expression, of: ts.Expression, name: string, names: Names): Term {
  const object = strip(of);
  if (ts.isIdentifier(object) && !names.locals.has(object.text) && !names.parameters.has(object.text)) {
    const namespace = names.scope.namespaceOf(object.text);
    if (namespace !== undefined) return { kind: 'name', name: `${namespace}#${name}`, node };
  }
  return { kind: 'member', of: readTerm(of, names), name, node };
}

function readObject(node: ts.ObjectLiteralExpression, names: Names): Term {
  const entries = new Map<string, Term>();
  for (const property of node.properties) {
    const entry = readProperty(property, names);
    if (entries.has(entry[0]) || entry[0] === '__proto__')
      throw new Unreadable(property, 'a key occurs twice or is special');
    entries.set(...entry);
  }
  return { kind: 'object', entries: [...entries].sort(([a], [b]) => (a < b ? -1 : 1)), node };
}

function readProperty(property: ts.ObjectLiteralElementLike, names: Names): [string, Term] {
  if (ts.isShorthandPropertyAssignment(property) && !property.objectAssignmentInitializer)
    return [property.name.text, readName(property.name, names)];
  if (!ts.isPropertyAssignment(property))
    throw new Unreadable(property, 'a part of an object that is neither key nor value');
  const { name } = property;
  const key =
    ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression)
      ? name.expression.text
      : ts.isIdentifier(name) || ts.isStringLiteralLike(name)
        ? name.text
        : undefined;
  if (key === undefined) throw new Unreadable(property, 'a computed key');
  return [key, readTerm(property.initializer, names)];
}

/** The expression without the parts that only the compiler uses: parentheses, casts, `satisfies`, `!`. */
export function strip(node: ts.Expression): ts.Expression {
  let inner = node;
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner) ||
    ts.isNonNullExpression(inner) ||
    ts.isTypeAssertionExpression(inner)
  )
    inner = inner.expression;
  return inner;
}

/**
 * The term as text; equal texts have the same meaning. `parameterName` names parameters independently of their
 * spelling.
 */
export function printTerm(term: Term, parameterName: (index: number) => string): string {
  const print = (inner: Term): string => printTerm(inner, parameterName);
  switch (term.kind) {
    case 'literal':
      return Object.is(term.value, -0) ? '-0' : JSON.stringify(term.value);
    case 'parameter':
      return parameterName(term.index);
    case 'name':
      return `<${term.name}>`;
    case 'this':
      return 'this';
    case 'member':
      return `${print(term.of)}.${JSON.stringify(term.name)}`;
    case 'call':
      return `${print(term.callee)}(${term.args.map(print).join(',')})`;
    case 'object':
      return `{${term.entries.map(([key, value]) => `${JSON.stringify(key)}:${print(value)}`).join(',')}}`;
    case 'await':
      return `await(${print(term.of)})`;
  }
}
