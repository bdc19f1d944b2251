import { proofSize } from '@platform/testing';
import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { TableModel, type RowAccess } from './chain';
import { asDate } from './coercions';
import { defineResource } from './resource';
import { openTestStore, type TestStore } from './testing/store';
import { aggregateOps, buckets, measureOps } from './vocabulary';

const fields = { kind: { type: 'string' }, total: { type: 'price' }, at: { type: 'date' } } as const;
const table = <Name extends string>(name: Name, tenantScoped = false) => defineResource(name, { tenantScoped, fields });

const modelOf = (name: string, tenantScoped = false) => {
  const resource = table(name, tenantScoped);
  return class extends TableModel<typeof resource> {
    readonly resource = resource;
    all = () => this.rows();
  };
};
const rowsOf = (name: string, access: RowAccess, tenantScoped = false) =>
  new (modelOf(name, tenantScoped))(access).all();

describe('calculations on a store', () => {
  let store: TestStore;
  beforeAll(async () => void (store = await openTestStore('calculations')));
  afterAll(() => store.close());

  describe('over dirty rows', () => {
    const odd: Readonly<Record<string, unknown>> = {
      text: '12',
      empty: '',
      truth: true,
      nothing: null,
      list: [1, 2],
      object: { total: 3 },
      id: new ObjectId(),
      bytes: new Binary(Buffer.from([1])),
      expression: /x/,
      stamp: new Timestamp({ t: 1, i: 1 }),
      least: new MinKey(),
      most: new MaxKey(),
      notANumber: Number.NaN,
      infinite: -Infinity,
      decimalNaN: Decimal128.fromString('NaN'),
      decimalInfinity: Decimal128.fromString('Infinity'),
    };
    const clean = [
      { total: 10, at: new Date('2026-01-10T00:00:00Z'), kind: 'a' },
      { total: 30, at: new Date('2026-02-10T00:00:00Z'), kind: 'b' },
    ];

    it.each(Object.keys(odd))('one row with %s in a field fails no measure, no bucket and no group', async (name) => {
      const date = name === 'infinite' ? new Date(8.64e15) : new Date(0);
      const dirty = [
        { ...clean[0], total: odd[name] },
        { ...clean[0], at: odd[name] },
        { ...clean[0], kind: odd[name] },
        { total: odd[name], at: odd[name], kind: odd[name] },
        { kind: 'missing' },
        { total: date, at: date },
      ];
      await store.insert(`dirty-${name}`, [...clean, ...dirty]);
      const rows = rowsOf(`dirty-${name}`, store.access());
      const expected = { sum: 60, avg: 15, min: 10, max: 30 } as const;
      expect(await rows.count()).toBe(8);
      for (const op of aggregateOps) expect([op, await rows.aggregate(op, 'total')]).toEqual([op, expected[op]]);
      for (const op of measureOps) {
        for (const bucket of buckets) {
          const points = await (
            op === 'count'
              ? rows.groupBy('at', { bucket, timezone: 'Europe/Paris' }).measure('count')
              : rows.groupBy('at', { bucket, timezone: 'Europe/Paris' }).measure(op, 'total')
          ).orderBy('group', 'asc');
          expect(points.every(({ x, y }) => Number.isInteger(x) && (y === null || Number.isFinite(y)))).toBe(true);
        }
        const groups = await (
          op === 'count' ? rows.groupBy('kind').measure('count') : rows.groupBy('kind').measure(op, 'total')
        ).orderBy('measure', 'desc');
        expect(groups.every(({ x }) => x === null || typeof x === 'string')).toBe(true);
      }
      expect(await rows.groupBy('total').measure('count').orderBy('group', 'asc')).toEqual([
        { x: null, y: 4 },
        { x: 10, y: 3 },
        { x: 30, y: 1 },
      ]);
    });

    it('leaves what is no date out of a bucketed series, before it is cut', async () => {
      const points = await rowsOf('dirty-nothing', store.access())
        .groupBy('at', { bucket: 'month' })
        .measure('count')
        .orderBy('group', 'asc')
        .limit(2);
      expect(points).toEqual([
        { x: 197_001, y: 1 },
        { x: 202_601, y: 3 },
      ]);
    });
  });

  describe('over numbers of all kinds', () => {
    const golden: readonly (readonly [string, readonly unknown[], readonly (number | null)[]])[] = [
      [
        'ints beyond 32 bits',
        [new Int32(2_147_483_647), new Int32(2_147_483_647)],
        [4_294_967_294, 2_147_483_647, 2_147_483_647, 2_147_483_647],
      ],
      [
        'longs beyond the safe integers',
        [Long.fromString('9007199254740993'), Long.fromString('9007199254740993')],
        [18_014_398_509_481_986, 9_007_199_254_740_992, 9_007_199_254_740_992, 9_007_199_254_740_992],
      ],
      [
        'longs whose sum leaves 64 bits',
        [Long.MAX_VALUE, Long.MAX_VALUE],
        [18_446_744_073_709_552_000, 9_223_372_036_854_776_000, 9_223_372_036_854_776_000, 9_223_372_036_854_776_000],
      ],
      ['doubles whose sum is no number', [new Double(1.7e308), new Double(1.7e308)], [null, null, 1.7e308, 1.7e308]],
      [
        'decimals that doubles cannot hold',
        [Decimal128.fromString('0.1'), Decimal128.fromString('0.2')],
        [0.3, 0.15, 0.1, 0.2],
      ],
      [
        'a decimal among doubles',
        [Decimal128.fromString('0.1'), new Double(0.25), new Int32(1), new Long(2)],
        [3.35, 0.8375, 0.1, 2],
      ],
      ['negative and zero', [new Double(-0), new Int32(-5)], [-5, -2.5, -5, 0]],
      ['nothing that counts', ['x', null], [0, null, null, null]],
    ];
    it.each(golden)('answers finite numbers for %s', async (name, values, expected) => {
      const collection = `numbers-${name.replaceAll(' ', '-')}`;
      await store.insert(
        collection,
        values.map((total) => ({ total })),
      );
      const rows = rowsOf(collection, store.access());
      const found = await Promise.all(aggregateOps.map(async (op) => (await rows.aggregate(op, 'total')) ?? null));
      expect(found.map((value) => (Object.is(value, -0) ? 0 : value))).toEqual(expected);
    });

    it('pins the headline of averages beside the average of the rows', async () => {
      await store.insert(
        'uneven',
        [
          [1, 10],
          [2, 30],
          [2, 40],
          [2, 50],
        ].map(([month, total]) => ({ total, at: new Date(Date.UTC(2026, month! - 1, 5)) })),
      );
      const rows = rowsOf('uneven', store.access());
      expect(await rows.groupBy('at', { bucket: 'month' }).measure('avg', 'total').orderBy('group', 'asc')).toEqual([
        { x: 202_601, y: 10 },
        { x: 202_602, y: 40 },
      ]);
      expect(await rows.aggregate('avg', 'total')).toBe(32.5);
    });
  });

  it('see the rows of the own tenant only', async () => {
    await store.insert('scoped', [
      { tenantId: 't1', total: 1 },
      { tenantId: 't2', total: 10 },
      { total: 100 },
      { tenantId: ['t1'], total: 0 },
      { tenantId: null, total: 1_000 },
    ]);
    const sum = (tenantId: string) => rowsOf('scoped', store.access({ tenantId }), true).aggregate('sum', 'total');
    expect([await sum('t1'), await sum('t2'), await sum('t3')]).toEqual([1, 10, 0]);
  });

  it('say when a series was cut at a thousand points, and only then', async () => {
    await store.insert(
      'many',
      Array.from({ length: 1_001 }, (_unused, index) => ({ kind: `k${String(index).padStart(4, '0')}` })),
    );
    const cut = async (limit?: number, count = 1_001) => {
      const access = store.access();
      const series = rowsOf('many', access)
        .where('kind', 'lt', `k${String(count).padStart(4, '0')}`)
        .groupBy('kind')
        .measure('count')
        .orderBy('group', 'asc');
      const points = await (limit === undefined ? series : series.limit(limit));
      return [points.length, access.truncated()];
    };
    expect([await cut(), await cut(1_000), await cut(5), await cut(undefined, 1_000)]).toEqual([
      [1_000, true],
      [1_000, false],
      [5, false],
      [1_000, false],
    ]);
  });

  it('cost one command each', async () => {
    store.commands();
    const counted = rowsOf('many', store.access()).where('kind', 'lt', 'k1000').groupBy('kind').measure('count');
    await counted.orderBy('group', 'asc');
    expect(store.commands()).toEqual(['aggregate']);
  });

  it('cost a second command only where the platform cuts them', async () => {
    store.commands();
    await rowsOf('many', store.access()).groupBy('kind').measure('count').orderBy('group', 'asc');
    expect(store.commands()).toEqual(['aggregate', 'aggregate']);
  });

  it('add up: the buckets of a range have the sum of its rows, whatever the zone', async () => {
    const ranges = Number(process.env['RANGES'] ?? proofSize({ lean: 60, full: 2_000 }));
    const [first, last] = [Date.UTC(2024, 0, 1), Date.UTC(2026, 0, 1)];
    const random = fc.sample(
      fc.record({ at: fc.integer({ min: first, max: last }), total: fc.integer({ min: -500, max: 1_000 }) }),
      { numRuns: 400, seed: 11 },
    );
    await store.insert(
      'sums',
      random.map(({ at, total }) => ({ at: new Date(at), total })),
    );
    const rows = rowsOf('sums', store.access());
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Paris',
      'America/St_Johns',
      'Pacific/Apia',
      'Asia/Kathmandu',
      'Africa/Cairo',
      'Australia/Lord_Howe',
      'America/Sao_Paulo',
    );
    const bound = fc.oneof(
      fc.date({ min: new Date(first), max: new Date(last), noInvalidDate: true }),
      fc
        .date({ min: new Date(first), max: new Date(last), noInvalidDate: true })
        .map((date) => asDate(date.toISOString().slice(0, 10))),
    );
    const range = fc.record({
      zone,
      bucket: fc.constantFrom(...buckets),
      lower: fc.constantFrom('gt' as const, 'ge' as const),
      upper: fc.constantFrom('lt' as const, 'le' as const),
      from: bound,
      to: bound,
    });
    await fc.assert(
      fc.asyncProperty(range, async ({ zone: timezone, bucket, lower, upper, from, to }) => {
        const series = rows
          .where('at', lower, from)
          .where('at', upper, to)
          .groupBy('at', { bucket, timezone })
          .measure('sum', 'total')
          .orderBy('group', 'asc');
        // A day means its start in the zone of the query; the scalar has no zone of its own, so its conditions are
        // instants.
        const instants = new Map<Date, Date>();
        const bounds = store.access({
          aggregate: async (_table, [match]) => (collectBounds(match!, [from, to], instants), []),
        });
        await bounds.series(table('sums'), series.calculation);
        const scalar = await rows
          .where('at', lower, instants.get(from)!)
          .where('at', upper, instants.get(to)!)
          .aggregate('sum', 'total');
        expect((await series).reduce((sum, { y }) => sum + y!, 0)).toBe(scalar);
      }),
      { numRuns: ranges, seed: 7 },
    );
  });
});

function collectBounds(
  match: Readonly<Record<string, unknown>>,
  given: readonly [Date, Date],
  found: Map<Date, Date>,
): void {
  const { $and } = match['$match'] as { readonly $and: readonly { readonly at: Readonly<Record<string, Date>> }[] };
  $and.forEach(({ at }, index) => found.set(given[index]!, Object.values(at)[0]!));
}
