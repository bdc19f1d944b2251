/** Code beside routes and chains: what could put something else in their place, and what cannot. */

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
  inClass('rows under a name that is put together', 'model', "['ro' + 'ws']() { return undefined as never; }"),
  inClass('rows under an escaped name', 'model', '\\u0072ows() { return undefined as never; }'),
  inClass('a resource under a name that is put together', 'model', "['re' + 'source'] = undefined as never;"),
  inClass('a resource under an escaped name', 'model', '\\u0072esource = undefined as never;'),
  inClass('access to the rows of another place', 'model', 'access = { scalar: async () => -1 };'),
  {
    what: 'rows under a symbol of its own',
    path: 'model',
    apply: (text) =>
      `const Symbol = { iterator: 'rows' } as const;\n${text.replace(/(export class [^\n]*\{\n)/, '$1  [Symbol.iterator]() { return undefined as never; }\n')}`,
  },
  inClass('a value that a constructor begins with', 'page', 'constructor(value = patch(OrdersPage)) {}'),
  inClass('a value taken apart in a constructor', 'page', 'constructor({ a = patch(OrdersPage) } = {}) {}'),
  inClass('a decorated parameter of a constructor', 'page', 'constructor(@patched value: string) {}'),
  after('a base class that is computed', 'page', 'class Other extends patch(OrdersPage) {}'),
  after('a name that is computed', 'page', 'class Other { [patch(OrdersPage)]() {} }'),
  after('a decorated parameter of another class', 'page', 'class Other { a(@patch(OrdersPage) value: string) {} }'),
  after('a value that is taken apart', 'page', 'const { a = patch(OrdersPage) } = {};'),
  after('a module in the old notation', 'page', "import old = require('@platform/page-runtime');\npatch(old);"),
  after('a loop over a prototype', 'page', 'const { prototype } = Array;\nfor (prototype.map of [patch]);'),
  after('a loop over keys', 'page', 'const held = take(Array);\nfor (held.map in { a: 1 });'),
  after('a count', 'page', 'const held = take(Array);\nheld.length++;'),
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
  inClass('a constructor that runs nothing', 'page', "constructor(readonly kind = 'orders') {}"),
  after(
    'a module of the runtime in the old notation',
    'page',
    "import paths = require('node:path');\nexport const sep = paths.sep;",
  ),
  after(
    'a class over another',
    'page',
    'class Before { [Symbol.iterator]() {} }\nexport class After extends Before {}',
  ),
  after('a value that is taken apart harmlessly', 'page', 'export const { a = 1, ...others } = { a: 2 };'),
  after('a loop', 'page', 'let last = 0;\nfor (last of [1, 2]) console.log(last++);'),
  after('a constant of the model', 'model', "export const since = asDate('2026-01-01');"),
  after('a type of the resource', 'resource', 'export type Order = typeof orders;'),
];
