/**
 * Code of a file that runs before a route answers and could replace it: statements, static blocks and fields, instance
 * fields and constructors, decorators. Such code is not interpreted. It is suspect as soon as it can reach the class,
 * the runtime or a prototype; code that cannot reach them (`console.log(1)`, a constant) is ignored.
 */
import { resolveImport, runtimeModule, type FileNames } from './source/imports';
import { decoratorsOf, isNamedAtRunTime, ts } from './source/parse';
import { strip } from './source/terms';

/** Functions of the runtime that return a value and give access to nothing else. */
const pure = new Set(['asDate', 'asNumber', 'asBoolean', 'arrange', 'defineResource']);

/** Ways to a prototype or to code that is created at run time. */
const suspectGlobals = new Set([
  'globalThis',
  'global',
  'window',
  'self',
  'eval',
  'Function',
  'Reflect',
  'Proxy',
  'require',
  'module',
  'exports',
]);
const suspectMembers = new Set([
  'prototype',
  '__proto__',
  'constructor',
  'getPrototypeOf',
  'setPrototypeOf',
  'defineProperty',
  'defineProperties',
  'assign',
  '__defineGetter__',
]);

/**
 * The first suspect node of a file that declares `owner`, or undefined. The file of a resource declares no such class.
 */
export function codeOfItsOwn(file: ts.SourceFile, names: FileNames, owner?: ts.ClassDeclaration): ts.Node | undefined {
  const suspects = suspectNames(file, names, owner);
  const find = (node: ts.Node): ts.Node | undefined => firstSuspect(node, suspects);
  for (const statement of file.statements) {
    const found =
      statement === owner ? suspectMember(owner, names, find) : runsOnLoad(statement).map(find).find(Boolean);
    if (found) return found;
  }
  return undefined;
}

/** The parts of a top-level statement that run when the file is loaded. */
function runsOnLoad(statement: ts.Statement): readonly ts.Node[] {
  if (ts.isImportDeclaration(statement) || ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
    return [];
  if (ts.isFunctionDeclaration(statement) || ts.isExportDeclaration(statement)) return [];
  if (ts.isImportEqualsDeclaration(statement)) return [];
  if (
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword)
  )
    return [];
  if (ts.isExportAssignment(statement))
    return ts.isIdentifier(strip(statement.expression)) ? [] : [statement.expression];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name, initializer }) => [
      ...(ts.isIdentifier(name) ? [] : [name]),
      ...(initializer && !isDeclaration(strip(initializer)) ? [initializer] : []),
    ]);
  if (ts.isClassDeclaration(statement)) return ownPartsOf(statement);
  return [statement];
}

/** The parts of another class in the file that run when that class is declared. */
function ownPartsOf(owner: ts.ClassDeclaration): readonly ts.Node[] {
  const isStatic = (member: ts.ClassElement): boolean =>
    ts.isClassStaticBlockDeclaration(member) ||
    (ts.isPropertyDeclaration(member) &&
      (ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false));
  return [
    ...decoratorsOf(owner),
    ...basesOf(owner).filter((base) => !ts.isIdentifier(base)),
    ...owner.members.flatMap((member) => [
      ...decoratorsOf(member),
      ...(ts.isFunctionLike(member) ? member.parameters.flatMap(decoratorsOf) : []),
      ...(member.name && ts.isComputedPropertyName(member.name) ? [member.name.expression] : []),
      ...(isStatic(member) ? [member] : []),
    ]),
  ];
}

function basesOf({ heritageClauses }: ts.ClassDeclaration): readonly ts.Expression[] {
  return (heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => types.map(({ expression }) => expression));
}

/** A value whose evaluation runs none of the code inside it, or the resource itself. */
function isDeclaration(node: ts.Expression): boolean {
  return ts.isIdentifier(node) || ts.isArrowFunction(node) || ts.isFunctionExpression(node) || isDefinition(node);
}

/** `defineResource('orders', { … })` with nothing but literals; `readResource` has checked that. */
function isDefinition(node: ts.Expression): boolean {
  return ts.isCallExpression(node) && /(^|\.)defineResource$/.test(node.expression.getText());
}

/** Names that lead to the class, a model, a resource or the runtime, directly or through declarations of this file. */
function suspectNames(file: ts.SourceFile, names: FileNames, owner: ts.ClassDeclaration | undefined): Set<string> {
  const suspects = new Set(suspectGlobals);
  if (owner?.name) suspects.add(owner.name.text);
  const isOfProject = (module: string): boolean =>
    /^(pages|resources)\//.test(resolveImport(file.fileName, module) ?? '');
  for (const { local, name, module, typeOnly } of names.imports)
    if (!typeOnly && ((module === runtimeModule && !pure.has(name)) || isOfProject(module))) suspects.add(local);
  for (const { name, moduleReference } of file.statements.filter(ts.isImportEqualsDeclaration)) {
    const module =
      ts.isExternalModuleReference(moduleReference) && ts.isStringLiteralLike(moduleReference.expression)
        ? moduleReference.expression.text
        : runtimeModule;
    if (module === runtimeModule || isOfProject(module)) suspects.add(name.text);
  }
  const isResource = (node: ts.Node): boolean =>
    ts.isVariableDeclaration(node) && node.initializer !== undefined && isDefinition(strip(node.initializer));
  const declarations = file.statements.flatMap((statement): (readonly [string, ts.Node])[] => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map((each) => [each.name.getText(file), each] as const);
    const named = ts.isFunctionDeclaration(statement) || (ts.isClassDeclaration(statement) && statement !== owner);
    return named && statement.name ? [[statement.name.text, statement] as const] : [];
  });
  for (let before = -1; before < suspects.size;) {
    before = suspects.size;
    for (const [name, node] of declarations) if (isResource(node) || firstSuspect(node, suspects)) suspects.add(name);
  }
  return suspects;
}

