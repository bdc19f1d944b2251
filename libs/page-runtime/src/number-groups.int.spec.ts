/** Groups by a number: the rows of a point are those that were counted, whatever form the number has in the store. */
import { Decimal128, Long } from 'bson';
import { TableModel } from './chain';
import { compileParts, compilePartsOfPoints, compileRowCount } from './compile/behind';
import { defineResource } from './resource';
import { readSeries } from './results';
import { openTestStore, type TestStore } from './testing/store';

const sales = defineResource('sales', {
  fields: { rate: { type: 'percentage', stored: 'decimal' }, size: { type: 'number' }, shop: { type: 'string' } },
});
class Sales extends TableModel<typeof sales> {
  readonly resource = sales;
  by = (field: 'rate' | 'size' | 'shop') => this.rows().groupBy(field).measure('count').orderBy('group', 'asc');
}
const row = (rate: string, size: unknown, shop: string) => ({ rate: Decimal128.fromString(rate), size, shop });

describe('groups by a number', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore('number-groups');
    await store.insert('sales', [
      row('0.1', Long.fromString('9007199254740993'), 'a'),
      row('0.10', Long.fromString('9007199254740992'), 'b'),
      row('0.12345678901234567890123', 3, 'a'),
      row('1E+400', Decimal128.fromString('3'), 'b'),
      row('NaN', Number.NaN, 'b'),
    ]);
  });
  afterAll(() => store.close());

  it.each(['rate', 'size'] as const)(
    'have one point for each number of %s, with exactly its rows behind it',
    async (field) => {
      const model = new Sales(store.access());
      const points = await model.by(field);
      expect(new Set(points.map(({ x }) => x)).size).toBe(points.length);
      for (const { x, y } of points) {
        const { collection, pipeline } = compileRowCount(sales, model.by(field).calculation, { x });
        expect(await store.aggregate(collection, pipeline as never)).toEqual([{ _id: null, y }]);
      }
    },
  );

  it('are the parts of other points, and not the rest', async () => {
    const { calculation } = new Sales(store.access()).by('shop');
    const parts = compileParts(sales, calculation, 'rate', 7);
    const values = readSeries(await store.aggregate('sales', parts.pipeline as never)).points.map(({ x }) => x);
    const each = compilePartsOfPoints(sales, calculation, { field: 'rate', values, points: ['a', 'b'] });
    const cells = await store.aggregate('sales', each.pipeline as never);
    expect(cells.map(({ _id }) => (_id as { rest: boolean }).rest)).not.toContain(true);
  });
});
