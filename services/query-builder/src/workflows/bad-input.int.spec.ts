import type { AddQueryInput, BuilderError, BuilderResult } from '@platform/builder';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataOf, modelPath, openScratchProject, pagePath, type ScratchProject } from '../testing/scratch-project';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());

const page = '/shop/orders';
const count = (more: Record<string, unknown> = {}): AddQueryInput =>
  ({ name: 'fresh', resource: 'orders', template: 'count', ...more }) as AddQueryInput;
const where = (...filters: unknown[]): AddQueryInput => count({ params: { where: filters } });

function errorOf(result: BuilderResult<unknown>): BuilderError {
  if (result.ok) throw new Error('this was not refused');
  return result.error;
}

/** The refusal, and that no byte changed. */
async function refusal(run: () => Promise<BuilderResult<unknown>>): Promise<BuilderError> {
  const before = scratch.files();
  const error = errorOf(await run());
  expect(scratch.files()).toEqual(before);
  return error;
}

const pointersOf = (error: BuilderError): string[] =>
  error.code === 'invalid_config' ? error.issues.map(({ pointer }) => pointer) : [error.code];

describe('a query that cannot be built', () => {
  it.each<[string, AddQueryInput, string[]]>([
    ['names that are code', count({ name: 'a(){};process.exit();b' }), ['/name']],
    ['names that are reserved', count({ name: 'constructor' }), ['/name']],
    ['names that would be thenable', count({ name: 'then' }), ['/name']],
    ['names of a prototype', count({ name: '__proto__' }), ['/name']],
    ['names with other letters', count({ name: 'prix€' }), ['/name']],
    ['no name, template and resource', {} as AddQueryInput, ['/template', '/resource', '/name']],
    [
      'an unknown resource and template',
      count({ resource: 'nothing', template: 'median' }),
      ['/template', '/resource'],
    ],
    ['a resource that is a path', count({ resource: '../../etc' }), ['/resource']],
    ['a part that does not exist', count({ blocks: [] }), ['/blocks']],
    ['a params key that is not declared', count({ params: { limit: 3 } }), ['/params/limit']],
    ['params that are a list', count({ params: [] }), ['/params']],
    [
      'expressions at any depth',
      where({ field: 'status', op: 'eq', value: { $param: { name: { $expr: 'x' } } } }),
      ['/params/where/0/value/$param/name/$expr', '/params/where/0/value/$param/name'],
    ],
    [
      'an expression for a value',
      where({ field: 'status', op: 'eq', value: { $expr: '1' } }),
      ['/params/where/0/value/$expr', '/params/where/0/value'],
    ],
    [
      'an unknown and an opaque field',
      where({ field: 'nope', op: 'eq', value: 1 }, { field: 'tags', op: 'eq', value: 'a' }),
      ['/params/where/0/field', '/params/where/1/field'],
    ],
    ['field names of a prototype', where({ field: 'toString', op: 'eq', value: 'a' }), ['/params/where/0/field']],
    [
      'ordering of a boolean and of a select',
      where({ field: 'gift', op: 'gt', value: true }, { field: 'status', op: 'le', value: 'paid' }),
      ['/params/where/0/op', '/params/where/1/op'],
    ],
    [
      'values of wrong types',
      where(
        { field: 'total', op: 'eq', value: '5' },
        { field: 'createdAt', op: 'eq', value: '2026-02-30' },
        { field: 'status', op: 'eq', value: 'lost' },
      ),
      ['/params/where/0/value', '/params/where/1/value', '/params/where/2/value'],
    ],
    ['a number that is none', where({ field: 'total', op: 'eq', value: Number.NaN }), ['/params/where/0/value']],
    [
      'a path value without its place',
      where({ field: 'status', op: 'eq', value: { $param: { name: 'status', in: 'param' } } }),
      ['/params/where/0/value/$param'],
    ],
    [
      'one name for two types',
      where(
        { field: 'total', op: 'gt', value: { $param: { name: 'x' } } },
        { field: 'createdAt', op: 'gt', value: { $param: { name: 'x' } } },
      ),
      ['/params/where/1/value/$param'],
    ],
    [
      'a bound name that is code',
      where({ field: 'total', op: 'gt', value: { $param: { name: 'x: string) {}; //' } } }),
      ['/params/where/0/value/$param/name'],
    ],
    [
      'a bound name that generated code uses',
      where({ field: 'total', op: 'gt', value: { $param: { name: 'compareFrom' } } }),
      ['/params/where/0/value/$param/name'],
    ],
    ['an endpoint without a slash', count({ endpoint: 'stats' }), ['/endpoint']],
    ['an endpoint with dot segments', count({ endpoint: '/a/../b' }), ['/endpoint']],
    ['an endpoint that is code', count({ endpoint: "/x'); process.exit(); ('" }), ['/endpoint']],
    ['an unknown response', count({ response: 'table' }), ['/response']],
    [
      'a series that is grouped by nothing',
      count({ template: 'series', params: { timezone: 'Mars/Olympus', limit: 0, op: 'sum', orderBy: 'x' } }),
      [
        '/params/field',
        '/params/groupBy',
        '/params/timezone',
        '/params/timezone',
        '/params/orderBy',
        '/params/limit',
      ].filter((each, index, all) => all.indexOf(each) === index),
    ],
  ])('is refused with every issue and its pointer: %s', async (_what, input, pointers) => {
    expect(pointersOf(await refusal(() => scratch.builder.addQuery(page, input))).sort()).toEqual([...pointers].sort());
  });

  it('is refused when it is no plain data: getters, prototypes, rings, depth, size', async () => {
    let asked = 0;
    const withGetter = Object.defineProperty({ ...count() }, 'params', {
      enumerable: true,
      get: () => ((asked += 1), {}),
    });
    expect(pointersOf(await refusal(() => scratch.builder.addQuery(page, withGetter as AddQueryInput)))).toEqual([
      '/params',
    ]);
    expect(asked).toBe(0);
    const ring: Record<string, unknown> = {};
    ring['ring'] = ring;
    const polluted = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as Record<string, unknown>;
    for (const params of [
      ring,
      polluted,
      new Map(),
      { where: Array.from({ length: 60 }, () => ({ field: 'gift', op: 'eq', value: true })) },
      { where: 'x'.repeat(20_000) },
      { where: null },
    ]) {
      expect((await refusal(() => scratch.builder.addQuery(page, count({ params })))).code).toBe('invalid_config');
    }
    for (const input of [null, 7, 'x', [], () => 1])
      expect((await refusal(() => scratch.builder.addQuery(page, input as unknown as AddQueryInput))).code).toBe(
        'invalid_config',
      );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('keeps values that try to become code as the texts that they are', async () => {
    const hostile = [
      "'); process.exit(); ('",
      '`${process.exit()}`',
      '\u2028\u2029',
      '\ud800',
      '\\',
      '*/ //',
      '</script>',
      '\r\n',
      '"\'`',
      '\u0000',
    ];
    for (const [index, value] of hostile.entries())
      dataOf(
        await scratch.builder.addQuery(page, { ...where({ field: 'note', op: 'eq', value }), name: `hostile${index}` }),
      );
    const { queries } = dataOf(await scratch.builder.getPageStructure(page));
    expect(
      queries
        .filter(({ name }) => name.startsWith('hostile'))
        .map(({ params }) => (params as { where: { value: string }[] }).where[0]!.value),
    ).toEqual(hostile);
  });
});

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
});