/** The parts of a class that run when it is declared or constructed. */
function suspectMember(
  owner: ts.ClassDeclaration,
  names: FileNames,
  find: (node: ts.Node) => ts.Node | undefined,
): ts.Node | undefined {
  const foreign = (node: ts.Node): ts.Node | undefined =>
    decoratorsOf(node)
      .map((decorator) => suspectDecorator(decorator, names, find))
      .find(Boolean);
  for (const node of [owner, ...owner.members]) {
    const found = foreign(node);
    if (found) return found;
  }
  for (const member of owner.members) {
    // A file that declares `Symbol` may call a member anything with it.
    const named = names.declared.has('Symbol') && member.name && ts.isComputedPropertyName(member.name);
    const found = named || isNamedAtRunTime(member) ? member : suspectPart(member, foreign, find);
    if (found) return found;
  }
  return undefined;
}

function suspectPart(
  member: ts.ClassElement,
  foreign: (node: ts.Node) => ts.Node | undefined,
  find: (node: ts.Node) => ts.Node | undefined,
): ts.Node | undefined {
  if (ts.isClassStaticBlockDeclaration(member)) return find(member.body) && member;
  if (ts.isConstructorDeclaration(member)) {
    const runs = (member.body?.statements ?? []).length > 0 || member.parameters.some((each) => find(each));
    return runs ? member : member.parameters.map(foreign).find(Boolean);
  }
  if (ts.isMethodDeclaration(member)) return member.parameters.map(foreign).find(Boolean);
  if (!ts.isPropertyDeclaration(member) || !member.initializer || isDeclaration(strip(member.initializer)))
    return undefined;
  return find(member.initializer) && member;
}

/**
 * A decorator receives its target and so can reach the class: only the runtime's decorators are known to change
 * nothing.
 */
function suspectDecorator(
  decorator: ts.Decorator,
  names: FileNames,
  find: (node: ts.Node) => ts.Node | undefined,
): ts.Node | undefined {
  const call = strip(decorator.expression);
  if (!ts.isCallExpression(call)) return decorator;
  const callee = strip(call.expression);
  const ofRuntime = ts.isIdentifier(callee)
    ? names.resolve(callee.text)?.startsWith(`${runtimeModule}#`)
    : ts.isPropertyAccessExpression(callee) &&
      ts.isIdentifier(callee.expression) &&
      names.namespaceOf(callee.expression.text) === runtimeModule;
  if (!ofRuntime) return decorator;
  return call.arguments
    .map((argument) => {
      const value = strip(argument);
      const late = ts.isArrowFunction(value) && !ts.isBlock(value.body) ? strip(value.body) : value;
      return ts.isIdentifier(late) ? undefined : find(argument);
    })
    .find(Boolean);
}

/** The first value at or below a node that can reach something outside it. Types reach nothing. */
function firstSuspect(node: ts.Node, suspects: ReadonlySet<string>): ts.Node | undefined {
  if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return undefined;
  if (ts.isImportDeclaration(node) || isSuspect(node, suspects)) return node;
  return ts.forEachChild(node, (child) => firstSuspect(child, suspects));
}

function isSuspect(node: ts.Node, suspects: ReadonlySet<string>): boolean {
  const { kind } = node;
  if (kind === ts.SyntaxKind.ThisKeyword || kind === ts.SyntaxKind.SuperKeyword) return true;
  if (kind === ts.SyntaxKind.ImportKeyword || ts.isModuleDeclaration(node) || ts.isDeleteExpression(node)) return true;
  if (ts.isPropertyAccessExpression(node)) return suspectMembers.has(node.name.text);
  if (ts.isElementAccessExpression(node)) return !ts.isNumericLiteral(node.argumentExpression);
  if (ts.isBindingElement(node)) return isSuspectKey(node.propertyName ?? node.name);
  const assigned = assignedBy(node);
  if (assigned) return !ts.isIdentifier(strip(assigned));
  return ts.isIdentifier(node) && suspects.has(node.text) && !isPropertyName(node);
}

/** A part that is taken out of a value: `{ prototype: taken }`. */
function isSuspectKey(key: ts.PropertyName | ts.BindingName): boolean {
  return (
    ts.isComputedPropertyName(key) ||
    ((ts.isIdentifier(key) || ts.isStringLiteral(key)) && suspectMembers.has(key.text))
  );
}

/** What a node assigns to, also in each turn of a loop. */
function assignedBy(node: ts.Node): ts.Expression | undefined {
  if (ts.isForOfStatement(node) || ts.isForInStatement(node))
    return ts.isVariableDeclarationList(node.initializer) ? undefined : node.initializer;
  if (ts.isPostfixUnaryExpression(node)) return node.operand;
  if (ts.isPrefixUnaryExpression(node))
    return node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken
      ? node.operand
      : undefined;
  if (!ts.isBinaryExpression(node)) return undefined;
  const { kind } = node.operatorToken;
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment ? node.left : undefined;
}

function isPropertyName({ parent, text }: ts.Identifier): boolean {
  if (ts.isPropertyAccessExpression(parent)) return parent.name.text === text && parent.expression.getText() !== text;
  return (ts.isPropertyAssignment(parent) || ts.isClassElement(parent)) && parent.name?.getText() === text;
}
