/**
 * Whether a file may use a method of a model. In doubt the method counts as used: an unused method costs a line, a
 * missing one breaks a page. Only code that visibly means something else is excluded: a step of a chain on
 * `this.rows()`, a text that is passed to the runtime (a field, an address, a title), or a parameter with another
 * model.
 */
import { readNames, resolveImport, runtimeModule, type FileNames } from '../source/imports';
import { decoratorsOf, memberName, ts } from '../source/parse';
import { strip } from '../source/terms';
import type { Range } from './comments';
import { someNode } from './references';

/** Whether a text can reach a method without containing its name: by a computed key or by `Reflect`. */
export function mayNameAtRunTime(text: string): boolean {
  return /[\w$)\]}'"`!]\s*(?:\?\.)?\s*\[(?!\s*\])|\bReflect\b|[{,]\s*\[/.test(text);
}

/** `modelPath` has no extension. The ranges are those of members that are removed. */
export function usesMethod(
  file: ts.SourceFile,
  modelPath: string,
  method: string,
  without: readonly Range[] = [],
): boolean {
  const names = readNames(file);
  const others = (node: ts.Expression): boolean => isOtherModels(node, file.fileName, names, modelPath);
  if (someNode(file, method, (node) => mentions(node, method, names, others), without)) return true;
  if (!mayNameAtRunTime(file.text)) return false;
  const seesModel = file.fileName === `${modelPath}.ts` || importsModel(file, modelPath);
  return someNode(file, '', (node) => namesAtRunTime(node, seesModel, others), without);
}

function mentions(
  node: ts.Node,
  method: string,
  names: FileNames,
  others: (receiver: ts.Expression) => boolean,
): boolean {
  if (ts.isPropertyAccessExpression(node))
    return node.name.text === method && !isStep(node) && !others(node.expression);
  if (ts.isBindingElement(node)) {
    const name = node.propertyName ?? node.name;
    return ts.isIdentifier(name) && name.text === method;
  }
  // A subclass that overrides the method does not compile without it.
  if (ts.isClassElement(node)) return overrides(node) && memberName(node) === method;
  if (ts.isElementAccessExpression(node) || !ts.isStringLiteralLike(node) || node.text !== method) return false;
  if (ts.isElementAccessExpression(node.parent) && others(node.parent.expression)) return false;
  return !isDeclaredName(node) && !isGivenToRuntime(node, names);
}

function overrides(member: ts.ClassElement): boolean {
  const modifiers = ts.canHaveModifiers(member) ? ts.getModifiers(member) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.OverrideKeyword) ?? false;
}

/** Whether `x.step` is a step of a chain on `this.rows()`; the steps belong to the runtime, never to a model. */
function isStep(node: ts.PropertyAccessExpression): boolean {
  let receiver = strip(node.expression);
  while (ts.isCallExpression(receiver)) {
    const callee = strip(receiver.expression);
    if (!ts.isPropertyAccessExpression(callee)) return false;
    if (callee.name.text === 'rows' && strip(callee.expression).kind === ts.SyntaxKind.ThisKeyword) return true;
    receiver = strip(callee.expression);
  }
  return false;
}

/** The name of a property or member that is written as a text. */
function isDeclaredName(node: ts.StringLiteralLike): boolean {
  const { parent } = node;
  if (ts.isComputedPropertyName(parent)) return !ts.isBindingElement(parent.parent);
  return (
    (ts.isPropertyAssignment(parent) || ts.isClassElement(parent) || ts.isTypeElement(parent)) && parent.name === node
  );
}

/** A text inside the literals that are passed to a function of the runtime or to a step of a chain. */
function isGivenToRuntime(node: ts.Node, names: FileNames): boolean {
  let argument = node;
  while (ts.isArrayLiteralExpression(argument.parent) || isPartOfLiteral(argument)) argument = argument.parent;
  const call = argument.parent;
  if (!ts.isCallExpression(call) || call.expression === argument) return false;
  const callee = strip(call.expression);
  if (ts.isPropertyAccessExpression(callee) && isStep(callee)) return true;
  const meant = ts.isIdentifier(callee)
    ? names.resolve(callee.text)
    : ts.isPropertyAccessExpression(callee) && ts.isIdentifier(callee.expression)
      ? `${names.namespaceOf(callee.expression.text)}#`
      : undefined;
  return meant?.startsWith(`${runtimeModule}#`) ?? false;
}

