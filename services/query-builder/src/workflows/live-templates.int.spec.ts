import {
  AddQuery,
  attachQueryBuilder,
  ConfigureQuery,
  GetPageStructure,
  ListQueryTemplates,
  PreviewQuery,
  queryTemplates,
  registerQueryTemplate,
  RemoveQuery,
  templateViolations,
  type QueryTemplate,
} from '@platform/builder';
import { Rows, type Calculation, type Resource } from '@platform/page-runtime';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { builtInTemplates } from '../domain/templates';
import { countTemplate } from '../domain/templates/scalar';
import { orders } from '../domain/testing/arbitrary-queries';
import { dataOf, openScratchProject, type ScratchProject } from '../testing/scratch-project';
import { createQueryBuilder } from './create-query-builder';

const page = '/shop/orders';
const paid = { field: 'status', op: 'eq', value: 'paid' } as const;

/** Counts only paid orders: a template that another module could bring. */
const paidTemplate: QueryTemplate = {
  ...countTemplate,
  id: 'count-paid',
  title: 'Paid',
  params: { gift: { type: 'option', title: 'Gifts', options: ['yes', 'no'] } },
  validate: ({ gift }) =>
    gift === undefined || gift === 'yes' || gift === 'no' ? [] : [{ pointer: '/gift', message: 'must be yes or no' }],
  complete: ({ gift }) => (gift === undefined ? {} : { gift }),
  emit: ({ gift }, resource) =>
    countTemplate.emit(
      { where: [paid, ...(gift === undefined ? [] : [{ field: 'gift', op: 'eq', value: gift === 'yes' }])] },
      resource,
    ),
  read(steps) {
    const read = countTemplate.read(steps) as
      { where?: readonly { field: string; op: string; value: unknown }[] } | undefined;
    const [first, second, ...more] = read?.where ?? [];
    if (
      JSON.stringify(first) !== JSON.stringify(paid) ||
      more.length > 0 ||
      (second && (second.field !== 'gift' || second.op !== 'eq'))
    )
      return undefined;
    return second ? { gift: second.value === true ? 'yes' : 'no' } : {};
  },
};

/** Parameters of every built-in template. */
const samples: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  count: [{}, { where: [paid] }, { where: [{ field: 'createdAt', op: 'ge', value: { $param: { name: 'from' } } }] }],
  aggregate: [
    { op: 'sum', field: 'total' },
    { op: 'max', field: 'quantity', where: [paid] },
  ],
  series: [
    { groupBy: 'status' },
    {
      groupBy: 'createdAt',
      bucket: 'quarter',
      timezone: 'Asia/Kolkata',
      op: 'avg',
      field: 'total',
      limit: 9,
      orderBy: 'measure',
      direction: 'desc',
      where: [paid],
    },
  ],
};

/** The table of the samples as the page runtime sees it. */
const table = { name: 'orders', collection: 'orders', tenantScoped: false, fields: {} } as unknown as Resource;

