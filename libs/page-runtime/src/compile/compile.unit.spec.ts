import { MissingTenantError, TableModel, type Calculation, type RowAccess } from '../chain';
import { asDate, BadValueError } from '../coercions';
import { defineCalculation } from '../custom';
import { defineResource } from '../resource';
import { ChainError } from './chain-error';
import { compileCalculation } from './compile';

const orders = defineResource('orders', {
  tenantScoped: true,
  fields: {
    status: { type: 'select', options: ['paid', 'open'] },
    note: { type: 'string' },
    total: { type: 'price' },
    gift: { type: 'boolean' },
    createdAt: { type: 'date' },
    tags: { type: 'string', multiple: true },
  },
});
const plain = defineResource('plain', { fields: orders.fields });

class Orders extends TableModel<typeof orders> {
  readonly resource = orders;
  all = () => this.rows();
}
const never: RowAccess = {
  tenantId: 't1',
  scalar: () => Promise.reject(new Error('asked')),
  series: () => Promise.reject(new Error('asked')),
};
const rows = new Orders(never).all();

const on = (calculation: Calculation, resource = plain) => compileCalculation(resource, calculation).pipeline;
const series = { kind: 'series', where: [], groupBy: 'note', op: 'count', orderBy: 'group', direction: 'asc' } as const;

describe('a compiled calculation', () => {
  it('is one match of plain predicates, with the tenant first and every equality written out', () => {
    const { calculation } = rows.where('status', 'eq', 'paid').where('createdAt', 'ge', asDate('2026-03-29')).count();
    expect(on(calculation, orders as never)).toEqual([
      {
        $match: {
          tenantId: { $eq: 't1' },
          status: { $eq: 'paid' },
          createdAt: { $gte: new Date('2026-03-29T00:00:00Z') },
        },
      },
      { $group: { _id: null, y: { $sum: 1 } } },
    ]);
  });

  it('joins conditions on one field, so that none replaces another', () => {
    const { calculation } = rows.where('note', 'ne', 'a').where('note', 'ne', 'b').count();
    expect(on(calculation)[0]).toEqual({ $match: { $and: [{ note: { $ne: 'a' } }, { note: { $ne: 'b' } }] } });
  });

  it('keeps the tenant also beside a condition on a field of that name', () => {
    const named = defineResource('named', { tenantScoped: true, fields: { tenantId: { type: 'string' } } });
    const [match] = on(
      { kind: 'scalar', op: 'count', tenantId: 't1', where: [{ field: 'tenantId', op: 'eq', value: 't2' }] },
      named as never,
    );
    expect(match).toEqual({ $match: { $and: [{ tenantId: { $eq: 't1' } }, { tenantId: { $eq: 't2' } }] } });
  });

  it('never holds $expr, and values only as values', () => {
    const hostile = ['$total', '{"$gt":""}', '$$ROOT'];
    for (const value of hostile) {
      const text = JSON.stringify(on({ ...series, where: [{ field: 'note', op: 'eq', value }] })[0]);
      expect(text).toBe(JSON.stringify({ $match: { note: { $eq: value } } }));
    }
    expect(
      JSON.stringify(on({ ...series, groupBy: 'createdAt', bucket: 'day', op: 'sum', field: 'total' })),
    ).not.toContain('$expr');
  });

  it('reads the start of a day in the zone of the query', () => {
    const calculation = {
      ...series,
      groupBy: 'createdAt',
      bucket: 'day',
      timezone: 'Europe/Paris',
      where: [{ field: 'createdAt', op: 'ge', value: asDate('2026-03-29') }],
    } as const;
    expect(on(calculation)[0]).toEqual({ $match: { createdAt: { $gte: new Date('2026-03-28T23:00:00Z') } } });
  });

  it('sorts ties by their group, and asks for one point more than it answers', () => {
    expect(on({ ...series, orderBy: 'measure', direction: 'desc' }).slice(-2)).toEqual([
      { $sort: { y: -1, _id: 1 } },
      { $limit: 1_001 },
    ]);
    expect(on({ ...series, limit: 10 }).at(-1)).toEqual({ $limit: 10 });
    expect(compileCalculation(plain, { ...series, limit: 900 }, { maxPoints: 500 })).toMatchObject({
      cap: { points: 500, drops: 'last' },
      pipeline: expect.arrayContaining([{ $limit: 900 }, { $limit: 501 }]),
    });
    const daily = { ...series, groupBy: 'createdAt', bucket: 'day' } as const;
    expect(on(daily).slice(-3)).toEqual([
      { $sort: { dateless: -1, _id: -1 } },
      { $limit: 1_002 },
      { $sort: { dateless: -1, _id: 1 } },
    ]);
    expect(compileCalculation(plain, daily).cap).toMatchObject({ drops: 'first' });
  });

  it('is refused without a tenant where rows belong to tenants', () => {
    expect(() => on({ kind: 'scalar', op: 'count', where: [] }, orders as never)).toThrow(MissingTenantError);
    expect(() => new Orders({ ...never, tenantId: undefined as never }).all()).toThrow(MissingTenantError);
  });

  const mistakes: readonly (readonly [string, Calculation])[] = [
    ['an unknown field', { kind: 'scalar', op: 'count', where: [{ field: 'nothing', op: 'eq', value: 'x' }] }],
    [
      'a field of the prototype',
      { kind: 'scalar', op: 'count', where: [{ field: 'constructor', op: 'eq', value: 'x' }] },
    ],
    ['an opaque field', { kind: 'scalar', op: 'count', where: [{ field: 'tags', op: 'eq', value: 'x' }] }],
    ['an order of truth values', { kind: 'scalar', op: 'count', where: [{ field: 'gift', op: 'gt', value: true }] }],
    ['a measure of text', { kind: 'scalar', op: 'sum', field: 'note', where: [] }],
    ['a sum of nothing', { kind: 'scalar', op: 'sum', where: [] }],
    ['a date without a bucket', { ...series, groupBy: 'createdAt' }],
    ['a bucket of text', { ...series, bucket: 'day' }],
    ['a zone without a bucket', { ...series, timezone: 'UTC' }],
    ['an unknown bucket', { ...series, groupBy: 'createdAt', bucket: 'week' as never }],
    ['an unknown order', { ...series, orderBy: 'x' as never }],
    ['a limit above the platform', { ...series, limit: 1_001 }],
    ['a limit of nothing', { ...series, limit: 0 }],
    ['a limit of halves', { ...series, limit: 1.5 }],
  ];
  it.each(mistakes)('is refused for %s', (_name, calculation) => {
    expect(() => on(calculation)).toThrow(ChainError);
  });

  const bad: readonly (readonly [string, unknown])[] = [
    ['total', 'x'],
    ['total', Number.NaN],
    ['gift', 'true'],
    ['createdAt', '2026-01-01'],
    ['createdAt', new Date(Number.NaN)],
    ['note', 1],
    ['note', { $ne: 1 }],
    ['status', 'lost'],
    ['status', ['paid']],
  ];
  it.each(bad)('refuses for %s the value %p', (field, value) => {
    expect(() => on({ kind: 'scalar', op: 'count', where: [{ field, op: 'eq', value: value as never }] })).toThrow(
      BadValueError,
    );
  });
});

