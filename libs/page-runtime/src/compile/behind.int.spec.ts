/**
 * Parts and rows behind figures, on a store: parts add up to their points, and a count equals the number of its rows.
 */
import { Decimal128, ObjectId } from 'bson';
import { compileParts, compilePartsOfPoints, compileRowCount, compileRows, type PointBehind } from './behind';
import { TableModel, type Point, type ScalarCalculation, type SeriesCalculation } from '../chain';
import { defineResource, type Resource } from '../resource';
import { groupOf, readSeries, toFiniteNumber } from '../results';
import { openTestStore, type TestStore } from '../testing/store';

const sales = defineResource('sales', {
  tenantScoped: true,
  fields: {
    shop: { type: 'string' },
    gift: { type: 'boolean' },
    total: { type: 'price', path: 'sums.total' },
    at: { type: 'date' },
    buyer: { type: 'relation', stored: 'objectId' },
    home: { type: 'address' },
  },
});
class Sales extends TableModel<typeof sales> {
  readonly resource = sales;
  byMonth = () =>
    this.rows().groupBy('at', { bucket: 'month', timezone: 'Europe/Paris' }).measure('count').orderBy('group', 'asc');
  byShop = () => this.rows().groupBy('shop').measure('sum', 'total').orderBy('measure', 'desc');
  byBuyer = () => this.rows().groupBy('buyer').measure('count').orderBy('group', 'asc');
  byGift = () => this.rows().groupBy('gift').measure('avg', 'total').orderBy('group', 'asc');
  all = () => this.rows().count();
}
/** Texts that an expression could read as a path, a variable or an operator. */
const shops = ['$total', '$$ROOT', '{"$gt":""}', 'a.b', '', "it's", 'constructor'];
const buyers = [new ObjectId(), new ObjectId()];

