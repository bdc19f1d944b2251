/** The charts whose pictures are kept: every form with the figures that could make it misleading. */
import { nextBucket, type Block, type Point } from '@platform/page-runtime';
import { addDays, bucketOf } from '@platform/page-runtime/chart';
import type { QueryResult } from '../../../services/query-builder/src/host/chart-page/run-queries';
import { result } from '../../../services/query-builder/src/host/testing/query-result';

export type Screen = 'light' | 'dark' | 'phone' | 'phone-dark';

export interface DrawnChart {
  readonly name: string;
  readonly screen: Screen;
  readonly result: QueryResult;
  readonly block?: Block;
}

type More = Partial<QueryResult>;
const february = { from: '2026-02-01', to: '2026-02-28' };
const january = { from: '2026-01-04', to: '2026-01-31' };
const point = (x: Point['x'], y: number | null): Point => ({ x, y });
/** A wave that never repeats from one day to the next. */
const wave = (at: number): number => Math.round(60 + 40 * Math.sin(at / 3) + at);

function daysFrom(from: string, count: number, figure: (at: number) => number | null): Point[] {
  return Array.from({ length: count }, (_unused, at) => point(bucketOf(addDays(from, at), 'day'), figure(at)));
}

function bucketsFrom(
  first: number,
  bucket: 'month' | 'quarter' | 'year',
  figures: readonly (number | null)[],
): Point[] {
  let x = first;
  return figures.map((y, at) => point(at === 0 ? x : (x = nextBucket(x, bucket)), y));
}

const timeline = (body: Readonly<Record<string, unknown>>, more: More = {}): QueryResult =>
  result(body, { bucket: 'day', span: february, grouped: true, whole: true, ...more });
const ranking = (items: readonly Point[], more: More = {}): QueryResult =>
  result({ items }, { grouped: true, ...more });
const block = (more: Partial<Block>): Block => ({ kind: 'card', title: 'Sold', ...more });

const year2026 = { from: '2026-01-01', to: '2026-12-31' };
const compared = timeline(
  {
    value: 1_820,
    previousValue: 1_400,
    delta: 0.3,
    series: daysFrom(february.from, 28, wave),
    comparisonSeries: daysFrom(january.from, 28, (at) => wave(at + 9) - 20),
  },
  { before: january },
);
const someDays = [point(20260221, 40), point(20260223, 60)];
const partialMonths = timeline(
  { series: bucketsFrom(202601, 'month', [20, 90, 80, 95, 85, 30]) },
  { bucket: 'month', span: { from: '2026-01-20', to: '2026-06-10' } },
);
const quarters = timeline(
  { series: bucketsFrom(20251, 'quarter', [40, 60, 55, 80, 20]) },
  { bucket: 'quarter', span: { from: '2025-01-01', to: '2026-02-10' } },
);
const mixedSigns = ranking([point('sold', 900), point('kept', 300), point('refunded', -600), point('nothing', 0)]);
const groups = Array.from({ length: 300 }, (_unused, at) => point(`group ${at + 1}`, 3_000 - at * 10));
const longLabels = ranking([
  point('a.very.long.address.of.a.person@a-very-long-name-of-an-organisation.example.com', 90),
  point('words '.repeat(30).trim(), 60),
  point('x'.repeat(160), 30),
]);
const bidi = ranking([
  point('שלום עולם', 90),
  point('مرحبا بالعالم', 70),
  point('\u202eturned by an override', 50),
  point('mixed שלום and 123', 30),
]);

const partsOf = (points: readonly Point[]) => ({
  field: 'channel',
  parts: [point('web', 900), point('store', 500)],
  more: true,
  cells: new Map(
    points.map(({ x, y }, at) => [x, y === null ? [] : [y * 0.5, at % 5 === 0 ? null : y * 0.3, y * 0.2]]),
  ),
});