describe('a calculation of a package', () => {
  const distinct = defineCalculation<{ readonly field: string }>({
    id: 'distinct',
    measure: 'count',
    compile: ({ field }, fields) => [{ $group: { _id: `$${fields.path(field)}` } }, { $count: 'y' }],
  });
  const reading = defineCalculation<{ readonly from: string }>({
    id: 'reading',
    measure: 'count',
    compile: ({ from }) => [{ $lookup: { from, pipeline: [], as: 'y' } }],
  });

  it('comes after the rows of the caller, with paths of declared fields', () => {
    const { calculation } = rows.where('status', 'eq', 'paid').calculate(distinct, { field: 'note' });
    expect(on(calculation, orders)).toEqual([
      { $match: { tenantId: { $eq: 't1' }, status: { $eq: 'paid' } } },
      { $group: { _id: '$note' } },
      { $count: 'y' },
    ]);
    expect(() => on(rows.calculate(distinct, { field: '$where' }).calculation)).toThrow(ChainError);
    expect(() => on(rows.calculate(distinct, { field: 'unknown' }).calculation)).toThrow(ChainError);
  });

  it('reads no other table and writes none', () => {
    expect(() => on(rows.calculate(reading, { from: 'secrets' }).calculation)).toThrow(/uses the stage \$lookup/);
  });
});

describe('a condition on a path that the language treats specially', () => {
  it('stays in the match, with the tenant as with a field', () => {
    const odd = defineResource('odd', {
      tenantScoped: true,
      tenantField: '__proto__',
      fields: { kind: { type: 'string', path: 'constructor' } },
    });
    const where = [{ field: 'kind', op: 'eq', value: 'a' }] as const;
    const { pipeline } = compileCalculation(odd, { kind: 'scalar', where, op: 'count', tenantId: 't1' });
    const { $match } = pipeline[0] as { $match: object };
    expect(Object.entries($match)).toEqual([
      ['__proto__', { $eq: 't1' }],
      ['constructor', { $eq: 'a' }],
    ]);
  });
});
