/**
 * The values that the marks of a chart page represent: axis, gaps, comparison, parts, signs, and which direction is
 * good.
 */
import type { Block } from '@platform/page-runtime';
import { chartCsv } from './chart-csv';
import { bucketOf, dayIn, formatGroup, timelineOf, type TimelineParts } from '@platform/page-runtime/chart';
import { inOrder, renderRefusal, type DrawnBlock } from './render-page';
import { html } from './html';
import { kindOfBlock, renderBlock } from './render-block';
import { barsOf, renderRanking } from './render-ranking';
import { sparklinesOf } from './render-sparkline';
import { drawnData } from './render-timeline';
import { day, result } from '../testing/query-result';

const february = { from: '2026-02-01', to: '2026-02-28' };
const january = { from: '2026-01-04', to: '2026-01-31' };
const on = (more: Partial<TimelineParts>) =>
  timelineOf({
    series: [day(20260221, 4), day(20260223, 6)],
    bucket: 'day',
    span: february,
    missing: 0,
    cut: undefined,
    today: '2026-06-15',
    ...more,
  });

const view = (block: Block | undefined) => ({ block, id: 'q0', csv: '?csv=refunds', breakdowns: [] });

describe('a timeline', () => {
  it('covers the period that was asked for, with empty buckets where nothing fell', () => {
    const { buckets, values, partial } = on({});
    expect([buckets.length, buckets[0], buckets.at(-1)]).toEqual([28, 20260201, 20260228]);
    expect(values.map((y, at) => [at, y]).filter(([, y]) => y !== 0)).toEqual([
      [20, 4],
      [22, 6],
    ]);
    expect(partial).not.toContain(true);
  });

  it('has gaps and no zeros where figures do not add up', () => {
    expect(on({ missing: null }).values.filter((y) => y !== null)).toEqual([4, 6]);
  });

  it('lays the period before under it by position in the period', () => {
    const { before, beforeBuckets } = on({ before: january, comparison: [day(20260104, 1), day(20260106, 3)] });
    expect([beforeBuckets?.length, beforeBuckets?.[0]]).toEqual([28, 20260104]);
    expect(before?.slice(0, 4)).toEqual([1, 0, 3, 0]);
    expect(before?.slice(20, 23)).toEqual([0, 0, 0]);
  });

  it('loses no bucket of a period before that touches one more', () => {
    const timeline = on({
      bucket: 'month',
      series: [day(202603, 9)],
      span: { from: '2026-03-01', to: '2026-03-31' },
      before: { from: '2026-01-29', to: '2026-02-28' },
      comparison: [day(202601, 1), day(202602, 2)],
    });
    expect(drawnData({ timeline, bucket: 'month', bars: false })).toMatchObject({
      labels: ['Mar 2026', ''],
      values: [9, null],
      before: [1, 2],
      beforeLabels: ['Jan 2026', 'Feb 2026'],
    });
  });

  it.each([
    ['month', [true, false, true], { from: '2026-01-15', to: '2026-03-30' }, '2027-01-01'],
    ['month', [false, false, false], { from: '2026-01-01', to: '2026-03-31' }, '2027-01-01'],
    ['month', [false, false, true], { from: '2026-01-01', to: '2026-03-31' }, '2026-03-31'],
    ['quarter', [true], { from: '2026-01-01', to: '2026-03-30' }, '2027-01-01'],
    ['year', [true], { from: '2026-01-01', to: '2026-12-31' }, '2026-05-05'],
    ['day', [false, true], { from: '2026-03-01', to: '2026-03-02' }, '2026-03-02'],
    [
      'day',
      [true, false, true],
      { from: '2026-03-01', fromWithin: true, to: '2026-03-03', toWithin: true },
      '2027-01-01',
    ],
    ['month', [true, false], { from: '2026-03-01', fromWithin: true, to: '2026-04-30' }, '2027-01-01'],
    ['month', [false, true], { from: '2026-03-01', to: '2026-04-30', toWithin: true }, '2027-01-01'],
  ] as const)('marks what is only a part of a %s: %j', (bucket, expected, span, today) => {
    const series = [day(bucketOf(span.from, bucket), 1)];
    expect(on({ bucket, series, span, today }).partial).toEqual(expected);
  });

  it('knows no figure of a time that has not begun, unless rows have it', () => {
    const span = { from: '2026-02-01', to: '2026-02-05' };
    const series = [day(20260201, 1), day(20260205, 2)];
    expect(on({ span, series, today: '2026-02-02' }).values).toEqual([1, 0, null, null, 2]);
  });

  it('begins with the newest points of a cut series: before them nothing is known', () => {
    const { buckets, before } = on({
      cut: 'newest',
      before: january,
      comparison: [day(20260104, 1), day(20260124, 5)],
    });
    expect([buckets.length, buckets[0]]).toEqual([8, 20260221]);
    expect(before?.[0]).toBe(5);
  });

  it('knows nothing of the buckets that a cut series in another order leaves out', () => {
    const { buckets, values } = on({ cut: 'first', span: { from: '2026-02-20', to: '2026-02-23' } });
    expect([buckets[0], values]).toEqual([20260220, [null, 4, null, 6]]);
  });

  it('reaches from the first point to the last, or to the present, where the period is open', () => {
    expect(on({ span: {} }).buckets).toEqual([20260221, 20260222, 20260223]);
    expect(on({ span: { from: '2026-02-20' }, today: '2026-02-25' }).buckets).toHaveLength(6);
    expect(on({ span: { to: '2026-02-25' } }).buckets).toHaveLength(5);
  });

  it('draws the points alone where the empty buckets between them would be too many', () => {
    const series = [day(19300101, 1), day(20260223, 6)];
    expect(on({ series, span: {} })).toMatchObject({ buckets: [19300101, 20260223], values: [1, 6] });
  });
});

