/** The parts of the studio that need no page: forms, requests, answers, merges, and work that follows typing. */
import {
  controlsOf,
  emptyForm,
  formOf,
  inputOf,
  issuesAt,
  patchOf,
  sameForm,
  valueOf,
  withTemplate,
  type Field,
  type Form,
  type Template,
} from './form';
import { createLatest } from './latest';
import { combined, differencesOf } from './merge';
import { axisOf, csvOf, shownOf } from './points';
import { addressOf, argsOf, blockOf, boundOf, curlOf } from './request';

const field = (name: string, kind: Field['kind'], options?: string[]): Field => ({
  name,
  type: kind,
  kind,
  ops: ['eq'],
  ...(options && { options }),
});
const where = (...filters: { field: string; op: string; value: unknown }[]): Form => ({
  ...emptyForm,
  name: 'revenueByMonth',
  resource: 'orders',
  params: { where: filters },
});
const bound = (field: string, op: string, name: string, from: 'query' | 'param' = 'query') => ({
  field,
  op,
  value: { $param: { name, in: from } },
});

describe('a form', () => {
  it('leaves out what is empty, and says in a patch what goes back to its default', () => {
    const form = { ...emptyForm, name: 'a', resource: 'orders', params: { field: '', limit: 3, where: [] } };
    expect(inputOf(form)).toEqual({ name: 'a', resource: 'orders', template: 'count', params: { limit: 3 } });
    expect(patchOf(form)).toMatchObject({ endpoint: null, response: null, compare: false });
    expect(patchOf(form)).not.toHaveProperty('name');
    expect(sameForm(formOf(inputOf(form)), form)).toBe(true);
  });

  it('keeps with another template what that declares', () => {
    const template = { id: 'top', schema: { properties: { limit: { type: 'integer' } } } } as unknown as Template;
    expect(withTemplate({ ...emptyForm, params: { limit: 3, bucket: 'day' } }, template)).toMatchObject({
      template: 'top',
      params: { limit: 3 },
    });
  });

  it('draws a control for whatever a schema says, and none for what is no schema', () => {
    const schema = {
      properties: {
        a: { 'x-control': 'field', title: 'A', 'x-kinds': ['date'] },
        b: { enum: ['x', 'y'], default: 'x' },
        c: { type: 'integer', minimum: 1 },
        d: 7,
      },
      required: ['a'],
    };
    expect(controlsOf(schema).map(({ name, control, required }) => [name, control, required])).toEqual([
      ['a', 'field', true],
      ['b', 'option', false],
      ['c', 'integer', false],
      ['d', 'text', false],
    ]);
    for (const wrong of [undefined, null, 'x', [], { properties: [] }, { properties: 'x' }])
      expect(controlsOf(wrong)).toEqual([]);
  });

  it('shows an issue at its field, and below it what no field of its own shows', () => {
    const issues = [
      { pointer: '/params/where/0/op', message: 'a' },
      { pointer: '/params/odd', message: 'b' },
    ];
    expect(issuesAt(issues, '/params/where/0')).toHaveLength(1);
    expect(issuesAt(issues, '/params', ['/where'])).toEqual([issues[1]]);
  });

  it.each([
    ['number', '12.5', 12.5],
    ['number', '12x', '12x'],
    ['number', '9007199254740993', '9007199254740993'],
    ['number', '', ''],
    ['boolean', 'false', false],
    ['text', '7', '7'],
  ])('takes for a %s field %s as %s', (kind, text, value) => expect(valueOf(kind, text)).toBe(value));
});

