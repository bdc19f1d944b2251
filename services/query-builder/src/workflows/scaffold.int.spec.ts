import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { introspect } from '../domain/introspect';
import { complaintsAbout } from '../testing/compile-project';
import { dataOf, openScratchProject, type ScratchProject } from '../testing/scratch-project';
import { listResources } from './list-project';
import { newPage, newResource } from './scaffold';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());

const items = {
  name: 'order-items',
  title: "It's items",
  tenantScoped: true,
  fields: [
    { name: 'total', type: 'price' },
    { name: 'state', type: 'select', options: ["it's", 'done'] },
    { name: 'tags', type: 'string', multiple: true },
  ],
} as const;
const page = { pageRef: '/shop/2026/items', title: 'Items', permission: 'shop.items.read' } as const;

describe('a new resource and a new page', () => {
  it('compile, take queries, and are as they were when those are gone', async () => {
    dataOf(await newResource(scratch.project, items));
    dataOf(await newPage(scratch.project, page));
    const fresh = scratch.files();
    const { query } = dataOf(
      await scratch.builder.addQuery(page.pageRef, {
        name: 'all',
        resource: 'order-items',
        template: 'series',
        params: { groupBy: 'state', where: [{ field: 'state', op: 'ne', value: "it's" }] },
        response: 'items',
      }),
    );
    expect(complaintsAbout(scratch.folder)).toEqual([]);
    expect(dataOf(await scratch.builder.getPageStructure(page.pageRef)).queries).toMatchObject([
      { name: 'all', opaque: false, resource: 'order-items' },
    ]);
    expect(dataOf(await listResources(scratch.project)).resources.map(({ name }) => name)).toContain('order-items');
    dataOf(await scratch.builder.removeQuery(query));
    expect(scratch.files()).toEqual(fresh);
  });

  it.each(['table', 'define-resource'])('compile where the name %s is one of the runtime', async (name) => {
    dataOf(await newResource(scratch.project, { ...items, name }));
    dataOf(await scratch.builder.addQuery('/shop/orders', { name: 'all', resource: name, template: 'count' }));
    expect(complaintsAbout(scratch.folder)).toEqual([]);
    expect(dataOf(await scratch.builder.getPageStructure('/shop/orders')).queries.at(-1)).toMatchObject({
      opaque: false,
      resource: name,
    });
  });

  it('are made over a collection of another system, and read back as they were proposed', async () => {
    const { notes: _notes, resource } = introspect(
      Array.from({ length: 9 }, (_unused, at) => ({ org: 'acme', totals: { gross: at }, at: new Date(0) })),
      { collection: 'crm.invoices', tenantField: 'org' },
    )!;
    dataOf(await newResource(scratch.project, resource));
    expect(complaintsAbout(scratch.folder)).toEqual([]);
    const ops = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'];
    expect(dataOf(await listResources(scratch.project)).resources).toContainEqual({
      name: 'crm-invoices',
      collection: 'crm.invoices',
      tenantScoped: true,
      tenantField: 'org',
      fields: [
        { name: 'totalsGross', type: 'price', path: 'totals.gross', kind: 'number', ops },
        { name: 'at', type: 'date', kind: 'date', ops },
      ],
    });
    expect(await newResource(scratch.project, { ...resource, name: 'other', collection: 'a$b' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_config' },
    });
  });

  it('never take the place of what exists, and say what is wrong with them', async () => {
    const before = scratch.files();
    expect(await newResource(scratch.project, { ...items, name: 'orders' })).toMatchObject({
      ok: false,
      error: { code: 'duplicate_name' },
    });
    expect(await newPage(scratch.project, { ...page, pageRef: '/shop/orders' })).toMatchObject({
      ok: false,
      error: { code: 'duplicate_name' },
    });
    expect(
      await newResource(scratch.project, {
        name: '../x',
        title: '',
        tenantScoped: false,
        fields: [
          { name: 'a', type: 'select' },
          { name: 'a', type: 'string', options: ['x'] },
        ],
      }),
    ).toMatchObject({
      ok: false,
      error: {
        code: 'invalid_config',
        issues: [
          { pointer: '/name' },
          { pointer: '/title' },
          { pointer: '/fields/0' },
          { pointer: '/fields/1' },
          { pointer: '/fields/1' },
        ],
      },
    });
    expect(await newPage(scratch.project, { pageRef: '/a/../b', title: 'x', permission: "'); evil('" })).toMatchObject({
      ok: false,
      error: { code: 'invalid_config', issues: [{ pointer: '/pageRef' }, { pointer: '/permission' }] },
    });
    expect(scratch.files()).toEqual(before);
  });

  it('are completed where an earlier attempt ended between the files of a resource', async () => {
    dataOf(await newResource(scratch.project, items));
    const whole = scratch.files();
    rmSync(join(scratch.folder, 'resources/order-items/resource.ts'));
    const { changes } = dataOf(await newResource(scratch.project, items));
    expect(changes.map(({ path }) => path)).toEqual(['resources/order-items/resource.ts']);
    expect(scratch.files()).toEqual(whole);
    expect(await newResource(scratch.project, items)).toMatchObject({ error: { code: 'duplicate_name' } });
    rmSync(join(scratch.folder, 'resources/order-items/resource.ts'));
    scratch.write('resources/order-items/model.ts', '// of a person\n');
    expect(await newResource(scratch.project, items)).toMatchObject({ error: { code: 'duplicate_name' } });
  });

  it('are refused at an address that a route has', async () => {
    scratch.write(
      'pages/shop/page.ts',
      "import { Get, Page } from '@platform/page-runtime';\n@Page({ title: 'Shop', permission: 'p' })\nexport class ShopPage {\n  @Get('/news')\n  async news() { return {}; }\n}\n",
    );
    expect(await newPage(scratch.project, { ...page, pageRef: '/shop/news' })).toMatchObject({
      ok: false,
      error: { code: 'duplicate_name', pointer: '/pageRef' },
    });
  });
});
