import { Decimal128, Double, Int32, Long } from 'bson';
import { arrange, headlineOf } from './arrange';
import { readScalar, readSeries, toFiniteNumber } from './results';

const scalar = (op: 'count' | 'sum' | 'avg' | 'min' | 'max') => ({ kind: 'scalar', op, where: [] }) as const;

describe('a number of the database', () => {
  const numbers: readonly (readonly [unknown, number | null])[] = [
    [new Int32(7), 7],
    [new Double(0.1), 0.1],
    [Long.fromString('9007199254740993'), 9_007_199_254_740_992],
    [Long.MAX_VALUE, 9_223_372_036_854_775_807],
    [Long.MIN_VALUE, -9_223_372_036_854_775_808],
    [Decimal128.fromString('0.1'), 0.1],
    [Decimal128.fromString('1E+400'), null],
    [Decimal128.fromString('NaN'), null],
    [Decimal128.fromString('-Infinity'), null],
    [9_007_199_254_740_993n, 9_007_199_254_740_992],
    [Number.NaN, null],
    [Infinity, null],
    [null, null],
    [undefined, null],
    ['7', null],
    [true, null],
    [new Date(0), null],
    [[1], null],
    [{ _bsontype: 'ObjectId', toString: () => '7' }, null],
  ];
  it.each(numbers)('%p is read as %p, rounded once', (value, expected) => {
    expect(toFiniteNumber(value)).toBe(expected);
  });

  it('of a decimal is the nearest one, not a rounding of a rounding', () => {
    expect(toFiniteNumber(Decimal128.fromString('9007199254740992.500000000000000001'))).toBe(9_007_199_254_740_992);
    expect(toFiniteNumber(Decimal128.fromString('9007199254740993.000000000000000001'))).toBe(9_007_199_254_740_994);
  });
});

describe('an empty answer', () => {
  it('is 0 for counts and sums and nothing for the others', () => {
    expect((['count', 'sum', 'avg', 'min', 'max'] as const).map((op) => readScalar([], scalar(op)))).toEqual([
      0,
      0,
      null,
      null,
      null,
    ]);
    expect((['count', 'sum', 'avg', 'min', 'max'] as const).map((op) => headlineOf([], op))).toEqual([
      0,
      0,
      null,
      null,
      null,
    ]);
  });
});

describe('a series', () => {
  it('says that it was cut only when there was more', () => {
    const rows = [1, 2, 3].map((number) => ({ _id: number, y: number }));
    expect(readSeries(rows, { cap: { points: 2, drops: 'last' } })).toMatchObject({
      points: [
        { x: 1, y: 1 },
        { x: 2, y: 2 },
      ],
      truncated: true,
    });
    expect(readSeries(rows, { cap: { points: 3, drops: 'last' } }).truncated).toBe(false);
    expect(readSeries(rows).truncated).toBe(false);
    expect(readSeries(rows, { cap: { points: 2, drops: 'first' } }).points.map(({ x }) => x)).toEqual([2, 3]);
  });
});

describe('a headline', () => {
  const points = [
    { x: 202_601, y: 10 },
    { x: 202_602, y: 40 },
    { x: 202_603, y: null },
  ];

  it('adds counts and sums up, and takes the extremes of the groups', () => {
    expect((['count', 'sum', 'min', 'max'] as const).map((op) => headlineOf(points, op))).toEqual([50, 50, 10, 40]);
  });

  it('of averages is the average of the averages, which uneven groups make differ from the average of the rows', () => {
    const groups = { [202_601]: [10], [202_602]: [30, 40, 50] };
    const averages = Object.entries(groups).map(([x, values]) => ({
      x: Number(x),
      y: values.reduce((sum, each) => sum + each, 0) / values.length,
    }));
    const all = Object.values(groups).flat();
    expect(headlineOf(averages, 'avg')).toBe(25);
    expect(all.reduce((sum, each) => sum + each, 0) / all.length).toBe(32.5);
  });

  it('is compared as a fraction, and not at all with nothing', () => {
    const delta = (value: number | null, previous: number | null) =>
      arrange(value, { response: 'value', measure: 'sum', previous }).delta;
    expect([
      delta(150, 100),
      delta(50, 100),
      delta(0, 0),
      delta(5, 0),
      delta(5, null),
      delta(null, 5),
      delta(-50, -100),
    ]).toEqual([0.5, -0.5, 0, undefined, undefined, undefined, 0.5]);
  });

  it('is null beyond the range of numbers, and a change beyond it is absent', () => {
    const most = [1e308, 1e308].map((y, x) => ({ x, y }));
    for (const measure of ['sum', 'avg'] as const)
      expect(arrange(most, { response: 'value', measure, previous: 1 })).toEqual({
        value: null,
        previousValue: 1,
        sparkline: most,
      });
    expect(arrange(1e300, { response: 'value', measure: 'sum', previous: 5e-324 })).not.toHaveProperty('delta');
    expect(arrange(1e308, { response: 'value', measure: 'sum', previous: -1e308 })).not.toHaveProperty('delta');
  });
});

describe('an arrangement', () => {
  const [now, before] = [[{ x: 'a', y: 3 }], [{ x: 'a', y: 2 }]];
  it('has the parts of its shape', () => {
    expect(arrange(now, { response: 'series', measure: 'sum' })).toEqual({ series: now });
    expect(arrange(now, { response: 'items', measure: 'sum' })).toEqual({ items: now });
    expect(arrange(now, { response: 'value', measure: 'sum' })).toEqual({ value: 3, sparkline: now });
    expect(arrange(7, { response: 'value', measure: 'sum', previous: 14 })).toEqual({
      value: 7,
      previousValue: 14,
      delta: -0.5,
    });
    expect(arrange(now, { response: 'card', measure: 'sum', previous: before })).toEqual({
      value: 3,
      series: now,
      previousValue: 2,
      delta: 0.5,
      comparisonSeries: before,
    });
  });
});
