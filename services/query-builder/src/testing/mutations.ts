/** Small changes of a source at every node of its tree: nodes are removed, doubled, exchanged, wrapped or renamed. */
import { ts } from '../domain/source/parse';

export interface Mutation {
  readonly what: string;
  readonly line: number;
  readonly text: string;
}

/** Mutations of the nodes that `wanted` selects and of everything below them. */
export function mutationsOf(file: ts.SourceFile, wanted: (node: ts.Node) => boolean): Mutation[] {
  const mutations: Mutation[] = [];
  const { text } = file;
  const add = (what: string, start: number, end: number, replacement: string): void => {
    const after = text.slice(0, start) + replacement + text.slice(end);
    if (after !== text) mutations.push({ what, line: file.getLineAndCharacterOfPosition(start).line + 1, text: after });
  };
  const visit = (node: ts.Node, inside: boolean): void => {
    const here = inside || wanted(node);
    if (here) mutateNode(file, node, add);
    ts.forEachChild(node, (child) => visit(child, here));
  };
  visit(file, false);
  return mutations;
}

type Add = (what: string, start: number, end: number, replacement: string) => void;

function mutateNode(file: ts.SourceFile, node: ts.Node, add: Add): void {
  const { text } = file;
  const [start, end] = [node.getStart(file), node.end];
  const own = text.slice(start, end);
  if (ts.isIdentifier(node)) {
    const unused = ts.isParameter(node.parent) && node.parent.name === node && node.text.startsWith('_');
    if (!unused) add(`renames ${own}`, start, end, `${own}X`);
  }
  if (ts.isStringLiteral(node))
    for (const other of ["'mutated'", "''", "'total'", "'status'", "'/mutated'"])
      add(`says ${other} for ${own}`, start, end, other);
  if (ts.isNumericLiteral(node))
    for (const other of ['1', '2000', '-1']) add(`says ${other} for ${own}`, start, end, other);
  if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword)
    add(`turns ${own}`, start, end, own === 'true' ? 'false' : 'true');
  if (ts.isAwaitExpression(node))
    add('does not await', start, end, text.slice(node.expression.getStart(file), node.expression.end));
  if (ts.isCallExpression(node)) mutateCall(file, node, add);
  if (isValue(node))
    for (const wrapped of [
      `(${own} ?? null)`,
      `[${own}]`,
      `(0, ${own})[0]`,
      `!${own}`,
      'null',
      'undefined',
      `(() => ${own})()`,
    ])
      add(`makes ${wrapped.replace(own, '…')} of ${node.kind}`, start, end, wrapped);
  if (ts.canHaveModifiers(node) || ts.canHaveDecorators(node))
    for (const modifier of (node as ts.MethodDeclaration).modifiers ?? [])
      add(`leaves out ${modifier.getText(file)}`, modifier.getStart(file), modifier.end, '');
  if (ts.isBlock(node))
    for (const statement of ['debugger;', 'this.count += 1;', 'if (Date.now() > 0) return;'])
      add(`begins with ${statement}`, node.statements.pos, node.statements.pos, ` ${statement}`);
  if (ts.isMethodDeclaration(node)) mutateMethod(file, node, add);
  if (ts.isParameter(node)) {
    add('takes the rest', node.name.getStart(file), node.name.getStart(file), '...');
    add('has a default', end, end, ' = undefined as never');
    add('is taken apart', node.name.getStart(file), node.name.end, `{ ${node.name.getText(file)} }`);
  }
  if (ts.isPropertyAccessExpression(node) && node.expression.kind === ts.SyntaxKind.ThisKeyword)
    add('asks the parent class', node.expression.getStart(file), node.expression.end, 'super');
  if (ts.isReturnStatement(node) && node.expression) add('does not return', start, node.expression.getStart(file), '');
  for (const list of listsOf(node)) mutateList(file, list, node, add);
}