describe('a small line', () => {
  it('breaks at a gap, and places each point by its bucket', () => {
    expect(sparklinesOf([0, 10, null, null, 5])).toEqual(['0.0,38.0 50.0,2.0', '200.0,20.0 200.0,20.0']);
    expect(sparklinesOf([null, 5])).toEqual([]);
  });
});

describe('the bars of a ranked list', () => {
  it('lie on their own side of one zero', () => {
    const bars = barsOf([day(1, 900), day(2, 300), day(3, -300), day(4, 0)]);
    expect(bars).toEqual([
      { start: 25, width: 75 },
      { start: 25, width: 25 },
      { start: 0, width: 25 },
      { start: 25, width: 0 },
    ]);
    expect(barsOf([day(1, -900), day(2, -450)])).toEqual([
      { start: 0, width: 100 },
      { start: 50, width: 50 },
    ]);
    expect(barsOf([{ x: 'a', y: null }])).toEqual([{ start: 0, width: 0 }]);
  });

  it('has its parts on the same axis as the bars beside them, also below zero', () => {
    const points = [
      { x: 'sold', y: 100 },
      { x: 'taken back', y: -50 },
    ];
    const cells = new Map([
      ['sold', [60, 40]],
      ['taken back', [-50, null]],
    ]);
    const parts = [
      { x: 'shop', y: 40 },
      { x: 'web', y: 10 },
    ];
    const { markup } = renderRanking(points, { breakdown: { field: 'channel', parts, more: false, cells } });
    const bars = [...markup.matchAll(/<rect[^>]* x="([\d.]+)%" width="([\d.]+)%"/g)].map(([, x, width]) => [x, width]);
    expect(bars).toEqual([
      ['33.3', '40'],
      ['73.3', '26.7'],
      ['0', '33.3'],
    ]);
  });

  it('are twenty at once, the others behind one click', () => {
    const { markup } = renderRanking(Array.from({ length: 300 }, (_unused, at) => ({ x: `g${at}`, y: 300 - at })));
    expect(markup).toContain('280 more');
    expect(markup.indexOf('g19<')).toBeLessThan(markup.indexOf('<details>'));
    expect(markup.indexOf('g20<')).toBeGreaterThan(markup.indexOf('<details>'));
  });
});

describe('labels', () => {
  it('tell nothing, an empty text and blanks apart, and truth values in words', () => {
    expect([null, '', '  ', true, false].map((x) => formatGroup(x, undefined))).toEqual([
      '(none)',
      '(empty)',
      '(blank)',
      'Yes',
      'No',
    ]);
  });

  it('keep a turned direction to themselves', () => {
    expect(renderRanking([{ x: '\u202elive', y: 1 }]).markup).toContain('<bdi>\u202elive</bdi>');
  });
});

