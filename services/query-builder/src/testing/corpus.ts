/** Page projects as people write them: every layout, order and oddity that an edit must leave unchanged. */
import { modelPath, pagePath, resourcePath, type Files } from './scratch-project';

const resource = `import { defineResource } from '@platform/page-runtime';

export const orders = defineResource('orders', {
  tenantScoped: true,
  fields: {
    status: { type: 'select', options: ['pending', 'paid'] },
    total: { type: 'price' },
    gift: { type: 'boolean' },
    note: { type: 'string' },
    createdAt: { type: 'date' },
  },
});
`;

const modelHead = `import { TableModel } from '@platform/page-runtime';\nimport { orders } from './resource';\n\n`;
const model = `${modelHead}export class OrdersModel extends TableModel<typeof orders> {\n  readonly resource = orders;\n}\n`;
const pageHead = `import { Page } from '@platform/page-runtime';\n\n@Page({ title: 'Orders', permission: 'orders.read' })\n`;
const page = `${pageHead}export class OrdersPage {}\n`;

const files = (pageText: string, modelText: string = model): Files => ({
  [pagePath]: pageText,
  [modelPath]: modelText,
  [resourcePath]: resource,
});
const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
const tabs = (text: string): string => text.replaceAll('  ', '\t');

const busyPage = `import {
  Get,
  Model,
  Page,
  PagePermission, // the guard
  type PageUser,
} from '@platform/page-runtime';
import { OrdersModel } from '../../../resources/orders/model';
import './styles';

// A page with a history.
@Page({ title: 'Orders', permission: 'orders.read' })
export class OrdersPage {
  private readonly greeting = 'hello';

  /** How many there are. */
  @Get('/stats/all')
  async all(@PagePermission(OrdersPage) _user: PageUser, @Model(OrdersModel) model: OrdersModel) {
    return { value: await model.all() };
  } // so far

  /* a remark of its own */

  // The last word.
}

export const after = 1;
`;
const busyModel = `${modelHead}/** Orders. */
export class OrdersModel extends TableModel<typeof orders> {
  readonly resource = orders;

  all() { return this.rows().count(); }
  // Written by hand:
  get size(): number { return this.cache.length }
  private cache: string[] = [];
}
`;

