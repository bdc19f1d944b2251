/** The figures of a card as a file, and the addresses that lead to it. */
import { day, result } from '../testing/query-result';
import { chartCsv, csvName } from './chart-csv';
import { readChoices, searchOf } from './choices';
import { renderControls } from './render-controls';
import { isoBucket } from '@platform/page-runtime/chart';
import type { QueryResult } from './run-queries';

describe('the file of a card', () => {
  const months = [day(202602, 4.125), day(202603, -6)];
  const quarter = { from: '2026-01-15', to: '2026-03-31' };
  const file = (body: Readonly<Record<string, unknown>>, more: Partial<QueryResult> = {}) =>
    chartCsv(result(body, { grouped: true, ...more })).split('\r\n');

  it('has the buckets of the picture, empty ones too, unrounded, and says which are only a part', () => {
    expect(file({ series: months }, { bucket: 'month', span: quarter })).toEqual([
      'month,value,only a part',
      '2026-01,0,yes',
      '2026-02,4.125,',
      '2026-03,-6,',
      '',
    ]);
  });

  it('lays the period before beside it, and leaves a gap empty', () => {
    const before = { from: '2025-11-01', to: '2025-12-31' };
    const more = { bucket: 'month', span: quarter, before, whole: false } as const;
    expect(file({ value: 1, series: months, comparisonSeries: [day(202511, 2)] }, more).slice(0, 3)).toEqual([
      'month,value,only a part,month before,value before',
      '2026-01,,yes,2025-11,2',
      '2026-02,4.125,,2025-12,',
    ]);
  });

  it('is no formula in a spreadsheet, and tells kinds of nothing apart', () => {
    const items = [
      { x: 'k', y: 1, label: '=1+1' },
      { x: null, y: null },
      { x: 1_000_000.125, y: 2 },
    ];
    expect(file({ items })).toEqual(['group,value', "'=1+1,1", '(none),', '1000000.125,2', '']);
  });

  it('of a figure is a line', () => {
    expect(file({ value: 12, previousValue: 10, delta: null })).toEqual(['value,previousValue,delta', '12,10,', '']);
  });

  it.each([
    [20260103, 'day', '2026-01-03'],
    [20261, 'quarter', '2026-Q1'],
    [2026, 'year', '2026'],
  ] as const)('writes %d by %s as %s', (x, bucket, text) => expect(isoBucket(x, bucket)).toBe(text));

  it('names its query, its days, and that it was cut', () => {
    const cut = result({}, { answer: { kind: 'answered', body: {}, truncated: true, asOf: new Date(0) } });
    expect(csvName(cut, quarter)).toBe('refunds-2026-01-15-2026-03-31-newest.csv');
  });
});

describe('an address of a page', () => {
  const choices = readChoices(
    { from: '2026-01-01', to: '2026-01-31', zone: 'Asia/Tokyo', 'value-status': 'a&b', csv: 'x' },
    new Date(0),
  );
  it('ends the ready-made periods with the present day of the chosen zone', () => {
    const evening = new Date('2026-03-31T13:00:00Z');
    const east = readChoices({ zone: 'Pacific/Auckland' }, evening);
    const page = { routes: [] } as unknown as Parameters<typeof renderControls>[0]['page'];
    const { markup } = renderControls({ page, choices: east, workspaces: [], workspace: undefined });
    expect(markup).toContain('from=2026-03-26&amp;to=2026-04-01&amp;');
    expect(markup).not.toContain('to=2026-03-31');
  });

  it('offers for a value of several queries what any of them accepts', () => {
    const route = (options: string[]) => ({
      rehearsal: { parameters: [{ name: 'status', in: 'query', role: 'select', options, uses: [] }] },
    });
    const offered = (...lists: string[][]) => {
      const page = { routes: lists.map(route) } as unknown as Parameters<typeof renderControls>[0]['page'];
      const { markup } = renderControls({ page, choices, workspaces: [], workspace: undefined });
      const [, select = ''] = /name="value-status">([^]*?)<\/select>/.exec(markup) ?? [];
      return [...select.matchAll(/<option value="(.*?)"/g)].map(([, value]) => value);
    };
    expect(offered(['paid', 'open'], ['draft', 'paid'])).toEqual(['', 'paid', 'open', 'draft']);
    expect(offered(['paid', 'open'], ['paid', 'open'])).toEqual(['paid', 'open']);
  });

  it('keeps every choice, and takes what is new', () => {
    const search = searchOf(choices, 'acme', { from: '2026-01-02', csv: 'refunds' });
    expect(search).toBe(
      '?from=2026-01-02&to=2026-01-31&zone=Asia%2FTokyo&workspace=acme&value-status=a%26b&csv=refunds',
    );
    const again = readChoices(Object.fromEntries(new URLSearchParams(search)), new Date(0));
    expect(again).toEqual({ ...choices, workspace: 'acme', period: { from: '2026-01-02', to: '2026-01-31' } });
  });
});
