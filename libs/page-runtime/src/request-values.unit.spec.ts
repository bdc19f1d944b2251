import { asNumber } from './coercions';
import type { RouteParameter } from './rehearse';
import { isQueryLanguage, valueIssues } from './request-values';

const parameter = (role: RouteParameter['role'], more: Partial<RouteParameter> = {}): RouteParameter => ({
  name: 'value',
  in: 'query',
  role,
  uses: [],
  ...more,
});
const issues = (role: RouteParameter['role'], query: Record<string, unknown>, more: Partial<RouteParameter> = {}) =>
  valueIssues([parameter(role, more)], { query, params: {}, headers: {} });

describe('the values of a request', () => {
  const hostile = [
    '',
    '$status',
    '{"$ne":1}',
    '[]',
    '1e999',
    '0x10',
    ' 7',
    '7 ',
    'NaN',
    'Infinity',
    '+1',
    '1_000',
    '1,5',
    '٣',
    'Friday',
    '2026-02-30',
    '2026-13-01',
    '2026-01-01T00:00:00',
    'TRUE',
    '1',
    'null',
    'undefined',
    '__proto__',
  ];

  it.each(hostile)('refuse %p for every kind that it is no value of', (text) => {
    const accepted = { number: /^1$/, boolean: /^$/, date: /^$/, select: /^$/ } as const;
    for (const role of ['number', 'boolean', 'date', 'select'] as const) {
      const found = issues(role, { value: text }, role === 'select' ? { options: ['paid'] } : {});
      expect(found.map(({ name }) => name)).toEqual(text !== '' && accepted[role].test(text) ? [] : ['value']);
    }
  });

  it('are exactly one text each', () => {
    for (const query of [
      {},
      { value: ['a', 'b'] },
      { value: ['a'] },
      { value: { $ne: 1 } },
      { value: 7 },
      { 'value[$ne]': '1' },
      Object.create({ value: 'inherited' }),
    ]) {
      expect(issues('text', query as Record<string, unknown>)).toContainEqual({
        name: 'value',
        in: 'query',
        message: expect.any(String),
      });
    }
    expect(issues('text', { value: 'a' })).toEqual([]);
  });

  it('are named all at once, with what is not a parameter', () => {
    const both = [parameter('number', { name: 'least' }), parameter('date', { name: 'from' })];
    expect(
      valueIssues(both, { query: { least: 'x', limit: '5' }, params: {}, headers: {} }).map(({ name }) => name),
    ).toEqual(['least', 'from', 'limit']);
  });

  it('take prose for a text, but neither operators nor structures', () => {
    for (const text of ['paid', '[draft] notes', '$5 off', 'a {b}', "O'Neil", 'null', '-'])
      expect(issues('text', { value: text })).toEqual([]);
    for (const text of ['$where', '$$ROOT', ' $ne', '{"a":1}', '["x"]', '{}', '[]'])
      expect(isQueryLanguage(text)).toBe(true);
  });

  it('are never repeated in what is said about them', () => {
    expect(JSON.stringify(issues('number', { value: 'secret-7' }))).not.toContain('secret');
    expect(() => asNumber('secret-7')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });
});

describe('a number that a double cannot hold', () => {
  it.each(['9007199254740993', '-9007199254740993', '123456789012345678', '1e-400', '0.1234567890123456789'])(
    'is refused: %s',
    (text) => {
      expect(issues('number', { value: text })).toHaveLength(1);
    },
  );

  it('is not one that it holds', () => {
    for (const text of ['9007199254740992', '9007199254740994', '1e300', '0.1', '-0'])
      expect(issues('number', { value: text })).toEqual([]);
  });
});