/** By the oddity. */
export const corpus: Readonly<Record<string, Files>> = {
  'as it is scaffolded': files(page),
  'with an empty body on two lines': files(page.replace('{}', '{\n}')),
  'with blanks in the body': files(page.replace('{}', '{ }')),
  'with blank lines in the body': files(page.replace('{}', '{\n\n\n}')),
  'with a comment in the body': files(page.replace('{}', '{\n  // nothing yet\n}')),
  'with a comment on the line of the brace': files(page.replace('{}', '{ // nothing yet\n}')),
  'with a block comment in a body on one line': files(page.replace('{}', '{ /* nothing yet */ }')),
  'with one member on the line of the class': files(page.replace('{}', '{ greeting = "hello"; }')),
  'without a last line end': files(page.trimEnd(), model.trimEnd()),
  'with CRLF': files(crlf(page), crlf(model)),
  'with CRLF and members': files(crlf(busyPage), crlf(busyModel)),
  'with tabs': files(tabs(busyPage), tabs(busyModel)),
  'with four blanks': files(busyPage.replaceAll('  ', '    '), busyModel.replaceAll('  ', '    ')),
  'with a byte order mark': files(`\ufeff${page}`, `\ufeff${model}`),
  'with a byte order mark, CRLF and tabs': files(`\ufeff${crlf(tabs(busyPage))}`, `\ufeff${crlf(tabs(busyModel))}`),
  'with mixed line ends': files(busyPage.replace("hello';\n", "hello';\r\n"), busyModel),
  'with members, comments and statements after the class': files(busyPage, busyModel),
  'with double quotes': files(busyPage.replaceAll("'", '"'), busyModel.replaceAll("'", '"')),
  'without semicolons': files(
    busyPage.replaceAll(';\n', '\n').replace("'hello'\n", "'hello';\n"),
    modelHead.replaceAll(';', '') +
      'export class OrdersModel extends TableModel<typeof orders> {\n  readonly resource = orders\n}\n',
  ),
  'with a namespace import': files(
    `import * as runtime from '@platform/page-runtime';\n\n@runtime.Page({ title: 'Orders', permission: 'orders.read' })\nexport class OrdersPage {}\n`,
    `import * as rt from '@platform/page-runtime';\nimport { orders } from './resource';\n\nexport class OrdersModel extends rt.TableModel<typeof orders> {\n  readonly resource = orders;\n}\n`,
  ),
  'with aliases': files(page.replace('{ Page }', '{ Page as P }').replace('@Page', '@P')),
  'with a trailing comma in the import': files(page.replace('{ Page }', '{ Page, }')),
  'with an import list on lines and a trailing comma': files(page.replace('{ Page }', '{\n  Page,\n}')),
  'with an import list on lines without a trailing comma': files(page.replace('{ Page }', '{\n  Page\n}')),
  'with names that generated code wants for itself': files(
    page
      .replace('{}', '{\n  used = [Query, arrange];\n  model?: Model;\n}')
      .replace('@Page', 'const Query = 1;\nfunction arrange() {}\ninterface Model {}\n\n@Page'),
  ),
  'with imports that nothing uses': files(
    page.replace('{ Page }', '{ Get, Query, Param, Model, Page, PagePermission, PageUser, arrange, asDate, asNumber }'),
    model.replace('{ TableModel }', '{ TableModel, asDate }'),
  ),
  'with property names like imports': files(
    page.replace('{}', '{\n  names = { Get: 1, Query: 2, Model: 3, asDate: 4 };\n}'),
  ),
  'with a type-only import': files(
    page
      .replace("';\n", "';\nimport type { PageUser } from '@platform/page-runtime';\n")
      .replace('{}', '{\n  last?: PageUser;\n}'),
  ),
  'with a decorator in an odd place': files(
    page.replace(
      "@Page({ title: 'Orders', permission: 'orders.read' })\nexport class",
      "export @Page({ title: 'Orders', permission: 'orders.read' }) class",
    ),
  ),
  'with another class in the file': files(
    `${page}\nclass Other { a = 1; b() { return { c: '}' }; } }\nexport const other = new Other();\n`,
    `class Before {}\n${model}class After extends Before {}\nexport { After };\n`,
  ),
  'with a default export': files(
    page.replace('export class', 'export default class'),
    model.replace('export class', 'export default class'),
  ),
  'with an export elsewhere': files(page, model.replace('export class', 'class') + '\nexport { OrdersModel };\n'),
  'with nothing between the members': files(
    page.replace('{}', '{\n  a = 1;\n  b = 2;\n}'),
    model.replace('orders;\n}', 'orders;\n  a = 1;\n  b() { return 2; }\n}'),
  ),
  'with a stray semicolon': files(page.replace('{}', '{\n  a() {};\n}')),
  'with templates and regular expressions': files(page.replace('{}', '{\n  a = `}${"}"}`;\n  b = /[}]\\/\\//;\n}')),
  'with a shebang-like first comment and a licence': files(`/*!\n * Licence\n */\n${page}`),
  'with a comment after the last import': files(page.replace("';\n", "'; // the runtime\n")),
  'with a comment in the import list': files(page.replace('{ Page }', '{ Page /* the page */ }')),
  'with a last comment in the import list': files(page.replace('{ Page }', '{\n  Page, // the page\n}')),
  'with two imports of the runtime': files(
    page
      .replace("';\n", "';\nimport { Get as Route } from '@platform/page-runtime';\n")
      .replace('{}', '{\n  route = Route;\n}'),
  ),
  'with blanks at the ends of lines': files(
    busyPage.replaceAll(';\n', ';  \n').replaceAll('{\n', '{ \n'),
    busyModel.replaceAll(';\n', ';\t\n'),
  ),
  'with blanks at the ends of lines, and an address in the last member': files(
    page.replace('{}', "{\n  home = 'https://shop.example';  \n}"),
    model.replace('orders;\n}', "orders;\n  home = 'https://shop.example';  \n}"),
  ),
  'with a page class of a common name': files(page.replace('OrdersPage', 'Model'), model),
  'with a model class of a common name': files(page, model.replace('OrdersModel', 'Query')),
  'with carriage returns alone': files(page.replaceAll('\n', '\r'), model.replaceAll('\n', '\r')),
  'with a private name and a computed one': files(
    page.replace('{}', "{\n  #hidden = 1;\n  ['computed' + 1]() { return this.#hidden; }\n}"),
  ),
  'with overloads': files(
    page,
    model.replace(
      'orders;\n}',
      'orders;\n\n  of(a: string): string;\n  of(a: number): number;\n  of(a: unknown) { return a as never; }\n}',
    ),
  ),
  'with generics and an abstract member': files(
    page
      .replace('export class OrdersPage', 'export abstract class OrdersPage<T = unknown>')
      .replace('{}', '{\n  protected abstract value?: T;\n}'),
  ),
  'with code on the line of the last import': files(page.replace("';\n", "'; const early = 1;\n")),
};