describe('a request', () => {
  const today = new Date('2026-06-10T12:00:00Z');
  const form = {
    ...where(
      bound('createdAt', 'ge', 'from'),
      bound('createdAt', 'lt', 'to'),
      bound('status', 'eq', 'status', 'param'),
    ),
    endpoint: '/stats/of/:status',
    compare: true,
  };
  const fields = [field('createdAt', 'date'), field('status', 'select', ['paid', 'open'])];

  it('begins with the year before, and compares with the one before that', () => {
    expect(argsOf(boundOf(form, fields, today), { to: '2026-06-01' })).toEqual({
      from: '2025-06-10',
      to: '2026-06-01',
      status: 'paid',
      compareFrom: '2024-06-09',
      compareTo: '2025-06-10',
    });
  });

  it('takes no value for a name that every object has', () => {
    const odd = boundOf(where(bound('note', 'eq', 'constructor')), [field('note', 'text')], today);
    expect(argsOf(odd, {})).toEqual({ constructor: '' });
  });

  it('has an address and a line of curl that nothing can break out of', () => {
    const wanted = boundOf({ ...form, compare: false }, fields, today);
    const address = addressOf('/shop', form, wanted, { from: "'; rm -rf ~", to: '2', status: 'a/../b' });
    expect(address).toBe('/dms/pages/shop/stats/of/a%2F..%2Fb?from=%27%3B+rm+-rf+%7E&to=2');
    expect(curlOf('http://h', "/x'y", "o'neil")).toBe(
      `curl -H "Authorization: Bearer $TOKEN" -H 'Workspace-Id: o'\\''neil' 'http://h/x'\\''y'`,
    );
  });
});

describe('an answer', () => {
  const byMonth: Form = {
    ...where(bound('createdAt', 'ge', 'from'), bound('createdAt', 'lt', 'to'), bound('paidAt', 'lt', 'paid')),
    params: {
      groupBy: 'createdAt',
      bucket: 'month',
      where: [bound('createdAt', 'ge', 'from'), bound('createdAt', 'lt', 'to'), bound('paidAt', 'lt', 'paid')],
    },
  };
  const today = '2026-06-10';
  const axis = axisOf(byMonth, { from: '2026-01-15', to: '2026-04-01', paid: '2020-01-01' }, today);

  it('lies on the axis of the asked period, its empty buckets included, in every shape', () => {
    const points = [{ x: 202602, y: 3 }];
    for (const body of [{ series: points }, { items: points }, { value: 3, series: points }])
      expect(shownOf(body, axis, false).points).toEqual([
        { label: 'Jan 2026', value: 0, part: true },
        { label: 'Feb 2026', value: 3 },
        { label: 'Mar 2026', value: 0 },
      ]);
    expect(shownOf({ value: null }, axisOf(emptyForm, {}, today), false)).toEqual({ timeline: false, headline: null });
  });

  it('has gaps and no zeros where figures do not add up or are cut', () => {
    const empty = (params: object) =>
      shownOf(
        { series: [{ x: 202602, y: 3 }] },
        axisOf(
          { ...byMonth, params: { ...byMonth.params, ...params } },
          { from: '2026-02-01', to: '2026-04-01' },
          today,
        ),
        false,
      ).points!.at(-1)!.value;
    expect([empty({}), empty({ op: 'avg' }), empty({ limit: 5 })]).toEqual([0, null, null]);
  });

  it('shows the period before by its position', () => {
    const compared = axisOf(
      { ...byMonth, compare: true },
      { from: '2026-02-01', to: '2026-04-01', compareFrom: '2025-12-01', compareTo: '2026-02-01' },
      today,
    );
    const body = { value: 3, previousValue: 2, series: [{ x: 202602, y: 3 }], comparisonSeries: [{ x: 202601, y: 2 }] };
    expect(shownOf(body, compared, false)).toMatchObject({
      previous: 2,
      before: [
        { label: 'Dec 2025', value: 0 },
        { label: 'Jan 2026', value: 2 },
      ],
    });
  });

  it('takes what is no bucket as it is', () => {
    const odd = {
      series: [
        { x: 'text', y: 1 },
        { x: null, y: 'odd' },
        { x: { a: 1 }, y: 2, label: 'Named' },
      ],
    };
    expect(shownOf(odd, axis, false).points).toEqual([
      { label: 'text', value: 1 },
      { label: '(none)', value: null },
      { label: 'Named', value: 2 },
    ]);
  });

  it('is no formula in a spreadsheet', () => {
    expect(
      csvOf([
        { label: '=HYPERLINK("x")', value: -1 },
        { label: 'a,b', value: null },
      ]),
    ).toBe('group,value\r\n"\'=HYPERLINK(""x"")",-1\r\n"a,b",\r\n');
  });
});

