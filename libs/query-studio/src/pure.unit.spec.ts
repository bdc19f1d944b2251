/** What of the studio needs no page: forms, requests, answers, merges, and work that follows what is typed. */
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
import { csvOf, labelOf, shownOf } from './points';
import { addressOf, argsOf, boundOf, curlOf } from './request';

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
  it('has its points in any shape', () => {
    const points = [{ x: 202601, y: 3 }];
    for (const body of [{ series: points }, { items: points }, { value: 3, series: points }])
      expect(shownOf(body, 'month').points).toEqual([{ label: '2026-01', value: 3 }]);
    expect(shownOf({ value: null }, undefined)).toEqual({ timeline: false, headline: null });
  });

  it.each([
    ['day', 20260131, '2026-01-31'],
    ['quarter', 20263, '2026 Q3'],
    [undefined, true, 'true'],
    [undefined, null, '(none)'],
  ])('labels a group by %s as %s', (bucket, x, label) => expect(labelOf(x, bucket)).toBe(label));

  it('is no formula in a spreadsheet', () => {
    expect(
      csvOf([
        { label: '=HYPERLINK("x")', value: -1 },
        { label: 'a,b', value: null },
      ]),
    ).toBe('group,value\r\n"\'=HYPERLINK(""x"")",-1\r\n"a,b",\r\n');
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
