/**
 * Whether a file may use a method of a model. In doubt it does: a method that is left behind costs a line, one that is
 * missing costs a page. Only a parameter that is visibly another model's is believed.
 */
import { resolveImport } from '../project';
import { readNames, runtimeModule, type FileNames } from '../source/imports';
import { decoratorsOf, ts } from '../source/parse';
import { someNode } from './references';
import type { Range } from './comments';

/** `modelPath` without extension. Ranges are those of members that go. */
export function usesMethod(
  file: ts.SourceFile,
  modelPath: string,
  method: string,
  without: readonly Range[] = [],
): boolean {
  const names = readNames(file);
  return someNode(
    file,
    method,
    (node) => mentions(node, method) && !isOtherModels(node, file.fileName, names, modelPath),
    without,
  );
}

function mentions(node: ts.Node, method: string): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === method;
  if (ts.isElementAccessExpression(node))
    return !ts.isStringLiteralLike(node.argumentExpression) ? false : node.argumentExpression.text === method;
  if (ts.isBindingElement(node)) return (node.propertyName ?? node.name).getText() === method;
  return ts.isLiteralTypeNode(node) && ts.isStringLiteralLike(node.literal) && node.literal.text === method;
}

/** `model.method` where `model` is a parameter with `@Model(Other)`. */
function isOtherModels(node: ts.Node, path: string, names: FileNames, modelPath: string): boolean {
  if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.expression)) return false;
  const local = node.expression.text;
  const owner = ts.findAncestor(node, ts.isMethodDeclaration);
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
