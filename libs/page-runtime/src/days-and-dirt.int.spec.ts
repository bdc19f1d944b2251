/**
 * One zone for the days of one period, whichever template is used; and how rows without a usable value affect figures.
 */
import { arrange, withLeftOut } from './arrange';
import { TableModel, type RowAccess } from './chain';
import { asDate } from './coercions';
import { defineResource } from './resource';
import { openTestStore, type TestStore } from './testing/store';

const fields = {
  kind: { type: 'string' },
  gift: { type: 'boolean' },
  total: { type: 'price' },
  at: { type: 'date' },
} as const;
const modelOf = (name: string) => {
  const resource = defineResource(name, { tenantScoped: false, fields });
  return class extends TableModel<typeof resource> {
    readonly resource = resource;
    all = () => this.rows();
  };
};
const rowsOf = (name: string, access: RowAccess) => new (modelOf(name))(access).all();

describe('on a store', () => {
  let store: TestStore;
  beforeAll(async () => void (store = await openTestStore('days-and-dirt')));
  afterAll(() => store.close());

  describe('the days of a period', () => {
    const paris = { timezone: 'Europe/Paris' } as const;
    beforeAll(() =>
      store.insert('nights', [
        // Local midnight in Paris is 22:00 of the day before in UTC.
        { total: 1, at: new Date('2026-06-30T21:59:59.999Z') },
        { total: 10, at: new Date('2026-06-30T22:00:00Z') },
        { total: 100, at: new Date('2026-07-31T21:59:59.999Z') },
        { total: 1_000, at: new Date('2026-07-31T22:00:00Z') },
      ]),
    );
    const rows = () => rowsOf('nights', store.access());
    const july = () => rows().where('at', 'ge', asDate('2026-07-01')).where('at', 'lt', asDate('2026-08-01'));

    it('are those of the same zone in a count, a sum and a series', async () => {
      expect(await july().aggregate('sum', 'total', paris)).toBe(110);
      expect(await july().count(paris)).toBe(2);
      expect(
        await july()
          .groupBy('at', { bucket: 'month', ...paris })
          .measure('sum', 'total')
          .orderBy('group', 'asc'),
      ).toEqual([{ x: 202_607, y: 110 }]);
      expect(await july().aggregate('sum', 'total')).toBe(1_110 - 10);
    });

    it('are whole days in every comparison, of which equal, before and after leave nothing out', async () => {
      const of = (op: 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le', day: string) =>
        rows().where('at', op, asDate(day)).aggregate('sum', 'total', paris);
      const day = '2026-07-01';
      expect(await Promise.all((['lt', 'eq', 'gt', 'le', 'ge', 'ne'] as const).map((op) => of(op, day)))).toEqual([
        1, 10, 1_100, 11, 1_110, 1_101,
      ]);
      expect(await of('le', '2026-07-31')).toBe(111);
      expect(await of('le', '9999-12-31')).toBe(1_111);
    });

    it('do not concern an instant', async () => {
      expect(await rows().where('at', 'eq', asDate('2026-06-30T22:00:00Z')).count(paris)).toBe(1);
    });
  });

  describe('rows without a usable value', () => {
    beforeAll(() =>
      store.insert('dirt', [
        { kind: 'a', gift: true, total: 10, at: new Date('2026-03-05') },
        { kind: 'a', gift: false, total: '99', at: new Date('2026-03-06') },
        { kind: 'b', gift: true, total: 5, at: '2026-03-07' },
        { kind: '', total: [1, 2], at: new Date('2026-04-01') },
        { total: Number.NaN, at: null },
        { total: null, at: new Date('2026-05-01') },
        { gift: 'yes', at: new Date('2026-06-01') },
      ]),
    );

    it('are counted in the answer of a series, whatever its limit', async () => {
      for (const limit of [undefined, 1, 1_000]) {
        const access = store.access();
        const ordered = rowsOf('dirt', access)
          .groupBy('at', { bucket: 'month' })
          .measure('sum', 'total')
          .orderBy('group', 'asc');
        const series = await (limit === undefined ? ordered : ordered.limit(limit));
        expect(series).toHaveLength(limit === 1 ? 1 : 4);
        expect(withLeftOut(arrange(series, { response: 'series', measure: 'sum' }), access.leftOut())).toEqual({
          series,
          leftOut: { withoutDate: 2, withoutNumber: limit === 1 ? 1 : 2 },
        });
      }
    });

    it('are counted also where the platform cuts the series', async () => {
      const access = store.access({ maxPoints: 2 });
      const series = await rowsOf('dirt', access)
        .groupBy('at', { bucket: 'month' })
        .measure('sum', 'total')
        .orderBy('group', 'asc');
      expect(series.map(({ x }) => x)).toEqual([202_605, 202_606]);
      expect(access.leftOut()).toEqual({ withoutDate: 2, withoutNumber: 2 });
      expect(arrange(series, { response: 'value', measure: 'sum' }).value).toBe(10);
    });

    it('are counted in the answer of one number, where only a value of another type is left out', async () => {
      const access = store.access();
      const value = await rowsOf('dirt', access).aggregate('sum', 'total');
      expect(withLeftOut({ value }, access.leftOut())).toEqual({ value: 15, leftOut: { withoutNumber: 3 } });
      const clean = store.access();
      expect(withLeftOut({ value: await rowsOf('dirt', clean).count() }, clean.leftOut())).toEqual({ value: 7 });
    });

    it('make no lowest group: what has no figure goes last and takes no place of a limit', async () => {
      const lowest = rowsOf('dirt', store.access())
        .groupBy('at', { bucket: 'month' })
        .measure('min', 'total')
        .orderBy('measure', 'asc');
      expect(await lowest.limit(2)).toEqual([{ x: 202_603, y: 10 }]);
      expect((await lowest)[0]).toEqual({ x: 202_603, y: 10 });
      expect((await lowest).at(-1)).toMatchObject({ y: null });
    });

    it('are a group of their own beside the empty text and the truth values', async () => {
      const grouped = (field: 'kind' | 'gift') =>
        rowsOf('dirt', store.access()).groupBy(field).measure('count').orderBy('group', 'asc');
      expect(await grouped('kind')).toEqual([
        { x: null, y: 3 },
        { x: '', y: 1 },
        { x: 'a', y: 2 },
        { x: 'b', y: 1 },
      ]);
      expect(await grouped('gift')).toEqual([
        { x: null, y: 4 },
        { x: false, y: 1 },
        { x: true, y: 2 },
      ]);
    });
  });
});
