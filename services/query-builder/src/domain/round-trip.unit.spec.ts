import { createTemplateRegistry, type AddQueryInput, type QueryFilter } from '@platform/builder';
import type { Resource } from '@platform/page-runtime';
import { playedText, proofSize } from '@platform/testing';
import fc from 'fast-check';
import { compileQuery, completeQuery, inputIssues } from './query';
import { readQuery } from './read-query';
import { readModelSource, readPageSource } from './source/class-source';
import { emitModelMethod } from './source/emit-chain';
import { emitRoute } from './source/emit-route';
import { readRoute } from './source/read-route';
import { builtInTemplates } from './templates';
import { endpointFor, names, orders, whereOf } from './testing/arbitrary-queries';

const templates = createTemplateRegistry();
for (const template of builtInTemplates) templates.register(template);

const modelHead =
  "import { TableModel, asDate } from '@platform/page-runtime';\nimport { orders } from './resource';\n\nexport class OrdersModel extends TableModel<typeof orders> {\n  readonly resource = orders;\n\n  ";
const runtime = [
  'Get',
  'Query',
  'Param',
  'Model',
  'Page',
  'PagePermission',
  'PageUser',
  'asDate',
  'asNumber',
  'asBoolean',
  'arrange',
];
const pageHead = `import { ${runtime.join(', ')} } from '@platform/page-runtime';\nimport { OrdersModel } from '../resources/orders/model';\n\n@Page({ title: 'Orders', permission: 'orders.read' })\nexport class OrdersPage {\n  `;
const spelling = { runtime: {}, modelClass: 'OrdersModel', pageClass: 'OrdersPage' };

function throughSource(input: AddQueryInput, resource: Resource = orders) {
  const template = templates.get(input.template)!;
  expect(inputIssues(input, template, resource)).toEqual([]);
  const spec = completeQuery(input, template, resource);
  const compiled = compileQuery(spec);
  const style = { unit: '  ', eol: '\n', quote: "'", memberIndent: '  ' } as const;
  const model = readModelSource(
    'resources/orders/model.ts',
    `${modelHead}${emitModelMethod(input.name, compiled.steps, style, (_module, name) => name)}\n}\n`,
  );
  const page = readPageSource(
    'pages/orders/page.ts',
    `${pageHead}${emitRoute(input.name, compiled.route(input.name), style, spelling)}\n}\n`,
  );
  const routeMember = page.owner.members[0]!;
  const route = readRoute(routeMember, page.className, page.names);
  const read = readQuery({
    name: input.name,
    route,
    routeMember,
    pageClass: page.className,
    pageNames: page.names,
    methodMember: model.owner.members[1]!,
    modelNames: model.names,
    resource,
    templates,
  });
  if (read.kind === 'opaque') throw new Error(`${read.reason}: ${read.detail}\n${model.text}\n${page.text}`);
  const { template: found, resource: on, ...rest } = read.spec;
  const { template: _given, resource: _on, ...expected } = spec;
  return {
    read: { ...rest, template: found.id, on: on.name },
    expected: { ...expected, template: input.template, on: resource.name },
  };
}

const sizes = { lean: 50, full: 150 };
const runs = Number(process.env['ROUND_TRIPS'] ?? proofSize(sizes));
const check = (input: AddQueryInput): void => {
  const endpoint = endpointFor((input.params?.['where'] ?? []) as QueryFilter[]);
  const { read, expected } = throughSource({ ...input, ...(endpoint !== undefined && { endpoint }) });
  expect(read).toEqual(expected);
};

const zone = fc.record({ timezone: fc.constantFrom('Europe/Paris', 'UTC') }, { requiredKeys: [] });

/** By template id: many random queries of the template, each written to source and read back. */
const roundTrips: Readonly<Record<string, () => void>> = {
  count: () => {
    fc.assert(
      fc.property(names, whereOf, zone, (name, where, zoned) =>
        check({ name, resource: 'orders', template: 'count', params: { ...zoned, where } }),
      ),
      { numRuns: runs },
    );
  },

  aggregate: () => {
    const op = fc.constantFrom('sum', 'avg', 'min', 'max');
    fc.assert(
      fc.property(
        names,
        op,
        fc.constantFrom('total', 'quantity'),
        whereOf,
        fc.boolean(),
        fc.option(fc.constant('value' as const), { nil: undefined }),
        zone,
        (name, measure, field, where, compare, response, zoned) =>
          check({
            name,
            resource: 'orders',
            template: 'aggregate',
            params: { op: measure, field, ...zoned, where },
            compare,
            ...(response && { response }),
          }),
      ),
      { numRuns: runs },
    );
  },

  series: () => {
    const group = fc.oneof(
      fc.record(
        {
          groupBy: fc.constant('createdAt'),
          bucket: fc.constantFrom('day', 'month', 'quarter', 'year'),
          timezone: fc.constantFrom('Europe/Paris', 'UTC', 'Asia/Kolkata', 'America/St_Johns'),
        },
        { requiredKeys: ['groupBy', 'bucket'] },
      ),
      fc.record({ groupBy: fc.constantFrom('status', 'note', 'quantity', 'gift', 'constructor') }),
    );
    const measure = fc.oneof(
      fc.record({ op: fc.constant('count') }, { requiredKeys: [] }),
      fc.record({ op: fc.constantFrom('sum', 'avg', 'min', 'max'), field: fc.constantFrom('total', 'quantity') }),
    );
    const order = fc.record(
      {
        orderBy: fc.constantFrom('group', 'measure'),
        direction: fc.constantFrom('asc', 'desc'),
        limit: fc.integer({ min: 1, max: 1000 }),
      },
      { requiredKeys: [] },
    );
    const answer = fc.constantFrom(
      {},
      { response: 'card' },
      { response: 'series' },
      { response: 'items' },
      { response: 'value', compare: true },
      { compare: true },
      { response: 'card', compare: true },
    ) as fc.Arbitrary<Partial<AddQueryInput>>;
    fc.assert(
      fc.property(names, group, measure, order, whereOf, answer, (name, grouped, measured, ordered, where, arranged) =>
        check({
          name,
          resource: 'orders',
          template: 'series',
          params: { ...grouped, ...measured, ...ordered, where },
          ...arranged,
        }),
      ),
      { numRuns: runs },
    );
  },
};

describe('a query', () => {
  afterAll(() => process.stdout.write(`round trips: ${playedText(runs, sizes, 'queries of each template')}\n`));

  it.each(builtInTemplates.map(({ id }) => id))('comes back from the source of the template %s as it went in', (id) => {
    expect(roundTrips).toHaveProperty(id);
    roundTrips[id]!();
  });

  it('keeps texts that try to become code', () => {
    for (const value of [
      "'); process.exit(); ('",
      '`${process.exit()}`',
      '\u2028\u2029',
      '\ud800',
      'a\udc00b',
      '\\',
      "\\'",
      '"',
      '*/',
      '\r\n\t\0',
      '\ufeff',
      'a\u202eb\u2066c\u2069',
      '</script>',
    ]) {
      check({
        name: 'hostile',
        resource: 'orders',
        template: 'count',
        params: { where: [{ field: 'note', op: 'eq', value }] },
      });
    }
  });
});