const forms: Readonly<Record<string, readonly [QueryResult, Block?]>> = {
  'line-whole-month': [timeline({ series: daysFrom(february.from, 28, wave) })],
  'line-few-days-of-sums': [timeline({ series: someDays })],
  'line-gaps-of-averages': [
    timeline({ series: [...daysFrom('2026-02-02', 9, wave), ...daysFrom('2026-02-17', 8, wave)] }, { whole: false }),
  ],
  'line-one-point-in-a-month': [timeline({ series: [point(20260214, 50)] })],
  'line-one-point-of-averages': [timeline({ series: [point(20260214, 50)] }, { whole: false })],
  'line-points-between-gaps': [
    timeline(
      {
        series: [...daysFrom('2026-02-01', 20, wave), point(20260310, 90), point(20260325, 20)],
        comparisonSeries: [...daysFrom('2025-12-01', 5, wave), point(20260110, 60)],
      },
      {
        span: { from: '2026-02-01', to: '2026-03-31' },
        before: { from: '2025-12-04', to: '2026-01-31' },
        whole: false,
      },
    ),
  ],
  'line-one-day-alone': [
    timeline({ series: [point(20260214, 50)] }, { span: { from: '2026-02-14', to: '2026-02-14' } }),
  ],
  'line-two-days': [
    timeline(
      { series: [point(20260214, 50), point(20260215, 80)] },
      { span: { from: '2026-02-14', to: '2026-02-15' } },
    ),
  ],
  'line-all-zero': [timeline({ series: daysFrom(february.from, 28, () => 0) })],
  'line-all-equal': [timeline({ series: daysFrom(february.from, 28, () => 70) })],
  'line-negative': [timeline({ series: daysFrom(february.from, 28, (at) => -wave(at)) })],
  'line-both-signs': [timeline({ series: daysFrom(february.from, 28, (at) => wave(at) - 75) })],
  'line-partial-months': [partialMonths],
  'line-day-that-is-not-over': [
    timeline({ series: daysFrom('2026-06-01', 15, wave) }, { span: { from: '2026-06-01', to: '2026-06-15' } }),
  ],
  'line-days-to-come': [
    timeline({ series: daysFrom('2026-06-01', 15, wave) }, { span: { from: '2026-06-01', to: '2026-06-30' } }),
  ],
  'line-compared': [compared, block({ better: 'up' })],
  'line-compared-with-few-days': [
    timeline({ series: someDays, comparisonSeries: [point(20260104, 30), point(20260106, 50)] }, { before: january }),
  ],
  'line-cut-to-the-newest': [
    timeline(
      {},
      {
        span: { from: '2021-07-26', to: '2026-06-15' },
        answer: {
          kind: 'answered',
          body: {
            value: 120_000,
            series: daysFrom('2023-09-20', 1_000, wave),
            truncated: { shown: 1_000, total: 1_786 },
          },
          truncated: true,
          asOf: new Date('2026-06-15T12:00:00Z'),
        },
      },
    ),
  ],
  'line-large-figures': [
    timeline({ series: daysFrom(february.from, 28, (at) => wave(at) * 1e12) }),
    block({ unit: 'EUR' }),
  ],
  'line-small-figures': [
    timeline({ series: daysFrom(february.from, 28, (at) => wave(at) / 1e5) }),
    block({ unit: '%' }),
  ],
  'line-no-rows': [timeline({ series: [] })],
  'bars-quarters': [quarters],
  'bars-negative-quarters': [
    timeline(
      { series: bucketsFrom(20251, 'quarter', [40, -60, 55, -20]) },
      { bucket: 'quarter', span: { from: '2025-01-01', to: '2025-12-31' } },
    ),
  ],
  'bars-months-with-gaps': [
    timeline(
      { series: [point(202602, 30), point(202607, 70)] },
      { bucket: 'month', span: year2026, whole: false, today: '2027-01-10' },
    ),
    block({ kind: 'bar-chart' }),
  ],
  'bars-one-year': [
    timeline({ series: [point(2025, 500)] }, { bucket: 'year', span: { from: '2025-01-01', to: '2025-12-31' } }),
  ],
  'ranking-three': [ranking([point('coffee', 900), point('tea', 700), point('milk', 50)]), block({ unit: 'EUR' })],
  'ranking-both-signs': [mixedSigns],
  'ranking-only-negative': [ranking([point('returned', -900), point('lost', -450)])],
  'ranking-no-names': [ranking([point(null, 9), point('', 7), point('  ', 5), point(true, 3), point(false, 1)])],
  'ranking-300-groups': [ranking(groups)],
  'ranking-long-labels': [longLabels],
  'ranking-both-directions': [bidi],
  'line-in-parts': [
    timeline(
      { series: daysFrom(february.from, 28, wave) },
      { measure: 'sum', breakdown: partsOf(daysFrom(february.from, 28, wave)) },
    ),
  ],
  'ranking-in-parts': [
    ranking([point('coffee', 900), point('tea', 700)], {
      measure: 'sum',
      breakdown: partsOf([point('coffee', 900), point('tea', 700)]),
    }),
  ],
  'figure-rise-that-is-good': [result({ value: 12, previousValue: 10, delta: 0.2 }), block({ better: 'up' })],
  'figure-rise-that-is-bad': [
    result({ value: 12, previousValue: 10, delta: 0.2 }),
    block({ better: 'down', title: 'Refunds' }),
  ],
  'figure-without-a-period-before': [result({ value: 12, previousValue: 0 })],
  'figure-with-a-broken-line': [
    result(
      { value: 12, sparkline: [point(20260201, 4), point(20260202, 9), point(20260226, 6), point(20260228, 2)] },
      { bucket: 'day', span: february, whole: false },
    ),
  ],
  'figure-with-rows-left-out': [result({ value: 12, leftOut: { withoutDate: 3, withoutNumber: 14 } })],
  'figure-no-answer': [result({}, { answer: { kind: 'failed', reason: 'It took longer than 10 s.' } })],
};

/** The same charts on other screens, where colours and widths could hide their meaning. */
const elsewhere: readonly (readonly [Screen, string])[] = [
  ['dark', 'line-compared'],
  ['dark', 'line-partial-months'],
  ['dark', 'bars-quarters'],
  ['dark', 'ranking-both-signs'],
  ['dark', 'figure-rise-that-is-bad'],
  ['phone', 'line-compared'],
  ['phone', 'ranking-300-groups'],
  ['phone', 'ranking-long-labels'],
  ['phone', 'ranking-both-directions'],
  ['phone-dark', 'bars-negative-quarters'],
];

const chart = (name: string, screen: Screen): DrawnChart => {
  const [drawn, own] = forms[name]!;
  return { name: screen === 'light' ? name : `${name}-${screen}`, screen, result: drawn, ...(own && { block: own }) };
};

export const drawnCharts: readonly DrawnChart[] = [
  ...Object.keys(forms).map((name) => chart(name, 'light')),
  ...elsewhere.map(([screen, name]) => chart(name, screen)),
];