describe('the templates of a process', () => {
  let scratch: ScratchProject;
  let detach: () => void;
  const removals: (() => void)[] = [];
  beforeAll(async () => {
    scratch = await openScratchProject();
    removals.push(...builtInTemplates.map((template) => registerQueryTemplate(template)));
    detach = attachQueryBuilder(createQueryBuilder(scratch.project, queryTemplates));
  });
  afterAll(() => {
    detach();
    removals.forEach((remove) => remove());
    scratch.remove();
  });

  it('are the built-in ones from the start', () => {
    expect(ListQueryTemplates().map(({ id, output }) => [id, output])).toEqual([
      ['count', 'scalar'],
      ['aggregate', 'scalar'],
      ['series', 'series'],
    ]);
    expect(ListQueryTemplates('database-table')).toHaveLength(3);
    expect(() => registerQueryTemplate(countTemplate)).toThrow(RangeError);
  });

  it.each(builtInTemplates.map((template) => [template.id, template] as const))(
    'conform, and no other reads their chains: %s',
    (id, template) => {
      expect(templateViolations(template, { resource: orders, samples: samples[id]! })).toEqual([]);
      // A chain that two templates accept would be read as the one that was registered first.
      const alsoRead = samples[id]!.flatMap((sample) => {
        const chain = template.emit(template.complete(sample), orders);
        return builtInTemplates.filter((other) => other !== template && other.read(chain) !== undefined);
      });
      expect(alsoRead.map((other) => other.id)).toEqual([]);
    },
  );

  it('are all that there are files for', () => {
    const folder = join(__dirname, '../domain/templates');
    const files = readdirSync(folder).filter((file) => file !== 'index.ts' && !file.includes('.spec.'));
    const exported = files.flatMap((file) => Object.entries(require(join(folder, file)) as Record<string, unknown>));
    const templates = exported.filter(([name]) => name.endsWith('Template')).map(([, template]) => template);
    expect(new Set(templates)).toEqual(new Set(builtInTemplates));
  });

  it.each(builtInTemplates.map((template) => [template.id, template] as const))(
    'emit chains of steps that the page runtime has: %s',
    async (id, template) => {
      for (const sample of samples[id]!) {
        const asked: Calculation[] = [];
        const scalar = async (_table: Resource, calculation: Calculation) => (asked.push(calculation), 0);
        const series = async (_table: Resource, calculation: Calculation) => (asked.push(calculation), []);
        type Step = (...args: readonly unknown[]) => Record<string, Step>;
        let chain = new Rows(table, { scalar, series }) as unknown as Record<string, Step>;
        for (const { method, args } of template.emit(template.complete(sample), orders))
          chain = chain[method]!(...args);
        await chain;
        expect(asked).toHaveLength(1);
      }
    },
  );

  it('that break a rule are refused with its name', () => {
    const broken: QueryTemplate = {
      ...countTemplate,
      read: () => ({}),
      emit: () => [{ method: 'constructor', args: [] }],
      complete: () => ({ where: new Date() }),
    };
    expect(templateViolations(broken, { resource: orders, samples: [{ where: [paid] }] }).length).toBeGreaterThan(2);
  });

  it('can be joined by one of another module, which conforms and disappears cleanly', async () => {
    expect(templateViolations(paidTemplate, { resource: orders, samples: [{}, { gift: 'yes' }] })).toEqual([]);
    // Before the counting template, which would also read its chains.
    removals[0]!();
    const remove = registerQueryTemplate(paidTemplate);
    removals[0] = registerQueryTemplate(countTemplate);
    const { query } = dataOf(
      await AddQuery(page, { name: 'settled', resource: 'orders', template: 'count-paid', params: { gift: 'no' } }),
    );
    const settled = async () => dataOf(await GetPageStructure(page)).queries.find(({ name }) => name === 'settled');
    expect(await settled()).toMatchObject({ template: 'count-paid', params: { gift: 'no' }, opaque: false });
    remove();
    remove();
    expect(await settled()).toMatchObject({
      template: 'count',
      params: { where: [paid, { field: 'gift', op: 'eq', value: false }] },
    });
    expect(await AddQuery(page, { name: 'more', resource: 'orders', template: 'count-paid' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_config', issues: [{ pointer: '/template' }] },
    });
    removals[0]();
    expect(await settled()).toMatchObject({
      opaque: true,
      opaqueReason: 'unparseable_chain',
      modelMethod: 'settled',
      resource: 'orders',
      output: 'scalar',
    });
    expect(await ConfigureQuery(query, { endpoint: '/x' })).toMatchObject({
      ok: false,
      error: { code: 'opaque_target' },
    });
    dataOf(await RemoveQuery(query));
    removals[0] = registerQueryTemplate(countTemplate);
  });

  it('are previewed only where rows are at hand', async () => {
    expect(await PreviewQuery({ query: `${page}@openOrders`, tenant: 'acme' })).toMatchObject({
      ok: false,
      error: { code: 'unsupported' },
    });
  });
});

describe('operations without a builder', () => {
  it('say so', async () => {
    expect(await GetPageStructure(page)).toEqual({
      ok: false,
      error: { code: 'unsupported', detail: expect.any(String) as string },
    });
  });
});