function isPartOfLiteral({ parent }: ts.Node): boolean {
  return (
    ts.isObjectLiteralExpression(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isAsExpression(parent) ||
    ts.isSatisfiesExpression(parent)
  );
}

/** A key that is only known when the code runs, on a value that may be the model. */
function namesAtRunTime(node: ts.Node, seesModel: boolean, others: (receiver: ts.Expression) => boolean): boolean {
  if (ts.isCallExpression(node)) {
    const callee = strip(node.expression);
    const reflects =
      ts.isPropertyAccessExpression(callee) &&
      ts.isIdentifier(callee.expression) &&
      callee.expression.text === 'Reflect';
    const [target, key] = node.arguments;
    return reflects && key !== undefined && !isPlainKey(key) && !(target && others(target));
  }
  if (ts.isBindingElement(node) && node.propertyName && ts.isComputedPropertyName(node.propertyName))
    return !isPlainKey(node.propertyName.expression);
  if (!ts.isElementAccessExpression(node) || isPlainKey(node.argumentExpression)) return false;
  if (others(node.expression) || isLocalList(node.expression)) return false;
  return seesModel || isCalled(node);
}

function isPlainKey(node: ts.Expression): boolean {
  const key = strip(node);
  return ts.isStringLiteralLike(key) || ts.isNumericLiteral(key);
}

/** A computed member of an unknown value is called: the value may be a model even if the file does not import one. */
function isCalled(node: ts.Expression): boolean {
  let called: ts.Node = node;
  while (
    ts.isParenthesizedExpression(called.parent) ||
    ts.isNonNullExpression(called.parent) ||
    ts.isAsExpression(called.parent) ||
    (ts.isPropertyAccessExpression(called.parent) && called.parent.expression === called)
  )
    called = called.parent;
  return ts.isCallExpression(called.parent) && called.parent.expression === called;
}

/** A constant of this file that holds a literal list or record. */
function isLocalList(node: ts.Expression): boolean {
  const receiver = strip(node);
  if (!ts.isIdentifier(receiver))
    return ts.isArrayLiteralExpression(receiver) || ts.isObjectLiteralExpression(receiver);
  const declarations: ts.VariableDeclaration[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isVariableDeclaration(each) && ts.isIdentifier(each.name) && each.name.text === receiver.text)
      declarations.push(each);
    if (ts.isParameter(each) && each.name.getText() === receiver.text) shadowed = true;
    ts.forEachChild(each, visit);
  };
  let shadowed = false;
  visit(node.getSourceFile());
  const [only, second] = declarations;
  const value = only?.initializer && strip(only.initializer);
  return (
    !shadowed &&
    !second &&
    value !== undefined &&
    (ts.isArrayLiteralExpression(value) || ts.isObjectLiteralExpression(value))
  );
}

/** Whether a file imports, exports or requires the model, as a type or otherwise. */
export function importsModel(file: ts.SourceFile, modelPath: string): boolean {
  const [resource] = modelPath.split('/').slice(-2);
  const visit = (node: ts.Node): boolean =>
    (ts.isStringLiteralLike(node) && resolveImport(file.fileName, node.text) === modelPath) ||
    (ts.forEachChild(node, visit) ?? false);
  return file.text.includes(`${resource}/model`) && visit(file);
}

/** A parameter with `@Model(Other)`. */
function isOtherModels(receiver: ts.Expression, path: string, names: FileNames, modelPath: string): boolean {
  if (!ts.isIdentifier(receiver)) return false;
  const local = receiver.text;
  const owner = ts.findAncestor(receiver, ts.isMethodDeclaration);
  const parameter = owner?.parameters.find(({ name }) => ts.isIdentifier(name) && name.text === local);
  const [argument] = parameter
    ? decoratorsOf(parameter).flatMap(({ expression }) =>
        ts.isCallExpression(expression) && expression.expression.getText() === names.spell(runtimeModule, 'Model')
          ? expression.arguments
          : [],
      )
    : [];
  const meant = argument && ts.isIdentifier(argument) ? names.resolve(argument.text) : undefined;
  const target = meant?.includes('#') ? resolveImport(path, meant.slice(0, meant.lastIndexOf('#'))) : undefined;
  return target !== undefined && target !== modelPath && /^resources\/[^/]+\/model$/.test(target);
}
