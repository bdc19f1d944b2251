/**
 * Adding and removing a query leaves no trace in a project, whatever the layout of its files: every layout takes every
 * query alone. In the full proof two queries are removed in both orders in each layout; in the lean form every layout
 * takes both in one order and one of them alone, in turn.
 */
import type { AddQueryInput } from '@platform/builder';
import { proofSize } from '@platform/testing';
import { corpus } from '../../testing/corpus';
import {
  dataOf,
  modelPath,
  openScratchProject,
  pagePath,
  readSources,
  sampleFolder,
} from '../../testing/scratch-project';

const inputs: Readonly<Record<string, AddQueryInput>> = {
  'a plain count': { name: 'plain', resource: 'orders', template: 'count' },
  'every import there is': {
    name: 'every',
    resource: 'orders',
    template: 'series',
    endpoint: '/every/:note',
    params: {
      op: 'sum',
      field: 'total',
      groupBy: 'createdAt',
      bucket: 'day',
      timezone: 'Europe/Paris',
      limit: 7,
      where: [
        { field: 'createdAt', op: 'ge', value: { $param: { name: 'from' } } },
        { field: 'createdAt', op: 'lt', value: { $param: { name: 'to' } } },
        { field: 'createdAt', op: 'ne', value: '2026-01-01' },
        { field: 'total', op: 'gt', value: { $param: { name: 'least' } } },
        { field: 'gift', op: 'eq', value: { $param: { name: 'gift' } } },
        { field: 'note', op: 'ne', value: { $param: { name: 'note', in: 'param' } } },
      ],
    },
    response: 'card',
    compare: true,
  },
};

const orders: readonly (readonly string[])[] = [
  ['plain', 'every'],
  ['every', 'plain'],
];
/** All items in the full proof; in the lean form, the one at this position of the rotation. */
const inTurn = <T>(all: readonly T[], at: number): readonly T[] =>
  proofSize({ lean: [all[at % all.length]!], full: all });
const layouts = Object.entries(corpus).map(
  ([title, files], at) => [title, files, inTurn(Object.entries(inputs), at), inTurn(orders, at)] as const,
);

describe.each(layouts)('a project %s', (_title, files, alone, played) => {
  it.each(alone)('is the same to the byte after %s was added and removed', async (_what, input) => {
    const scratch = await openScratchProject(files);
    try {
      const { query } = dataOf(await scratch.builder.addQuery('/shop/orders', input));
      const [added] = dataOf(await scratch.builder.getPageStructure('/shop/orders')).queries.filter(
        ({ name }) => name === input.name,
      );
      expect(added).toMatchObject({ opaque: false, template: input.template });
      dataOf(await scratch.builder.removeQuery(query));
      expect(scratch.files()).toEqual(files);
    } finally {
      scratch.remove();
    }
  });

  it(`is the same after two were added and removed: ${played.map((order) => order.join(' before ')).join('; ')}`, async () => {
    for (const order of played) {
      const scratch = await openScratchProject(files);
      for (const input of Object.values(inputs)) dataOf(await scratch.builder.addQuery('/shop/orders', input));
      for (const name of order) dataOf(await scratch.builder.removeQuery(`/shop/orders@${name}`));
      expect(scratch.files()).toEqual(files);
      scratch.remove();
    }
  });
});

describe('the sample project', () => {
  it('comes back after each of its own queries was configured there and back', async () => {
    const sample = readSources(sampleFolder);
    const scratch = await openScratchProject(sample);
    for (const { name, endpoint } of dataOf(await scratch.builder.getPageStructure('/shop/orders')).queries) {
      const ref = `/shop/orders@${name}`;
      const elsewhere = `/elsewhere${endpoint}`;
      dataOf(await scratch.builder.configureQuery(ref, { endpoint: elsewhere }));
      expect(scratch.read(modelPath)).toBe(sample[modelPath]);
      expect(scratch.read(pagePath)).toBe(sample[pagePath]!.replace(`@Get('${endpoint}')`, `@Get('${elsewhere}')`));
      dataOf(await scratch.builder.configureQuery(ref, { endpoint }));
    }
    expect(scratch.files()).toEqual(sample);
    scratch.remove();
  });
});
