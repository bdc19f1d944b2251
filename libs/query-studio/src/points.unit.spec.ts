/** Points of a preview that holds fewer than there are. */
import { emptyForm } from './form';
import { axisOf, changeOf, dayOf, pointsOf, shownOf, tableOf } from './points';

describe('a preview that is cut', () => {
  const values = (orderBy: string) => {
    const params = { op: 'count', groupBy: 'createdAt', bucket: 'day', orderBy };
    const series = [
      { x: 20260103, y: 9 },
      { x: 20260101, y: 8 },
    ];
    return shownOf({ series }, axisOf({ ...emptyForm, params }, {}, '2026-06-01'), true).points!.map(
      ({ value }) => value,
    );
  };

  it('shows no zero for a day whose point may have been cut', () => {
    expect(values('measure')).toEqual([8, null, 9]);
    expect(values('group')).toEqual([8, 0, 9]);
  });
});

describe('a figure of a preview', () => {
  const figures = (...values: (number | null)[]) =>
    tableOf(values.map((value) => ({ label: 'a', value }))).map(([, figure]) => figure);

  it('is that of the chart page, and no zero where it is none', () => {
    expect(figures(0.004, -0.000_000_2, 1_234.5, 1.2e21, -0, null)).toEqual([
      '0.004',
      '-2E-7',
      '1,234.5',
      '1.2E21',
      '0',
      '–',
    ]);
    expect(tableOf([{ label: 'Jan 2026', value: 1, part: true }])).toEqual([['Jan 2026 (part)', '1']]);
  });

  it('alone is a table of one row', () => {
    expect(pointsOf({ headline: 0.001, timeline: false })).toEqual([{ label: 'Value', value: 0.001 }]);
    expect(pointsOf({ timeline: false })).toEqual([]);
  });

  it('that did not change points in no direction', () => {
    expect([0, 0.125, -0.125].map(changeOf)).toEqual(['→ 0%', '▲ +12.5%', '▼ -12.5%']);
  });
});

describe('the days of a preview', () => {
  const formIn = (timezone: string | undefined, op = 'lt') => ({
    ...emptyForm,
    params: {
      groupBy: 'createdAt',
      bucket: 'day',
      ...(timezone !== undefined && { timezone }),
      where: [
        { field: 'createdAt', op: 'ge', value: { $param: { name: 'from' } } },
        { field: 'createdAt', op, value: { $param: { name: 'to' } } },
      ],
    },
  });
  const spanOf = (from: string, to: string, op?: string) =>
    axisOf(formIn('Europe/Paris', op), { from, to }, '2026-06-10').span;

  it('begin and end in the zone of the query, as on its page', () => {
    const days = { from: '2026-03-29', to: '2026-03-31' };
    expect(spanOf('2026-03-29', '2026-04-01')).toEqual(days);
    // The first of these days has 23 hours.
    expect(spanOf('2026-03-28T23:00:00Z', '2026-03-31T22:00:00Z')).toEqual(days);
    expect(spanOf('2026-03-29T00:00:00+01:00', '2026-03-31T23:59:59+02:00', 'le')).toEqual(days);
  });

  it('are those that all conditions share, also those with a value of their own', () => {
    const { params } = formIn('Europe/Paris');
    const own = [
      { field: 'createdAt', op: 'ge', value: '2026-01-01' },
      { field: 'createdAt', op: 'lt', value: '2026-03-31T12:00:00Z' },
      { field: 'paidAt', op: 'lt', value: '2026-01-01' },
    ];
    const form = { ...emptyForm, params: { ...params, where: [...own, ...params.where] } };
    const span = { from: '2026-03-29', to: '2026-03-31', toWithin: true };
    expect(axisOf(form, { from: '2026-03-29', to: '2026-04-01' }, '2026-06-10').span).toEqual(span);
    const day = { ...emptyForm, params: { ...params, where: [{ field: 'createdAt', op: 'eq', value: '2026-03-29' }] } };
    expect(axisOf(day, {}, '2026-06-10').span).toEqual({ from: '2026-03-29', to: '2026-03-29' });
  });

  it('are cut where an end lies within them, so that their figures are parts', () => {
    const [from, to] = ['2026-03-29', '2026-03-31'];
    const within = { from, fromWithin: true, to, toWithin: true };
    expect(spanOf('2026-03-29T12:00:00Z', '2026-03-31T12:00:00Z')).toEqual(within);
    expect(spanOf('2026-03-28T23:00:00.001Z', '2026-03-31T21:59:59.999Z')).toEqual(within);
    expect(spanOf('2026-03-29T12:00:00Z', '2026-03-31T12:00:00Z', 'le')).toEqual(within);
    const form = formIn('Europe/Paris');
    const axis = axisOf(form, { from: '2026-03-29T12:00:00Z', to: '2026-04-01' }, '2026-06-10');
    const { points } = shownOf(
      {
        series: [
          { x: 20260329, y: 4 },
          { x: 20260331, y: 5 },
        ],
      },
      { ...axis, bucket: 'day' },
      false,
    );
    expect(points?.map(({ part = false }) => part)).toEqual([true, false, false]);
  });

  it.each([
    ['Asia/Tokyo', '2026-06-11'],
    ['Asia/Kolkata', '2026-06-11'],
    ['America/New_York', '2026-06-10'],
    ['Mars/Olympus', '2026-06-10'],
    ['', '2026-06-10'],
    [undefined, '2026-06-10'],
  ])('know the current day of %j', (zone, today) => {
    expect(dayOf(formIn(zone), new Date('2026-06-10T18:30:00Z'))).toBe(today);
  });
});
