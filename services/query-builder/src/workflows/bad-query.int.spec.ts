/** Queries that cannot be built are refused with every issue and its pointer, and not one byte of the project changes. */
import type { AddQueryInput, BuilderError, BuilderResult } from '@platform/builder';
import { dataOf, openScratchProject, type ScratchProject } from '../testing/scratch-project';
import { count, ordersPage as page, refusalOf, where } from '../testing/refusals';
import { createLastSave, withLastSave } from './undo-save';

let scratch: ScratchProject;
beforeEach(async () => void (scratch = await openScratchProject()));
afterEach(() => scratch.remove());
const refusal = (run: () => Promise<BuilderResult<unknown>>): Promise<BuilderError> => refusalOf(scratch, run);

const pointersOf = (error: BuilderError): string[] =>
  error.code === 'invalid_config' ? error.issues.map(({ pointer }) => pointer) : [error.code];

describe('a query that cannot be built', () => {
  it.each<[string, AddQueryInput, string[]]>([
    ['names that are code', count({ name: 'a(){};process.exit();b' }), ['/name']],
    ['names that are reserved', count({ name: 'constructor' }), ['/name']],
    ['names that would be thenable', count({ name: 'then' }), ['/name']],
    ['names of a prototype', count({ name: '__proto__' }), ['/name']],
    ['names with other letters', count({ name: 'prix€' }), ['/name']],
    ['no name, template and resource', {} as AddQueryInput, ['/template', '/resource', '/name']],
    [
      'an unknown resource and template',
      count({ resource: 'nothing', template: 'median' }),
      ['/template', '/resource'],
    ],
    ['a resource that is a path', count({ resource: '../../etc' }), ['/resource']],
    ['a part that does not exist', count({ blocks: [] }), ['/blocks']],
    ['a params key that is not declared', count({ params: { limit: 3 } }), ['/params/limit']],
    ['params that are a list', count({ params: [] }), ['/params']],
    [
      'expressions at any depth',
      where({ field: 'status', op: 'eq', value: { $param: { name: { $expr: 'x' } } } }),
      ['/params/where/0/value/$param/name/$expr', '/params/where/0/value/$param/name'],
    ],
    [
      'an expression for a value',
      where({ field: 'status', op: 'eq', value: { $expr: '1' } }),
      ['/params/where/0/value/$expr', '/params/where/0/value'],
    ],
    [
      'an unknown and an opaque field',
      where({ field: 'nope', op: 'eq', value: 1 }, { field: 'tags', op: 'eq', value: 'a' }),
      ['/params/where/0/field', '/params/where/1/field'],
    ],
    ['field names of a prototype', where({ field: 'toString', op: 'eq', value: 'a' }), ['/params/where/0/field']],
    [
      'ordering of a boolean and of a select',
      where({ field: 'gift', op: 'gt', value: true }, { field: 'status', op: 'le', value: 'paid' }),
      ['/params/where/0/op', '/params/where/1/op'],
    ],
    [
      'values of wrong types',
      where(
        { field: 'total', op: 'eq', value: '5' },
        { field: 'createdAt', op: 'eq', value: '2026-02-30' },
        { field: 'status', op: 'eq', value: 'lost' },
      ),
      ['/params/where/0/value', '/params/where/1/value', '/params/where/2/value'],
    ],
    ['a number that is none', where({ field: 'total', op: 'eq', value: Number.NaN }), ['/params/where/0/value']],
    [
      'a path value without its place',
      where({ field: 'status', op: 'eq', value: { $param: { name: 'status', in: 'param' } } }),
      ['/params/where/0/value/$param'],
    ],
    [
      'one name for two types',
      where(
        { field: 'total', op: 'gt', value: { $param: { name: 'x' } } },
        { field: 'createdAt', op: 'gt', value: { $param: { name: 'x' } } },
      ),
      ['/params/where/1/value/$param'],
    ],
    [
      'a bound name that is code',
      where({ field: 'total', op: 'gt', value: { $param: { name: 'x: string) {}; //' } } }),
      ['/params/where/0/value/$param/name'],
    ],
    [
      'a bound name that generated code uses',
      where({ field: 'total', op: 'gt', value: { $param: { name: 'compareFrom' } } }),
      ['/params/where/0/value/$param/name'],
    ],
    ['an endpoint without a slash', count({ endpoint: 'stats' }), ['/endpoint']],
    ['an endpoint with dot segments', count({ endpoint: '/a/../b' }), ['/endpoint']],
    ['an endpoint that is code', count({ endpoint: "/x'); process.exit(); ('" }), ['/endpoint']],
    ['an unknown response', count({ response: 'table' }), ['/response']],
    [
      'a series that is grouped by nothing',
      count({ template: 'series', params: { timezone: 'Mars/Olympus', limit: 0, op: 'sum', orderBy: 'x' } }),
      [
        '/params/field',
        '/params/groupBy',
        '/params/timezone',
        '/params/timezone',
        '/params/orderBy',
        '/params/limit',
      ].filter((each, index, all) => all.indexOf(each) === index),
    ],
  ])('is refused with every issue and its pointer: %s', async (_what, input, pointers) => {
    expect(pointersOf(await refusal(() => scratch.builder.addQuery(page, input))).sort()).toEqual([...pointers].sort());
  });

  it('is refused when it is no plain data: getters, prototypes, rings, depth, size', async () => {
    let calls = 0;
    const withGetter = Object.defineProperty({ ...count() }, 'params', {
      enumerable: true,
      get: () => ((calls += 1), {}),
    });
    expect(pointersOf(await refusal(() => scratch.builder.addQuery(page, withGetter as AddQueryInput)))).toEqual([
      '/params',
    ]);
    expect(calls).toBe(0);
    const ring: Record<string, unknown> = {};
    ring['ring'] = ring;
    const polluted = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as Record<string, unknown>;
    for (const params of [
      ring,
      polluted,
      new Map(),
      { where: Array.from({ length: 60 }, () => ({ field: 'gift', op: 'eq', value: true })) },
      { where: 'x'.repeat(20_000) },
      { where: null },
    ]) {
      expect((await refusal(() => scratch.builder.addQuery(page, count({ params })))).code).toBe('invalid_config');
    }
    for (const input of [null, 7, 'x', [], () => 1])
      expect((await refusal(() => scratch.builder.addQuery(page, input as unknown as AddQueryInput))).code).toBe(
        'invalid_config',
      );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each(['name', 'endpoint', 'resource', 'template', 'response', 'compare'])(
    'is refused when its %s is an object without a text, also as a patch and where saves can be undone',
    async (part) => {
      const odd = { [part]: { toString: 1 } } as never;
      const undoable = withLastSave(scratch.builder, createLastSave(), () => new Date(0));
      for (const builder of [scratch.builder, undoable])
        expect(pointersOf(await refusal(() => builder.addQuery(page, { ...count(), ...(odd as object) })))).toContain(
          `/${part}`,
        );
      if (part !== 'name')
        expect(pointersOf(await refusal(() => undoable.configureQuery(`${page}@openOrders`, odd)))).toContain(
          `/${part}`,
        );
    },
  );

  it('keeps values that try to become code as the texts that they are', async () => {
    const hostile = [
      "'); process.exit(); ('",
      '`${process.exit()}`',
      '\u2028\u2029',
      '\ud800',
      '\\',
      '*/ //',
      '</script>',
      '\r\n',
      '"\'`',
      '\u0000',
    ];
    for (const [index, value] of hostile.entries())
      dataOf(
        await scratch.builder.addQuery(page, { ...where({ field: 'note', op: 'eq', value }), name: `hostile${index}` }),
      );
    const { queries } = dataOf(await scratch.builder.getPageStructure(page));
    expect(
      queries
        .filter(({ name }) => name.startsWith('hostile'))
        .map(({ params }) => (params as { where: { value: string }[] }).where[0]!.value),
    ).toEqual(hostile);
  });
});
