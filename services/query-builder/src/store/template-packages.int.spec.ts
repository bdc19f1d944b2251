/**
 * Packages of templates in a running builder: registered by a file, tested against all others, with their own steps.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { queryTemplates } from '@platform/builder';
import { openTestDatabase, storedValues, type TestDatabase } from '@platform/mongo/test-database';
import { eventually } from '@platform/testing';
import { builtInTemplates } from '../domain/templates';
import { complaintsAbout } from '../testing/compile-project';
import { dataOf, modelPath, openScratchProject, type ScratchProject } from '../testing/scratch-project';
import { createQueryBuilder } from '../workflows/create-query-builder';
import { openTemplatePackages, type TemplatePackages } from './template-packages';

const example = '@platform/example-query-templates';
const page = '/shop/orders';

describe('packages of query templates', () => {
  let folder: string;
  let scratch: ScratchProject;
  let database: TestDatabase;
  let packages: TemplatePackages;
  const problems: string[] = [];
  const removals: (() => void)[] = [];
  const log = { info: () => undefined, error: (fields: object) => void problems.push(JSON.stringify(fields)) };
  const list = (...names: string[]) => writeFileSync(join(folder, 'templates.json'), JSON.stringify(names));
  const ids = () => queryTemplates.list().map(({ id }) => id);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'templates-'));
    mkdirSync(join(folder, 'node_modules/@platform'), { recursive: true });
    symlinkSync(join(__dirname, '../../../../examples/query-templates'), join(folder, 'node_modules', example));
    removals.push(...builtInTemplates.map((template) => queryTemplates.register(template)));
    scratch = await openScratchProject();
    database = await openTestDatabase('packages');
    list();
    packages = await openTemplatePackages({
      file: join(folder, 'templates.json'),
      registry: queryTemplates,
      log,
      lookMs: 20,
    });
  });
  afterAll(async () => {
    packages.close();
    removals.forEach((remove) => remove());
    scratch.remove();
    await database.drop();
    rmSync(folder, { recursive: true });
  });
  const builder = () =>
    createQueryBuilder(scratch.project, queryTemplates, {
      aggregate: (table, pipeline) =>
        database.raw
          .collection(table)
          .aggregate(pipeline.map((stage) => storedValues(stage) as object))
          .toArray(),
      explain: async () => null,
      indexes: async () => [],
      exported: packages.exported,
    });
  const structure = async (name: string) =>
    dataOf(await builder().getPageStructure(page)).queries.find((each) => each.name === name);

  it('are registered when the list names them, without anything else being asked', async () => {
    expect(ids()).toEqual(['count', 'aggregate', 'series']);
    list(example);
    await eventually(() => ids().length > 3, { describe: 'the templates of the package' });
    expect(ids()).toEqual(['count', 'aggregate', 'series', 'top-n', 'distinct-count']);
    expect(problems).toEqual([]);
  });

  it('say a chain in fewer words: it reads back as the more specific template, and as the other when that is gone', async () => {
    expect(await structure('topCategories')).toMatchObject({
      template: 'top-n',
      params: { op: 'sum', field: 'total', groupBy: 'category', limit: 5 },
    });
    const series = {
      name: 'best',
      resource: 'orders',
      template: 'series',
      params: { groupBy: 'status', orderBy: 'measure', direction: 'desc', limit: 3 },
    };
    expect(await builder().addQuery(page, series)).toMatchObject({
      ok: false,
      error: {
        code: 'invalid_config',
        issues: [{ pointer: '/template', message: expect.stringContaining('"top-n"') as string }],
      },
    });
    const { query } = dataOf(
      await builder().addQuery(page, { ...series, template: 'top-n', params: { groupBy: 'status', limit: 3 } }),
    );
    expect(await structure('best')).toMatchObject({ template: 'top-n', opaque: false });
    list();
    await packages.reload();
    expect(await structure('best')).toMatchObject({ template: 'series', params: { orderBy: 'measure', limit: 3 } });
    list(example);
    await packages.reload();
    dataOf(await builder().removeQuery(query));
  });

  it('bring steps: the model imports the calculation, a preview runs it, and removal leaves every byte as it was', async () => {
    const before = scratch.files();
    await database.insert(
      'orders',
      ['a', 'a', 'b', null, 'c'].map((customer) => ({ tenantId: 't1', customer, status: 'paid' })),
    );
    await database.insert('orders', [{ tenantId: 't2', customer: 'd', status: 'paid' }]);
    const input = {
      name: 'buyers',
      resource: 'orders',
      template: 'distinct-count',
      params: { field: 'customer', where: [{ field: 'status', op: 'eq' as const, value: 'paid' }] },
    };
    const { query } = dataOf(await builder().addQuery(page, input));
    expect(scratch.read(modelPath)).toContain(`import { distinctCount } from '${example}/calculations';`);
    expect(scratch.read(modelPath)).toContain(".calculate(distinctCount, { field: 'customer' })");
    expect(await structure('buyers')).toMatchObject({
      template: 'distinct-count',
      opaque: false,
      params: { field: 'customer' },
    });
    expect(dataOf(await builder().previewQuery({ query, tenant: 't1' }))).toMatchObject({ body: { value: 3 } });
    dataOf(await builder().configureQuery(query, { params: { field: 'product', timezone: 'Europe/Paris' } }));
    expect(await structure('buyers')).toMatchObject({ params: { field: 'product', timezone: 'Europe/Paris' } });
    const model = scratch.read(modelPath);
    for (const other of ['./calculations', 'other/calculations', `${example}/else`]) {
      scratch.write(modelPath, model.replace(`'${example}/calculations'`, `'${other}'`));
      expect(await structure('buyers')).toMatchObject({ opaque: true, opaqueReason: 'unparseable_chain' });
    }
    scratch.write(modelPath, model);
    symlinkSync(join(folder, 'node_modules'), join(scratch.folder, 'node_modules'));
    expect(complaintsAbout(scratch.folder)).toEqual([]);
    rmSync(join(scratch.folder, 'node_modules'));
    dataOf(await builder().removeQuery(query));
    expect(scratch.files()).toEqual(before);
  });

  it('are refused as a whole, with the reason, when one of their templates does not conform or is another one', async () => {
    const bring = (name: string, code: string): void => {
      const file = join(folder, 'node_modules', name, 'index.js');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, code);
    };
    const alias = (id: string): string =>
      `const count = () => require('@platform/builder').queryTemplates.get('count');
       const twin = { id: '${id}', resourceType: 'database-table', title: 'T', description: 'D', output: 'scalar',
         params: { where: { type: 'filters', title: 'W' }, timezone: { type: 'timezone', title: 'Z' } },
         validate: (...a) => count().validate(...a), complete: (...a) => count().complete(...a),
         emit: (...a) => count().emit(...a), read: (...a) => count().read(...a), measureOf: () => 'count' };
       const resource = { name: 'r', tenantScoped: false, fields: { a: { type: 'string' } } };`;
    bring(
      'twin',
      `${alias('twin')} exports.templates = [twin]; exports.samples = { twin: { resource, samples: [{}] } };`,
    );
    bring(
      'taken',
      `${alias('count')} exports.templates = [twin]; exports.samples = { count: { resource, samples: [{}] } };`,
    );
    bring('unproven', `${alias('other')} exports.templates = [twin]; exports.samples = {};`);
    bring('broken', "throw new Error('no such thing');");
    list(example, 'twin', 'taken', 'unproven', 'broken', 'absent');
    await packages.reload();
    expect(ids()).toHaveLength(5);
    expect(problems.map((each) => /"package":"(\w+)"/.exec(each)?.[1])).toEqual([
      'twin',
      'taken',
      'unproven',
      'broken',
      'absent',
    ]);
    expect(problems[0]).toContain('its chain is one of the template \\"count\\" too');
    expect(problems[1]).toContain('is taken by the template');
    expect(problems[2]).toContain('comes without samples');
  });
});
