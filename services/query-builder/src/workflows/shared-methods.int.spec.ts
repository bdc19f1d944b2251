/** Other users of a name, an address or a method decide what an edit may change and what a removal keeps. */
import type { BuilderError, BuilderResult } from '@platform/builder';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataOf, modelPath, openScratchProject, pagePath, type ScratchProject } from '../testing/scratch-project';
import { commonNames } from '../domain/testing/arbitrary-queries';
import { count, ordersPage as page, refusalOf } from '../testing/refusals';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());
const refusal = (run: () => Promise<BuilderResult<unknown>>): Promise<BuilderError> => refusalOf(scratch, run);

describe('a name or address that is taken', () => {
  it('is refused when the page or a hand-written part of the model has it', async () => {
    expect(await refusal(() => scratch.builder.addQuery(page, count({ name: 'openOrders' })))).toMatchObject({
      code: 'duplicate_name',
      scope: 'query',
      name: 'openOrders',
      pointer: '/name',
    });
    scratch.write(
      modelPath,
      scratch
        .read(modelPath)
        .replace(
          'readonly resource = orders;',
          'readonly resource = orders;\n\n  fresh() { return 1; }\n  stored = 2;\n',
        ),
    );
    for (const name of ['fresh', 'stored'])
      expect(await refusal(() => scratch.builder.addQuery(page, count({ name })))).toMatchObject({
        code: 'duplicate_name',
        pointer: '/name',
      });
  });

  it('is refused over all pages, whatever the path parameters are called', async () => {
    scratch.write(
      'pages/shop/page.ts',
      "import { Page } from '@platform/page-runtime';\n@Page({ title: 'Shop', permission: 'p' })\nexport class ShopPage {}\n",
    );
    for (const endpoint of ['/orders/stats/open-orders', '/orders', '/orders/stats/orders-of/:other']) {
      expect(await refusal(() => scratch.builder.addQuery('/shop', count({ endpoint })))).toMatchObject({
        code: 'duplicate_name',
        pointer: '/endpoint',
      });
    }
    dataOf(await scratch.builder.addQuery('/shop', count({ endpoint: '/orders/stats/others' })));
    expect(await refusal(() => scratch.builder.addQuery(page, count({ endpoint: '/stats/others' })))).toMatchObject({
      code: 'duplicate_name',
      pointer: '/endpoint',
    });
    expect(
      await refusal(() => scratch.builder.configureQuery(`${page}@openOrders`, { endpoint: '/stats/others' })),
    ).toMatchObject({ code: 'duplicate_name', pointer: '/endpoint' });
  });
});

