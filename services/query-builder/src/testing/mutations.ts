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

/** Ways to replace the code of a route or a chain without touching either, by kind. */
export interface Exchange {
  readonly what: string;
  readonly path: 'page' | 'model' | 'resource';
  apply(text: string): string;
}

const answer = '(async () => ({ value: -1 })) as never';
const inClass = (what: string, path: 'page' | 'model', member: string): Exchange => ({
  what,
  path,
  apply: (text) => text.replace(/(export class [^\n]*\{\n)/, `$1  ${member}\n`),
});
const after = (what: string, path: Exchange['path'], statement: string): Exchange => ({
  what,
  path,
  apply: (text) => `${text}\n${statement}\n`,
});
export const exchanges: readonly Exchange[] = [
  inClass('a static field', 'page', `static patched = (OrdersPage.prototype.openOrders = ${answer});`),
  inClass(
    'a static field over this',
    'page',
    `static patched = Object.assign(this.prototype, { openOrders: ${answer} });`,
  ),
  {
    what: 'a static field through a helper',
    path: 'page',
    apply: (text) =>
      `${text.replace(/(export class [^\n]*\{\n)/, '$1  static patched = exchange();\n')}\nfunction exchange() {\n  return patch(OrdersPage);\n}\n`,
  },
  inClass('a static block', 'page', `static { this.prototype.openOrders = ${answer}; }`),
  inClass('a field', 'page', `patched = (this.openOrders = ${answer});`),
  inClass('a field that hands this on', 'page', 'patched = patch(this);'),
  inClass('a constructor', 'page', 'constructor() { patch(this); }'),
  inClass('a decorated member', 'page', '@patched() other() { return 1; }'),
  inClass('a decorated parameter', 'page', 'other(@patched() value: string) { return value; }'),
  {
    what: 'another class decorator',
    path: 'page',
    apply: (text) => text.replace('@Page(', '@patched\n@Page('),
  },
  {
    what: 'another class decorator with arguments',
    path: 'page',
    apply: (text) => text.replace('export class', '@patched(1)\nexport class'),
  },
  {
    what: 'code in the definition of the page',
    path: 'page',
    apply: (text) => text.replace("title: 'Orders',", 'title: patch(OrdersModel),'),
  },
  {
    what: 'a base class',
    path: 'page',
    apply: (text) => text.replace('class OrdersPage', 'class OrdersPage extends Base'),
  },
  {
    what: 'the model as a type',
    path: 'page',
    apply: (text) => text.replace('import { OrdersModel }', 'import type { OrdersModel }'),
  },
  {
    what: 'the model as a type among others',
    path: 'page',
    apply: (text) => text.replace('import { OrdersModel }', 'import { type OrdersModel }'),
  },
  after('a statement', 'page', `OrdersPage.prototype.openOrders = ${answer};`),
  after('a call with the class', 'page', 'patch(OrdersPage);'),
  after('a call with the model', 'page', 'patch(OrdersModel);'),
  after('a helper that is called', 'page', 'function exchange() { return patch(OrdersPage); }\nexchange();'),
  after('a constant that calls', 'page', 'export const done = patch(OrdersPage);'),
  after('a condition', 'page', 'if (process.env.X) patch(OrdersPage);'),
  after('a global', 'page', 'Promise.prototype.then = undefined as never;'),
  inClass('a field of the model', 'model', `patched = (this.openOrders = ${answer});`),
  inClass('a field over rows', 'model', 'patched = Object.assign(this, { rows: () => undefined as never });'),
  inClass('a static field of the model', 'model', `static patched = (OrdersModel.prototype.openOrders = ${answer});`),
  after('a statement after the model', 'model', `OrdersModel.prototype.openOrders = ${answer};`),
  after(
    'a property defined after the model',
    'model',
    `Object.defineProperty(OrdersModel.prototype, 'openOrders', { value: ${answer} });`,
  ),
  after('a bracket after the model', 'model', `OrdersModel['prototype']['openOrders'] = ${answer};`),
  after('a change of the base', 'model', 'patch(TableModel);'),
  after('a change of the resource', 'model', 'orders.fields.status = { type: "string" };'),
  after('a statement after the resource', 'resource', 'patch(orders);'),
  after('an assignment after the resource', 'resource', "(orders as { name: string }).name = 'others';"),
];

/** Code that can reach neither the class nor a prototype, so it cannot change the queries next to it. */
export const harmless: readonly Exchange[] = [
  inClass('a static block', 'page', 'static { console.log(1); }'),
  inClass('a static field', 'page', "static readonly kind = 'orders';"),
  inClass('a field', 'page', 'private readonly cache = new Map<string, number>();'),
  inClass('a method', 'page', 'helper() { return this.cache; }'),
  inClass('a function in a field', 'page', 'helper = () => this.cache;'),
  after('a constant', 'page', 'export const titles = { a: 1 };'),
  after('a log line', 'page', "console.log('loaded');"),
  after('a function', 'page', 'export function name() { return OrdersPage.name; }'),
  after('a type', 'page', 'export type Route = keyof OrdersPage;'),
  after('another class', 'page', 'export class Other { constructor() { this.x = 1; } x: number; }'),
  inClass('a static block of the model', 'model', 'static { console.log(1); }'),
  inClass('a field of the model', 'model', "private readonly zone = 'Europe/Paris';"),
  inClass('a function in a field of the model', 'model', 'helper = () => this.rows();'),
  after('a constant of the model', 'model', "export const since = asDate('2026-01-01');"),
  after('a type of the resource', 'resource', 'export type Order = typeof orders;'),
];
