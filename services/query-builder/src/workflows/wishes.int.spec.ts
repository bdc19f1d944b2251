/** Options of an answer besides its figures: shapes, compared periods, zones, groups. No option is dropped silently. */
import { dataOf, openScratchProject, pagePath, modelPath, type ScratchProject } from '../testing/scratch-project';
import { createQueryBuilder } from './create-query-builder';
import { count, ordersPage as page } from '../testing/refusals';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());

const bound = (name: string) => ({ $param: { name } });
const period = [
  { field: 'createdAt', op: 'ge', value: bound('from') },
  { field: 'createdAt', op: 'lt', value: bound('to') },
] as const;
const structureOf = async (name: string) =>
  dataOf(await scratch.builder.getPageStructure(page)).queries.find((query) => query.name === name);

describe('a compared period', () => {
  it('that cannot be is not dropped silently: the answer says why, and no second call is emitted', async () => {
    const added = dataOf(await scratch.builder.addQuery(page, count({ compare: true })));
    expect(added.notices).toEqual([{ pointer: '/compare', message: expect.stringContaining('has no effect') }]);
    expect(await structureOf('fresh')).toMatchObject({ opaque: false, routeParams: [] });
  });

  it('that can be has no notice; it has one as soon as a change takes its bounds away', async () => {
    const added = dataOf(await scratch.builder.addQuery(page, count({ compare: true, params: { where: period } })));
    expect(added).not.toHaveProperty('notices');
    const changed = dataOf(await scratch.builder.configureQuery(added.query, { params: {} }));
    expect(changed.notices).toHaveLength(1);
  });
});

describe('a preview', () => {
  it('names the index that serves the query, and whether it exists', async () => {
    const key = { tenantId: 1, status: 1, createdAt: 1 };
    const indexes: { key: Readonly<Record<string, unknown>> }[] = [];
    const reads = { aggregate: async () => [], explain: async () => ({}), indexes: async () => indexes };
    const builder = createQueryBuilder(scratch.project, scratch.templates, reads);
    const paid = { field: 'status', op: 'eq', value: 'paid' } as const;
    const { name: _name, ...query } = count({ params: { where: [paid, ...period] } });
    const input = { query, args: { from: '2026-01-01', to: '2026-02-01' }, tenant: 'acme' };
    const fields = ['tenantId', 'status', 'createdAt'];
    expect(dataOf(await builder.previewQuery(input)).index).toEqual({ fields, exists: false });
    indexes.push({ key });
    expect(dataOf(await builder.previewQuery(input)).index).toEqual({ fields, exists: true });
  });
});

describe('the values of a preview', () => {
  it('are refused all at once and each at its own place, also where two have one text', async () => {
    const reads = { aggregate: async () => [], explain: async () => ({}), indexes: async () => [] };
    const builder = createQueryBuilder(scratch.project, scratch.templates, reads);
    const where = [
      { field: 'note', op: 'eq', value: bound('note') } as const,
      { field: 'total', op: 'ge', value: bound('least') } as const,
      ...period,
    ];
    const { name: _name, ...query } = count({ params: { where } });
    const args = { note: '', from: '', to: 'soon', least: '0x10' };
    expect(await builder.previewQuery({ query, args, tenant: 'acme' })).toMatchObject({
      error: { issues: ['note', 'least', 'from', 'to'].map((name) => ({ pointer: `/args/${name}` })) },
    });
  });

  it('are refused as serving the query refuses them: an undeclared one, one that is no option, an operator', async () => {
    let asked = 0;
    const aggregate = async () => ((asked += 1), []);
    const reads = { aggregate, explain: async () => ({}), indexes: async () => [] };
    const builder = createQueryBuilder(scratch.project, scratch.templates, reads);
    const where = [
      { field: 'status', op: 'eq', value: bound('status') } as const,
      { field: 'note', op: 'eq', value: bound('note') } as const,
    ];
    const { name: _name, ...query } = count({ params: { where } });
    const args = { status: 'lost', note: '{"$ne":1}', form: '2026-01-01', 'a/b': 'x', compareFrom: '2026-01-01' };
    expect(await builder.previewQuery({ query, args, tenant: 'acme' })).toEqual({
      ok: false,
      error: {
        code: 'invalid_config',
        issues: [
          { pointer: '/args/status', message: expect.stringMatching(/^must be one of .*paid/) as string },
          { pointer: '/args/note', message: 'must be a plain text, not an operator or a structure' },
          ...['form', 'a~1b', 'compareFrom'].map((name) => ({
            pointer: `/args/${name}`,
            message: 'is not a parameter of this address',
          })),
        ],
      },
    });
    expect(asked).toBe(0);
  });
});

describe('a part with a default', () => {
  it('is taken back to it by null, so that a card of points can become a number in one patch', async () => {
    const params = { groupBy: 'createdAt', bucket: 'month', where: [] };
    const { query } = dataOf(
      await scratch.builder.addQuery(page, count({ template: 'series', params, response: 'card', endpoint: '/mine' })),
    );
    const patch = { template: 'count', params: {}, response: null, endpoint: null } as never;
    const changed = dataOf(await scratch.builder.configureQuery(query, patch));
    expect(changed.route).toBe('/dms/pages/shop/orders/stats/fresh');
    const read = await structureOf('fresh');
    expect([read?.template, read?.response]).toEqual(['count', undefined]);
  });
});

describe('the zone of a number', () => {
  it('is written, read back and changed like every parameter', async () => {
    const params = { op: 'sum', field: 'total', timezone: 'Europe/Paris', where: period };
    const { query } = dataOf(await scratch.builder.addQuery(page, count({ template: 'aggregate', params })));
    expect(scratch.read(modelPath)).toContain(".aggregate('sum', 'total', { timezone: 'Europe/Paris' })");
    expect((await structureOf('fresh'))?.params).toMatchObject({ timezone: 'Europe/Paris' });
    dataOf(await scratch.builder.configureQuery(query, { template: 'count', params: { timezone: 'Asia/Tokyo' } }));
    expect(scratch.read(modelPath)).toContain(".count({ timezone: 'Asia/Tokyo' })");
    const other = await scratch.builder.configureQuery(query, { params: { timezone: 'Mars/Olympus' } });
    expect(other).toMatchObject({ error: { issues: [{ pointer: '/params/timezone' }] } });
  });
});

describe('a group', () => {
  it('may be a truth value', async () => {
    const params = { groupBy: 'gift' };
    dataOf(await scratch.builder.addQuery(page, count({ template: 'series', params })));
    expect(await structureOf('fresh')).toMatchObject({ opaque: false, params });
  });
});

describe('a text with marks that turn its direction around', () => {
  it('is written with them escaped, so that source reads as it runs', async () => {
    const value = 'user\u202e\u2066// admin\u2069 \u200f\u061c';
    const params = { where: [{ field: 'note', op: 'eq', value } as const] };
    dataOf(await scratch.builder.addQuery(page, count({ params })));
    expect(scratch.read(modelPath)).toContain("'user\\u202e\\u2066// admin\\u2069 \\u200f\\u061c'");
    expect(scratch.read(modelPath) + scratch.read(pagePath)).not.toMatch(
      /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
    );
    expect((await structureOf('fresh'))?.params).toEqual(params);
  });
});