describe('sharing of methods', () => {
  const customers = '/shop/customers';

  it('shares a chain of the same name, forks another one, and drops a method with its last caller', async () => {
    const before = scratch.files();
    dataOf(await scratch.builder.addQuery(page, count()));
    dataOf(await scratch.builder.addQuery(customers, count()));
    expect(scratch.read(modelPath)).not.toContain('fresh2(');
    dataOf(
      await scratch.builder.configureQuery(`${customers}@fresh`, {
        params: { where: [{ field: 'gift', op: 'eq', value: true }] },
      }),
    );
    const forked = dataOf(await scratch.builder.getPageStructure(customers)).queries.find(
      ({ name }) => name === 'fresh',
    );
    expect(forked).toMatchObject({ modelMethod: 'fresh2', opaque: false });
    expect(
      dataOf(await scratch.builder.getPageStructure(page)).queries.find(({ name }) => name === 'fresh'),
    ).toMatchObject({ modelMethod: 'fresh', params: {} });
    dataOf(await scratch.builder.configureQuery(`${customers}@fresh`, { params: {} }));
    expect(scratch.read(modelPath)).not.toContain('fresh2(');
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    expect(scratch.read(modelPath)).toContain('fresh(');
    dataOf(await scratch.builder.removeQuery(`${customers}@fresh`));
    expect(scratch.files()).toEqual(before);
  });

  it('keeps a method that anything else uses, on a page, in the model or in a file of its own', async () => {
    for (const [path, text] of [
      [
        modelPath,
        (old: string) =>
          old.replace(
            'readonly resource = orders;',
            'readonly resource = orders;\n\n  twice() { return [this.fresh(), this.fresh()]; }',
          ),
      ],
      [
        'reports/report.ts',
        () =>
          "import type { OrdersModel } from '../resources/orders/model';\nexport const report = (model: OrdersModel) => model.fresh();\n",
      ],
      ['reports/other.ts', () => "export const call = (model: any) => model['fresh']();\n"],
    ] as const) {
      dataOf(await scratch.builder.addQuery(page, count()));
      scratch.write(path, text(path === modelPath ? scratch.read(path) : ''));
      dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
      expect(scratch.read(modelPath)).toContain('fresh() {');
      if (path !== modelPath) rmSync(join(scratch.folder, path));
      scratch.write(
        modelPath,
        scratch
          .read(modelPath)
          .replace(/\n\n {2}twice\(\).*\}/, '')
          .replace(/\n\n {2}fresh\(\) \{[\s\S]*?\n {2}\}/, ''),
      );
    }
  });

  it.each([
    ['reports/use.js', 'export const use = (model) => model.fresh();\n'],
    ['reports/use.mjs', 'export const use = (model) => model.fresh();\n'],
    ['reports/use.cjs', 'module.exports = (model) => model.fresh();\n'],
    ['reports/use.jsx', 'export const Use = ({ model }) => <b>{model.fresh()}</b>;\n'],
    ['reports/use.tsx', 'export const Use = ({ model }: any) => <b>{model.fresh()}</b>;\n'],
    [
      'reports/overriding.ts',
      "import { OrdersModel } from '../resources/orders/model';\nexport class Audited extends OrdersModel {\n  override fresh() { return undefined as never; }\n}\n",
    ],
    ['reports/named.ts', "const name = 'fresh';\nexport const use = (model: any) => model[name]();\n"],
    ['reports/listed.ts', "export const asked = ['fresh'] as const;\n"],
    ['reports/joined.ts', "export const use = (model: any) => model['fre' + 'sh']();\n"],
    ['reports/given.ts', 'export const use = (model: any, name: string) => model[name]();\n'],
    ['reports/reflected.ts', "export const use = (model: any) => Reflect.get(model, 'fresh').call(model);\n"],
    ['reports/computed.ts', 'export const use = (model: any, key: string) => Reflect.get(model, key);\n'],
    [
      'reports/taken.ts',
      'export const use = (model: any, key: string) => { const { [key]: ask } = model; return ask; };\n',
    ],
    [
      'reports/typed.ts',
      "import type { OrdersModel } from '../resources/orders/model';\nexport const use = (model: OrdersModel, key: keyof OrdersModel) => { const ask = model[key]; return ask; };\n",
    ],
  ])('keeps a method that %s uses: %s', async (path, text) => {
    dataOf(await scratch.builder.addQuery(page, count()));
    scratch.write(path, text);
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    expect(scratch.read(modelPath)).toContain('fresh() {');
  });

  it.each([...commonNames])('leaves nothing behind of a query called %s', async (name) => {
    const before = scratch.files();
    const params = { groupBy: 'createdAt', bucket: 'month', op: 'sum', field: 'total', limit: 5 } as const;
    for (const input of [count({ name }), { name, resource: 'orders', template: 'series', params }] as const) {
      const { query } = dataOf(await scratch.builder.addQuery(page, input));
      dataOf(await scratch.builder.removeQuery(query));
      expect(scratch.files()).toEqual(before);
    }
  });

  it.each([
    ['fresh = () => this.rows().count();', ''],
    ['readonly fresh = async () => {\n    return await this.rows().count();\n  };', ''],
    ['fresh = (() => this.rows().count())', ''],
    ['fresh = function (this: OrdersModel) { return this.rows().count(); };', ''],
    ['fresh = () => this.rows().count();', '  twice = () => [this.fresh(), this.fresh()];\n'],
  ])('drops a method that is written as a property with its last caller: %s %s', async (property, user) => {
    const before = scratch.files();
    dataOf(await scratch.builder.addQuery(page, count()));
    const rewritten = scratch.read(modelPath).replace(/fresh\(\) \{[\s\S]*?\n {2}\}/, () => property);
    scratch.write(
      modelPath,
      rewritten.replace(/\}\n$/, () => `${user}}\n`),
    );
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    if (user === '') expect(scratch.files()).toEqual(before);
    else expect(scratch.read(modelPath)).toContain(property);
  });

  it.each(['\n', '\r\n'])('drops a route and a method with their overload signatures: line end %j', async (eol) => {
    const write = (path: string, text: string): void => scratch.write(path, text.replaceAll('\n', eol));
    for (const path of [pagePath, modelPath]) write(path, scratch.read(path));
    const before = scratch.files();
    dataOf(await scratch.builder.addQuery(page, count()));
    const signed = (path: string, start: string, signatures: string): void =>
      write(
        path,
        scratch
          .read(path)
          .replaceAll('\r\n', '\n')
          .replace(start, () => `${signatures}${start}`),
      );
    signed(
      modelPath,
      'fresh() {',
      '/** Of all. */\n  fresh(): Promise<number>;\n\n  // Of some.\n  fresh(a: 1): Promise<number>;\n  ',
    );
    signed(
      pagePath,
      "@Get('/stats/fresh')",
      'fresh(user: PageUser, model: OrdersModel): Promise<{ value: number }>;\n  ',
    );
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    expect(scratch.files()).toEqual(before);
  });

  it('is not held by what visibly means something else', async () => {
    const before = scratch.files();
    scratch.write(
      'reports/lists.ts',
      'const rows = [1, 2];\nexport const first = (at: number) => rows[at];\nexport const fresher = { fresh: 1 };\n',
    );
    dataOf(await scratch.builder.addQuery(page, count()));
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    expect(scratch.read(modelPath)).toBe(before[modelPath]);
  });
});
