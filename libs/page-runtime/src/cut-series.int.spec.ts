/** A series that the platform cuts still says how much there is, and its headline covers all of it. */
import { arrange, withTruncation, type Arranged, type Shown } from './arrange';
import { TableModel, type RowAccess } from './chain';
import { asDate } from './coercions';
import { defineResource } from './resource';
import { openTestStore, type TestStore } from './testing/store';
import type { aggregateOps } from './vocabulary';

const fields = { kind: { type: 'string' }, total: { type: 'price' }, at: { type: 'date' } } as const;
const modelOf = (name: string) => {
  const resource = defineResource(name, { tenantScoped: false, fields });
  return class extends TableModel<typeof resource> {
    readonly resource = resource;
    all = () => this.rows();
  };
};
const rowsOf = (name: string, access: RowAccess) => new (modelOf(name))(access).all();

describe('series on a store', () => {
  let store: TestStore;
  beforeAll(async () => void (store = await openTestStore('cut-series')));
  afterAll(() => store.close());

  describe.each([1_000, 1_001, 3_000])('over %d days', (days) => {
    const sum = (days * (days + 1)) / 2;
    const shown = Math.min(days, 1_000);
    const cut = days > 1_000 ? { truncated: { shown: 1_000, total: days } } : {};
    const name = `days-${days}`;
    const newest = new Date(Date.UTC(2020, 0, days)).toISOString().slice(0, 10).replaceAll('-', '');
    beforeAll(() =>
      store.insert(
        name,
        Array.from({ length: days }, (_unused, index) => ({
          kind: `k${String(index).padStart(4, '0')}`,
          total: index + 1,
          at: new Date(Date.UTC(2020, 0, index + 1)),
        })),
      ),
    );
    const daily = (op: (typeof aggregateOps)[number] = 'sum', from = '2020-01-01') =>
      rowsOf(name, store.access())
        .where('at', 'ge', asDate(from))
        .groupBy('at', { bucket: 'day' })
        .measure(op, 'total')
        .orderBy('group', 'asc');

    it('keep the newest points of a timeline, and say of how many', async () => {
      const { series, truncated } = withTruncation({ series: await daily() }) as Arranged & { truncated?: Shown };
      expect([series?.length, series?.at(-1), truncated]).toEqual([
        shown,
        { x: Number(newest), y: days },
        cut.truncated,
      ]);
      const ranked = await rowsOf(name, store.access())
        .groupBy('kind')
        .measure('sum', 'total')
        .orderBy('measure', 'desc');
      expect(withTruncation(arrange(ranked, { response: 'items', measure: 'sum' }))).toEqual({ items: ranked, ...cut });
      expect([ranked.length, ranked[0]?.y]).toEqual([shown, days]);
    });

    it.each(['card', 'value'] as const)('have a headline over all of them, as %s', async (response) => {
      const answer = withTruncation(
        arrange(await daily(), { response, measure: 'sum', previous: await daily('sum', '2020-01-02') }),
      ) as Arranged;
      expect(answer).toMatchObject({ value: sum, previousValue: sum - 1, delta: 1 / (sum - 1), ...cut });
      expect(await rowsOf(name, store.access()).aggregate('sum', 'total')).toBe(sum);
      for (const op of ['avg', 'min', 'max'] as const) {
        const { value } = arrange(await daily(op), { response, measure: op });
        expect(value).toBe(await rowsOf(name, store.access()).aggregate(op, 'total'));
      }
    });

    it('keep to a limit of their own, also where less than that is read', async () => {
      const access = store.access({ maxPoints: 500 });
      const first = await rowsOf(name, access)
        .groupBy('at', { bucket: 'day' })
        .measure('sum', 'total')
        .orderBy('group', 'asc')
        .limit(900);
      const { value, series } = arrange(first, { response: 'card', measure: 'sum' });
      expect([value, series?.length, series?.at(-1)?.y]).toEqual([(900 * 901) / 2, 500, 900]);
      const five = await daily().limit(5);
      expect(withTruncation(arrange(five, { response: 'card', measure: 'sum' }))).toEqual({ value: 15, series: five });
    });
  });
});