describe('the line of a page that places a query', () => {
  it('says what it is and what readers may see, as a text that nothing can break out of', () => {
    const form = { ...emptyForm, name: 'revenueByMonth', params: { groupBy: 'createdAt', field: 'total' } };
    const fields = [
      field('createdAt', 'date'),
      field('total', 'number'),
      field('status', 'select', ['a']),
      field("it's", 'boolean'),
    ];
    const line = blockOf(form, "/dms/pages/shop'x/stats/a", { timeline: true, points: [] }, fields);
    expect(line).toContain("kind: 'chart-card'");
    expect(line).toContain("title: 'Revenue by month'");
    expect(line).toContain("breakdown: ['status', 'it\\'s']");
    expect(line).toContain("rows: ['createdAt', 'total', 'status']");
    expect(line).toContain("fetchUrl: '/dms/pages/shop\\'x/stats/a'");
  });
});

describe('two authors', () => {
  const before = where({ field: 'status', op: 'eq', value: 'paid' });
  const theirs = { ...before, response: 'card', endpoint: '/theirs' };
  const mine = { ...before, endpoint: '/mine', params: { ...before.params, limit: 5 } };

  it('are shown what each of them changed, and where they meet', () => {
    expect(differencesOf(before, theirs, mine).map(({ part, both }) => [part, both])).toEqual([
      ['endpoint', true],
      ['response', false],
      ['params/limit', false],
    ]);
  });

  it('keep both changes where they do not meet, and the written one where they do', () => {
    expect(combined(before, theirs, mine)).toEqual({
      ...before,
      response: 'card',
      endpoint: '/theirs',
      params: { ...before.params, limit: 5 },
    });
  });
});

describe('work that follows what is typed', () => {
  const start = () => {
    const shown: string[] = [];
    const asked: { input: string; signal: AbortSignal; answer: (text: string) => void }[] = [];
    const timers: (() => void)[] = [];
    const latest = createLatest<string, string>({
      waitMs: 1,
      work: (input, signal) => new Promise((answer) => asked.push({ input, signal, answer })),
      show: (answer) => shown.push(answer),
      setTimer: (call) => timers.push(call) - 1,
      clearTimer: (timer) => (timers[timer as number] = () => undefined),
    });
    return { latest, shown, asked, elapse: () => timers.splice(0).forEach((call) => call()) };
  };

  it('asks once after a pause', () => {
    const { latest, asked, elapse } = start();
    for (const text of ['a', 'ab', 'abc']) latest.run(text);
    elapse();
    expect(asked.map(({ input }) => input)).toEqual(['abc']);
  });

  it('never shows an older answer over a newer one, in whatever order they come', async () => {
    const { latest, shown, asked, elapse } = start();
    latest.run('old');
    elapse();
    latest.run('new');
    expect(asked[0]!.signal.aborted).toBe(true);
    elapse();
    asked[1]!.answer('new');
    await Promise.resolve();
    asked[0]!.answer('old');
    await new Promise(setImmediate);
    expect(shown).toEqual(['new']);
  });

  it('shows nothing after it was stopped', async () => {
    const { latest, shown, asked, elapse } = start();
    latest.run('a');
    elapse();
    latest.stop();
    asked[0]!.answer('a');
    await new Promise(setImmediate);
    expect(shown).toEqual([]);
  });
});
