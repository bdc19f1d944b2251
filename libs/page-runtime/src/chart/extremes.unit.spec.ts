/** Charts at the ends of the calendar and of the number range: no stored data may break a page. */
import { defaultPeriod, formatGroup, formatNumber, timelineOf, upperBound, type TimelineParts } from '.';
import { firstDayOf, nextBucket } from '../calendar-buckets';

const timeline = (parts: Partial<TimelineParts>) =>
  timelineOf({ series: [], bucket: 'day', span: {}, missing: 0, cut: undefined, today: '2026-03-01', ...parts });

describe('a timeline', () => {
  it.each(['day', 'month', 'quarter', 'year'] as const)('reaches to the last %s of the calendar', (bucket) => {
    const { buckets, partial } = timeline({ bucket, span: { from: '9999-12-01', to: '9999-12-31' } });
    expect(buckets.map((each) => firstDayOf(each, bucket)).at(-1)).toMatch(/^9999-/);
    expect(partial.at(-1)).toBe(bucket === 'year' || bucket === 'quarter');
  });

  it('begins in the first century where a row does, day by day', () => {
    expect(nextBucket(1_01_01, 'day')).toBe(1_01_02);
    expect(nextBucket(99_12_31, 'day')).toBe(100_01_01);
    expect(nextBucket(4_02_28, 'day')).toBe(4_02_29);
    const { buckets, values } = timeline({
      series: [{ x: 1_01_01, y: 3 }],
      span: { from: '0001-01-01', to: '0001-01-03' },
    });
    expect(buckets).toEqual([1_01_01, 1_01_02, 1_01_03]);
    expect(values).toEqual([3, 0, 0]);
  });

  it('is bounded by an instant that a query reads, also on the last day', () => {
    expect(upperBound({ from: '9999-12-01', to: '9999-12-31' }, 'le', 'Pacific/Chatham')).toBe(
      '9999-12-31T10:14:59.999Z',
    );
  });
});

describe('the default period', () => {
  it('ends with the present day of the chosen zone', () => {
    const evening = new Date('2026-03-31T10:30:00Z');
    expect(defaultPeriod(evening, 'Pacific/Chatham').to).toBe('2026-04-01');
    expect(defaultPeriod(evening, 'Pacific/Pago_Pago').to).toBe('2026-03-30');
    expect(defaultPeriod(evening).to).toBe('2026-03-31');
  });
});

describe('a group of one number', () => {
  it.each([
    [4.125, 4.126, '4.125'],
    [9_007_199_254_740_991, 9_007_199_254_740_990, '9,007,199,254,740,991'],
    [0.000_12, 0.000_13, '0.00012'],
    [1e300, 1.000_000_000_1e300, '1e+300'],
    [-0, 1e-7, '0'],
    [2_026, 2_027, '2,026'],
  ])('%d has another name than %d', (x, other, name) => {
    expect(formatGroup(x, undefined)).toBe(name);
    expect(formatGroup(other, undefined)).not.toBe(name);
  });
});

describe('a figure', () => {
  it.each([
    [-0, {}, '0'],
    [-0.004, { unit: 'EUR' }, '€0.00'],
    [-0.4, { decimals: 0 }, '0'],
    [-0.6, { decimals: 0 }, '-1'],
    [1.7e308, {}, '1.7E308'],
    [-1.7e308, { unit: 'EUR' }, '-€1.7E308'],
    [1e15, { unit: 'kg' }, '1E15\u00a0kg'],
    [999_999_999_999_999, {}, '999,999,999,999,999'],
    [5e-324, {}, '5E-324'],
    [-0.000_000_1, {}, '-1E-7'],
    [0.004, {}, '0.004'],
  ])('of %d as %j reads %s', (value, look, text) => {
    expect(formatNumber(value, look)).toBe(text);
  });
});
