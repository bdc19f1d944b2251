import { defineResource, type Calculation, type Condition } from '@platform/page-runtime';
import { adviseIndexes, indexFor, servedBy } from './advise-indexes';

const fields = {
  status: { type: 'select' },
  country: { type: 'string' },
  total: { type: 'price' },
  createdAt: { type: 'date' },
} as const;
const scoped = defineResource('orders', { tenantScoped: true, fields });
const open = defineResource('products', { fields });
const where = (...conditions: readonly [string, Condition['op']][]): Calculation => ({
  kind: 'scalar',
  op: 'count',
  where: conditions.map(([field, op]) => ({ field, op, value: 'x' })),
});

describe('the index of a query', () => {
  it('begins with the tenant, then what is equal, then one range', () => {
    expect(
      indexFor({
        resource: scoped,
        calculation: where(
          ['createdAt', 'ge'],
          ['status', 'eq'],
          ['createdAt', 'lt'],
          ['country', 'eq'],
          ['total', 'gt'],
        ),
      }),
    ).toEqual(['tenantId', 'country', 'status', 'createdAt']);
  });

  it('is none for inequality, which a scan answers faster', () => {
    expect(indexFor({ resource: open, calculation: where(['status', 'ne']) })).toBeUndefined();
    expect(indexFor({ resource: open, calculation: where() })).toBeUndefined();
  });
});

describe('the indexes of a project', () => {
  const calculations = [
    { resource: scoped, calculation: where(), query: '/a@all' },
    { resource: scoped, calculation: where(['status', 'eq']), query: '/a@paid' },
    { resource: scoped, calculation: where(['status', 'eq'], ['createdAt', 'ge']), query: '/a@recent' },
    { resource: scoped, calculation: where(['createdAt', 'ge']), query: '/a@days' },
    { resource: scoped, calculation: where(['createdAt', 'ge']), query: '/b@days' },
  ];

  it('are as few as serve them all', () => {
    expect(adviseIndexes(calculations)).toEqual([
      { table: 'orders', key: { tenantId: 1, createdAt: 1 }, queries: ['/a@all', '/a@days', '/b@days'] },
      { table: 'orders', key: { tenantId: 1, status: 1, createdAt: 1 }, queries: ['/a@all', '/a@paid', '/a@recent'] },
    ]);
  });

  it('count those that exist, also longer ones', () => {
    const [wanted] = adviseIndexes(calculations);
    expect(servedBy([{ key: { tenantId: 1, createdAt: -1, total: 1 } }], wanted!)).toBe(true);
    expect(servedBy([{ key: { createdAt: 1, tenantId: 1 } }, { key: { tenantId: 'hashed' } }], wanted!)).toBe(false);
  });
});