function mutateMethod(file: ts.SourceFile, { name, end }: ts.MethodDeclaration, add: Add): void {
  const start = name.getStart(file);
  for (const word of ['static ', '*', 'get ', 'set ', '@mutated() ', '#', 'accessor ', 'declare '])
    add(`becomes ${word}`, start, start, word);
  add('has a computed name', start, name.end, `[${name.getText(file)}]`);
  add(
    'is declared again by another member',
    end,
    end,
    `\n  static { this.prototype.${name.getText(file)} = () => undefined as never; }`,
  );
  add(
    'is hidden by a property of a computed name',
    end,
    end,
    `\n  [\`\${'${name.getText(file)}'}\`] = () => undefined as never;`,
  );
  add(
    'is hidden by a property whose name is put together',
    end,
    end,
    `\n  ['${name.getText(file).slice(0, 2)}' + '${name.getText(file).slice(2)}'] = () => undefined as never;`,
  );
  add(
    'is exchanged in the constructor',
    end,
    end,
    `\n  constructor(...args: never[]) { super(...args); this.${name.getText(file)} = () => undefined as never; }`,
  );
  add('is hidden by a property', end, end, `\n  ['${name.getText(file)}'] = () => undefined as never;`);
}

function mutateCall(file: ts.SourceFile, node: ts.CallExpression, add: Add): void {
  const [start, end] = [node.getStart(file), node.end];
  const { expression } = node;
  add('does not call', start, end, expression.getText(file));
  if (node.arguments[0]) add('gives its argument instead', start, end, node.arguments[0].getText(file));
  add(
    'passes one more',
    node.arguments.end,
    node.arguments.end,
    node.arguments.length > 0 && !node.arguments.hasTrailingComma ? ', 1' : '1',
  );
  add('is asked optionally', expression.end, expression.end, '?.');
  if (!ts.isPropertyAccessExpression(expression)) return;
  add(`leaves out .${expression.name.text}()`, expression.expression.end, end, '');
  add(`calls .${expression.name.text}() twice`, end, end, file.text.slice(expression.expression.end, end));
}

function mutateList(file: ts.SourceFile, list: ts.NodeArray<ts.Node>, owner: ts.Node, add: Add): void {
  list.forEach((each, index) => {
    const next = list[index + 1];
    const [start, end] = [each.getStart(file), each.end];
    const until = next ? next.getStart(file) : end;
    add(`leaves out number ${index + 1} of ${list.length}`, start, until, '');
    const separator = next
      ? file.text.slice(end, until)
      : ts.isBlock(owner) || ts.isClassDeclaration(owner)
        ? '\n'
        : ', ';
    add(`says number ${index + 1} twice`, start, start, file.text.slice(start, end) + separator);
    const ordered = ts.isCallExpression(owner) || ts.isBlock(owner);
    if (next && ordered)
      add(
        `exchanges number ${index + 1} with the next`,
        start,
        next.end,
        file.text.slice(next.getStart(file), next.end) + file.text.slice(end, until) + file.text.slice(start, end),
      );
  });
}

function listsOf(node: ts.Node): ts.NodeArray<ts.Node>[] {
  if (ts.isCallExpression(node)) return [node.arguments];
  if (ts.isBlock(node)) return [node.statements];
  if (ts.isMethodDeclaration(node)) return [node.parameters];
  if (ts.isObjectLiteralExpression(node)) return [node.properties];
  return [];
}

function isValue(node: ts.Node): boolean {
  const { parent } = node;
  if (!parent || ts.isDecorator(parent)) return false;
  return (
    ts.isCallExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isObjectLiteralExpression(node) ||
    ((ts.isStringLiteral(node) || ts.isNumericLiteral(node) || ts.isIdentifier(node)) &&
      ts.isCallExpression(parent) &&
      parent.arguments.some((each) => each === node))
  );
}

/** The program that a source compiles to, without the parts that only the compiler reads. */
export function programOf(text: string): string {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      experimentalDecorators: true,
      removeComments: true,
    },
  });
  return outputText;
}