describe('a query that was edited beyond its grammar', () => {
  it('is not configured, but removed', async () => {
    dataOf(await scratch.builder.addQuery(page, count()));
    scratch.write(
      modelPath,
      scratch
        .read(modelPath)
        .replace('return this.rows().count();', "console.log('asked');\n    return this.rows().count();"),
    );
    expect(await refusal(() => scratch.builder.configureQuery(`${page}@fresh`, { endpoint: '/x' }))).toMatchObject({
      code: 'opaque_target',
      reason: 'unparseable_chain',
    });
    dataOf(await scratch.builder.removeQuery(`${page}@fresh`));
    expect(scratch.read(pagePath)).not.toContain('fresh');
    expect(scratch.read(modelPath)).toContain('fresh() {');
  });
});

describe('files that are not as they should be', () => {
  it('name their line when they cannot be parsed', async () => {
    scratch.write(pagePath, `${scratch.read(pagePath)}\nexport class {`);
    expect(await refusal(() => scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'source_error',
      file: pagePath,
    });
    expect(await refusal(() => scratch.builder.getPageStructure(page))).toMatchObject({
      code: 'source_error',
      file: pagePath,
    });
  });

  it.each<[string, string, (text: string) => string]>([
    [
      'two page classes',
      pagePath,
      (text) => `${text}\n@Page({ title: 'x', permission: 'y' })\nexport class Second {}\n`,
    ],
    ['an anonymous page class', pagePath, (text) => text.replace('export class OrdersPage', 'export default class')],
    ['no page class', pagePath, (text) => text.replace('@Page(', 'Page(')],
    ['a model that is not exported', modelPath, (text) => text.replace('export class', 'class')],
    ['a model of another resource', modelPath, (text) => text.replace('= orders;', '= customers;')],
    [
      'a resource of another name',
      'resources/orders/resource.ts',
      (text) => text.replace("defineResource('orders'", "defineResource('others'"),
    ],
    [
      'a resource that is computed',
      'resources/orders/resource.ts',
      (text) => text.replace("type: 'price'", 'type: kind()'),
    ],
  ])('are refused: %s', async (_what, path, change) => {
    scratch.write(path, change(scratch.read(path)));
    expect(await refusal(() => scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'source_error',
      file: path,
    });
  });

  it('are refused when they are no UTF-8, too large, read-only or lead out of the project', async () => {
    const before = scratch.read(pagePath);
    scratch.write(pagePath, Buffer.from([0xff, 0xfe, 0x41, 0x00]));
    expect(errorOf(await scratch.builder.addQuery(page, count())).code).toBe('source_error');
    scratch.write(pagePath, `${before}// ${'x'.repeat(4_000_000)}`);
    expect(errorOf(await scratch.builder.addQuery(page, count())).code).toBe('unsupported');
    scratch.write(pagePath, before);
    chmodSync(join(scratch.folder, pagePath), 0o444);
    expect(await refusal(() => scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'unsupported',
      detail: expect.stringContaining('read-only') as string,
    });
    chmodSync(join(scratch.folder, pagePath), 0o644);
    writeFileSync('/tmp/outside-page.ts', before);
    rmSync(join(scratch.folder, pagePath));
    symlinkSync('/tmp/outside-page.ts', join(scratch.folder, pagePath));
    expect(errorOf(await scratch.builder.addQuery(page, count()))).toMatchObject({
      code: 'unsupported',
      detail: expect.stringContaining('out of the project') as string,
    });
    rmSync('/tmp/outside-page.ts');
  });

  it('are written through a link that stays inside, and keep their mode', async () => {
    mkdirSync(join(scratch.folder, 'shared'));
    writeFileSync(join(scratch.folder, 'shared/page.ts'), scratch.read(pagePath), { mode: 0o600 });
    rmSync(join(scratch.folder, pagePath));
    symlinkSync('../../../shared/page.ts', join(scratch.folder, pagePath));
    dataOf(await scratch.builder.addQuery(page, count({ endpoint: '/fresh' })));
    expect(scratch.read('shared/page.ts')).toContain("@Get('/fresh')");
  });

  it.each([
    '/../../etc/passwd',
    '/shop/../shop/orders',
    'shop/orders',
    '/shop//orders',
    '/Shop',
    '',
    '/shop/orders\0',
    7,
    null,
  ])('are not found under %p', async (pageRef) => {
    expect((await refusal(() => scratch.builder.addQuery(pageRef as string, count()))).code).toBe('not_found');
    expect((await refusal(() => scratch.builder.getPageStructure(pageRef as string))).code).toBe('not_found');
    expect((await refusal(() => scratch.builder.removeQuery(`${String(pageRef)}@x`))).code).toBe('not_found');
  });
});

describe('an expected version', () => {
  it('lets an edit pass when it is the one on disk, and is a conflict with the current one otherwise', async () => {
    const { version } = dataOf(await scratch.builder.getPageStructure(page));
    dataOf(await scratch.builder.addQuery(page, count(), { expectedVersion: version }));
    const { version: current } = dataOf(await scratch.builder.getPageStructure(page));
    expect(current).not.toBe(version);
    expect(
      await refusal(() => scratch.builder.removeQuery(`${page}@fresh`, { expectedVersion: version })),
    ).toMatchObject({ code: 'conflict', currentVersion: current });
    expect(
      await refusal(() => scratch.builder.configureQuery(`${page}@fresh`, {}, { expectedVersion: 'x' })),
    ).toMatchObject({ code: 'conflict', currentVersion: current });
  });
});