describe('a card', () => {
  const body = { value: 12, previousValue: 10, delta: 0.2 };
  it.each([
    [undefined, 'flat'],
    ['up', 'good'],
    ['down', 'bad'],
  ] as const)('whose author says that better is %s shows a rise as %s', (better, shown) => {
    const block = { kind: 'kpi-card', title: 'Refunds', ...(better && { better }) };
    expect(renderBlock(result(body), view(block)).markup).toContain(`class="delta ${shown}"`);
  });

  it.each([
    ['EUR', 1234.5, '€1,234.50'],
    ['JPY', 1234.5, '¥1,235'],
    ['%', 12.345, '12.35%'],
    ['%', 0.00042, '0.00042%'],
    ['%', -0.004, '-0.004%'],
    ['kg', -3, '-3\u00a0kg'],
    ['<b>', 1, '1\u00a0&lt;b&gt;'],
  ])('has its figures in %s everywhere', (unit, y, shown) => {
    const block = { kind: 'chart', title: 'Sold', unit };
    const span = { from: '2026-06-01', to: '2026-06-02' };
    const timed = result({ value: y, previousValue: y, series: [day(20260601, y)] }, { bucket: 'day', span });
    const { markup } = renderBlock(timed, view(block));
    expect(markup).toContain(`<p class="headline">${shown}</p>`);
    expect(markup).toContain(`before: ${shown}`);
    expect(markup).toContain(`<td>${shown}</td>`);
    const ranked = renderBlock(result({ items: [day(1, y)] }), view(block)).markup;
    expect(ranked).toContain(`<span class="figure">${shown}</span`);
    expect(chartCsv(timed, unit)).toContain(`day,value (${unit}),`);
  });

  it('says how many rows its figures leave out', () => {
    const { markup } = renderBlock(result({ value: 1, leftOut: { withoutDate: 3 } }), view(undefined));
    expect(markup).toContain('Rows left out: 3 without a date.');
  });

  it('keeps its place when there is no answer', () => {
    const failed = { kind: 'failed', reason: 'no' } as const;
    expect(kindOfBlock(result({}, { answer: failed, grouped: true, bucket: 'day' }))).toBe('chart');
    expect(kindOfBlock(result({}, { answer: failed, grouped: true }))).toBe('list');
    expect(kindOfBlock(result({}, { answer: failed }))).toBe('figure');
  });
});

describe('the blocks of a page', () => {
  it('are in the order of the author, and what has no place comes after them by its kind', () => {
    const block = (name: string, kind: DrawnBlock['kind'], placed: boolean) => ({
      kind,
      placed,
      markup: html`${name}`,
    });
    const blocks = inOrder([
      block('list', 'list', true),
      block('late list', 'list', false),
      block('chart', 'chart', true),
      block('late figure', 'figure', false),
    ]);
    expect(blocks.map(({ markup }) => markup.markup)).toEqual(['list', 'chart', 'late figure', 'late list']);
  });
});

describe('the present day', () => {
  it('is that of the zone', () => {
    const instant = new Date('2026-03-28T23:30:00Z');
    expect([dayIn('UTC', instant), dayIn('Europe/Paris', instant), dayIn('America/Los_Angeles', instant)]).toEqual([
      '2026-03-28',
      '2026-03-29',
      '2026-03-28',
    ]);
  });
});

describe('a page that is refused', () => {
  const refusal = (status: number, returnTo: string) =>
    renderRefusal({ title: 'No', detail: 'No.', status, returnTo, byOrganisation: false });

  it.each([
    [404, '/dms/pages/nope'],
    [403, '/dms/pages/shop/products'],
  ])('leads to those that may be opened: %d', (status, returnTo) => {
    expect(refusal(status, returnTo)).toContain('<a href="/dms/pages">All pages</a>');
  });

  it.each([
    [403, '/dms/pages'],
    [401, '/dms/pages/shop/orders'],
    [503, '/dms/pages/shop/orders'],
  ])('does not lead where that is no help: %d at %s', (status, returnTo) => {
    expect(refusal(status, returnTo)).not.toContain('All pages');
  });

  it('says where its token comes from, as the login of the other pages does, and what becomes of it', () => {
    const form = refusal(401, '/dms/pages/shop/orders');
    expect(form).toContain('aria-describedby="token-note"');
    expect(form).toMatch(/id="token-note"[^<]*>\s*On a local platform:\s*<code\s*>npm run -s token -- --role user/);
    expect(refusal(403, '/dms/pages/shop/orders')).not.toContain('token-note');
  });
});