describe('what lies behind figures', () => {
  let store: TestStore;
  const rows = Array.from({ length: 240 }, (_unused, at) => ({
    tenantId: at % 10 === 0 ? 'other' : 'acme',
    shop: at % 11 === 0 ? null : shops[at % shops.length]!,
    gift: at % 13 === 0 ? 'yes' : at % 2 === 0,
    sums: { total: at % 17 === 0 ? 'none' : at % 5 === 0 ? Decimal128.fromString(`${at}.5`) : at - 60 },
    // Around the clock change, and at the ends of months in Paris.
    at: at % 19 === 0 ? 'no date' : new Date(Date.UTC(2026, 2, 28, 21 + at * 5, 30)),
    buyer: at % 7 === 0 ? 'no id' : buyers[at % 2],
  }));
  beforeAll(async () => {
    store = await openTestStore('behind');
    await store.insert('sales', rows);
  });
  afterAll(() => store.close());

  const model = () => new Sales(store.access({ tenantId: 'acme' }));
  const ask = ({ collection, pipeline }: { collection: string; pipeline: readonly object[] }) =>
    store.aggregate(collection, pipeline as never);
  const countOf = async (calculation: ScalarCalculation | SeriesCalculation, point: PointBehind) =>
    toFiniteNumber((await ask(compileRowCount(sales, calculation, point)))[0]?.['y']) ?? 0;
  const rowsOf = (calculation: ScalarCalculation | SeriesCalculation, point: PointBehind, fields: readonly string[]) =>
    ask(compileRows(sales, calculation, { point, fields, skip: 0, limit: 1_000 }));

  it.each(['byMonth', 'byBuyer'] as const)('counts as many rows as each point of %s says', async (name) => {
    const { calculation } = model()[name]();
    const points = await model()[name]();
    expect(points.length).toBeGreaterThan(1);
    for (const { x, y } of points) {
      expect([x, await countOf(calculation, { x })]).toEqual([x, y]);
      expect(await rowsOf(calculation, { x }, ['at'])).toHaveLength(y!);
    }
  });

  it('shows the rows of a group whatever its text says, those of no group, and those of no other tenant', async () => {
    const { calculation } = model().byShop();
    for (const { x } of await model().byShop()) {
      const own = rows.filter(({ shop, tenantId }) => tenantId === 'acme' && shop === x);
      const found = await rowsOf(calculation, { x }, ['shop', 'total']);
      expect([x, found.length, [...new Set(found.map(({ c0 }) => c0 ?? null))]]).toEqual([x, own.length, [x]]);
    }
    expect(await countOf(model().all().calculation, {})).toBe(
      rows.filter(({ tenantId }) => tenantId === 'acme').length,
    );
  });

  it.each([
    ['byMonth', 'shop'],
    ['byMonth', 'buyer'],
    ['byBuyer', 'gift'],
    ['byShop', 'buyer'],
  ] as const)('has parts of %s by %s that add up to each point', async (name, field) => {
    const calculation: SeriesCalculation = model()[name]().calculation;
    const points: readonly Point[] = await model()[name]();
    const parts = readSeries(await ask(compileParts(sales, calculation, field, 3))).points;
    const values = parts.map(({ x }) => x);
    const cells = await ask(
      compilePartsOfPoints(sales, calculation, { field, values, points: points.map(({ x }) => x) }),
    );
    const sums = new Map<unknown, number>();
    for (const { _id, y } of cells)
      sums.set(groupOf(_id.x), (sums.get(groupOf(_id.x)) ?? 0) + (toFiniteNumber(y) ?? 0));
    expect(points.map(({ x }) => [x, sums.get(x)])).toEqual(points.map(({ x, y }) => [x, expect.closeTo(y!, 6)]));
    for (const { _id, y } of cells.filter(({ _id: id }) => !id.rest && calculation.op === 'count'))
      expect(await countOf(calculation, { x: groupOf(_id.x), part: { field, value: groupOf(_id.part) } })).toBe(
        toFiniteNumber(y),
      );
  });

  it('has a part of its own for every text, also one that an expression would take for a path', async () => {
    const calculation: SeriesCalculation = model().byMonth().calculation;
    const points: readonly Point[] = await model().byMonth();
    const parts = readSeries(await ask(compileParts(sales, calculation, 'shop', 20))).points;
    expect(parts.map(({ x }) => x).sort()).toEqual([null, ...shops].sort());
    const wanted = { field: 'shop', values: parts.map(({ x }) => x), points: [null, ...points.map(({ x }) => x)] };
    const cells = await ask(compilePartsOfPoints(sales, calculation, wanted));
    const sums = new Map<unknown, number>();
    for (const { _id, y } of cells) sums.set(_id.part, (sums.get(_id.part) ?? 0) + (toFiniteNumber(y) ?? 0));
    expect(cells.filter(({ _id }) => _id.rest)).toEqual([]);
    expect(parts.map(({ x }) => [x, sums.get(x)])).toEqual(parts.map(({ x, y }) => [x, y]));
  });

  it('takes the largest parts: by the figure where it adds up, else by their rows', async () => {
    const parts = readSeries(await ask(compileParts(sales, model().byGift().calculation, 'shop', 20))).points;
    const counts = await Promise.all(
      parts.map(({ x }) => countOf(model().all().calculation, { part: { field: 'shop', value: x } })),
    );
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    const sums = readSeries(await ask(compileParts(sales, model().byShop().calculation, 'buyer', 20))).points.map(
      ({ y }) => y!,
    );
    expect(sums).toEqual([...sums].sort((a, b) => b - a));
  });

  it('gives the newest rows first, a page of them at a time', async () => {
    const { calculation } = model().byMonth();
    const page = (skip: number) =>
      ask(compileRows(sales, calculation, { point: { x: 202_604 }, fields: ['at'], skip, limit: 20 }));
    const times = [...(await page(0)), ...(await page(20))].map(({ c0 }) => (c0 as Date).getTime());
    expect(times).toHaveLength(40);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });

  it.each(['home', 'nothing', '$where', 'sums.total', 'at'])('breaks nothing down by %s', (field) => {
    expect(() => compileParts(sales as Resource, model().byShop().calculation, field, 3)).toThrow('broken down');
  });
  it.each(['home', 'nothing', '__proto__', 'tenantId'])('shows no %s of a row', (field) => {
    const shown = { point: {}, fields: [field], skip: 0, limit: 1 };
    expect(() => compileRows(sales as Resource, model().all().calculation, shown)).toThrow('cannot show');
  });
});
