import type { AccessDecision } from '@platform/workspace-platform/access';
import { servePages, writeProject, type TestPages } from '../testing/serve-pages';
import { testProject } from '../testing/project';

const base = '/dms/pages/shop/orders';

describe.each([
  ['within this process', {}],
  ['in a process of its own', { apart: {} }],
])('the routes of a page whose code runs %s', (_where, options) => {
  let pages: TestPages;
  beforeAll(async () => {
    pages = await servePages(writeProject(testProject), options);
    const row = (tenantId: string, total: number, at: string, more = {}) => ({
      tenantId,
      status: 'paid',
      note: 'n',
      gift: false,
      total,
      createdAt: new Date(at),
      ...more,
    });
    await pages.insert('orders', [
      row('t1', 10, '2026-01-31T22:59:59Z'),
      row('t1', 20, '2026-01-31T23:00:00Z'),
      row('t1', 5, '2025-12-15T00:00:00Z'),
      row('t1', 7, '2026-02-10T00:00:00Z', { status: 'open', gift: true, note: 'x' }),
      row('t2', 1_000, '2026-01-15T00:00:00Z'),
    ]);
  });
  afterAll(() => pages.close());
  beforeEach(() => void pages.commands());

  it('answer one number, from one command that names the query and its time limit', async () => {
    const answer = await pages.get(`${base}/stats/count?status=paid`);
    expect([answer.status, answer.json()]).toEqual([200, { value: 3 }]);
    const [command, ...more] = pages.commands();
    expect(more).toEqual([]);
    expect(command).toMatchObject({ name: 'aggregate', body: { comment: '/shop/orders@count', maxTimeMS: 10_000 } });
  });

  it("answer a card with the preceding period, from two commands, in days of the query's zone", async () => {
    const answer = await pages.get(
      `${base}/stats/monthly?from=2026-01-01&to=2026-03-01&compareFrom=2025-12-01&compareTo=2026-01-01`,
    );
    expect(answer.json()).toEqual({
      value: 37,
      previousValue: 5,
      delta: 6.4,
      series: [
        { x: 202_601, y: 10 },
        { x: 202_602, y: 27 },
      ],
      comparisonSeries: [{ x: 202_512, y: 5 }],
    });
    expect(pages.commands().map(({ name }) => name)).toEqual(['aggregate', 'aggregate']);
  });

  it('coerce every value by its field', async () => {
    const answer = await pages.get(
      `${base}/stats/mixed?least=-1.5e1&gift=false&from=2026-01-01T00:00:00%2B01:00&note=${encodeURIComponent('[draft] $5')}`,
    );
    expect(answer.json()).toEqual({ value: 30 });
  });

  it('read a header that a hand-written route declares, and judge it like every value', async () => {
    const ask = (headers: Readonly<Record<string, string>>) => pages.get(`${base}/stats/by-header`, { headers });
    expect((await ask({ 'x-status': 'open' })).json()).toEqual({ value: 1 });
    pages.commands();
    const wrong: readonly Readonly<Record<string, string>>[] = [{}, { 'x-status': 'lost' }];
    for (const headers of wrong) {
      const answer = await ask(headers);
      expect([answer.status, answer.json<{ errors: { pointer: string }[] }>().errors]).toEqual([
        400,
        [expect.objectContaining({ pointer: '/header/x-status' })],
      ]);
    }
    expect(pages.commands()).toEqual([]);
  });

  it('answer ranked entries', async () => {
    expect((await pages.get(`${base}/stats/notes`)).json()).toEqual({
      items: [
        { x: 'n', y: 3 },
        { x: 'x', y: 1 },
      ],
    });
  });

  describe('refuse with 400, the parameter and no command', () => {
    const hostile = ['', '$status', '{"$ne":1}', '[]', '1e999', '0x10', ' ', 'null', 'paid\u0000'];
    const good: Readonly<Record<string, string>> = { least: '1', gift: 'true', from: '2026-01-01', note: 'n' };
    const named = async (path: string): Promise<unknown> => {
      const answer = await pages.get(path);
      expect([answer.status, answer.headers['content-type'], pages.commands()]).toEqual([
        400,
        'application/problem+json',
        [],
      ]);
      return answer.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer);
    };

    it.each(hostile)('%p for a number, a truth value, a date and an option', async (text) => {
      for (const name of ['least', 'gift', 'from'])
        expect(await named(`${base}/stats/mixed?${new URLSearchParams({ ...good, [name]: text }).toString()}`)).toEqual(
          [`/query/${name}`],
        );
      expect(await named(`${base}/stats/count?status=${encodeURIComponent(text)}`)).toEqual(['/query/status']);
      if (text !== '') expect(await named(`${base}/stats/of/${encodeURIComponent(text)}`)).toEqual(['/path/status']);
    });

    it.each(['', '$status', '{"$ne":1}', '[]'])('%p for a text', async (text) => {
      expect(await named(`${base}/stats/mixed?${new URLSearchParams({ ...good, note: text }).toString()}`)).toEqual([
        '/query/note',
      ]);
    });

    it('missing, repeated and nested values, all at once', async () => {
      expect(await named(`${base}/stats/mixed?least=1&least=2&gift[]=true&from[$gt]=2026-01-01`)).toEqual([
        '/query/least',
        '/query/gift',
        '/query/from',
        '/query/note',
        '/query/gift[]',
        '/query/from[$gt]',
      ]);
      expect(await named(`${base}/stats/count?status=paid&status[$ne]=x`)).toEqual(['/query/status[$ne]']);
    });

    it('a bad period of comparison, before the first call is made', async () => {
      expect(await named(`${base}/stats/monthly?from=2026-01-01&to=2026-03-01&compareFrom=2025-13-01`)).toEqual([
        '/query/compareFrom',
        '/query/compareTo',
      ]);
    });
  });

  describe('are open', () => {
    const path = `${base}/stats/count?status=paid`;
    const matrix: readonly (readonly [string, Parameters<TestPages['get']>[1], number])[] = [
      ['to no caller without a token', { caller: null }, 401],
      ['to no caller with a broken token', { caller: null, headers: { authorization: 'Bearer x.y.z' } }, 401],
      ['not to a user without the permission', { caller: { permissions: ['shop.read2', 'shop', 'SHOP.READ'] } }, 403],
      ['not to a platform owner without it', { caller: { role: 'platform_owner', permissions: [] } }, 403],
      ['to who holds the permission of the page', {}, 200],
      ['not to a holder of it without a workspace', { caller: { workspaces: {} } }, 403],
      ["not to another workspace than the caller's", { headers: { 'workspace-id': 't2' } }, 404],
    ];
    it.each(
      matrix.flatMap(([name, options, status]) =>
        ['GET', 'HEAD'].map((method) => [`${name} (${method})`, { ...options, method }, status] as const),
      ),
    )('%s', async (_name, options, status) => {
      const answer = await pages.get(path, options);
      expect(answer.status).toBe(status);
      if (options?.method === 'HEAD') expect(answer.text).toBe('');
      expect(pages.commands()).toHaveLength(status === 200 ? 1 : 0);
    });

    it.each([
      '/stats/count/',
      '/stats//count',
      '/Stats/count',
      '/stats/COUNT',
      '/stats/count.json',
      '/stats/./count/x',
      '/stats',
    ])('at no other address than their own (%s)', async (endpoint) => {
      for (const caller of [null, {}])
        expect((await pages.get(`${base}${endpoint}?status=paid`, { caller })).status).toBe(404);
      expect((await pages.get('/DMS/pages/shop/orders/stats/count?status=paid')).status).toBe(404);
      expect(pages.commands()).toEqual([]);
    });

    it('for no other method', async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
        expect((await pages.get(path, { method })).status).toBe(405);
    });
  });

  it('show each caller the rows of his own workspace', async () => {
    const count = async (options: Parameters<TestPages['get']>[1]) =>
      (await pages.get(`${base}/stats/count?status=paid`, options)).json();
    expect(await count({ caller: { workspaces: { t2: 'owner' } } })).toEqual({ value: 1 });
    const both = { workspaces: { t1: 'owner', t2: 'member' } } as const;
    expect(await count({ caller: both, headers: { 'workspace-id': 't2' } })).toEqual({ value: 1 });
    expect(await count({ caller: both })).toMatchObject({ status: 400, errors: [{ pointer: '/header/workspace-id' }] });
  });

  it('are private, never stored, and tagged so that an equal answer need not be sent again', async () => {
    const first = await pages.get(`${base}/stats/notes`);
    expect(first.headers).toMatchObject({
      'cache-control': 'private, no-store',
      'content-type': 'application/json; charset=utf-8',
    });
    const tag = String(first.headers['etag']);
    const again = await pages.get(`${base}/stats/notes`, { headers: { 'if-none-match': `"other", W/${tag}` } });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', tag]);
    expect((await pages.get(`${base}/stats/notes`, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('say when a series was cut', async () => {
    await pages.insert(
      'orders',
      Array.from({ length: 1_001 }, (_unused, index) => ({ tenantId: 'many', note: `k${index}` })),
    );
    const cut = await pages.get(`${base}/stats/notes`, { caller: { workspaces: { many: 'member' } } });
    const body = cut.json<{ items: unknown[]; truncated: unknown }>();
    expect([body.items.length, body.truncated, cut.headers['x-series-truncated']]).toEqual([
      1_000,
      { shown: 1_000, total: 1_001 },
      'true',
    ]);
    expect((await pages.get(`${base}/stats/notes`)).headers['x-series-truncated']).toBeUndefined();
  });
});

describe('a slow query', () => {
  it('ends at its time limit with an error that says so', async () => {
    const pages = await servePages(writeProject(testProject), { maxTimeMs: 1 });
    await pages.insert(
      'orders',
      Array.from({ length: 20_000 }, (_unused, index) => ({
        tenantId: 't1',
        note: `k${index}`,
        filler: 'x'.repeat(200),
      })),
    );
    const answer = await pages.get(`${base}/stats/notes`);
    expect([answer.status, answer.json()]).toEqual([504, expect.objectContaining({ code: 'query_too_slow' })]);
    await pages.close();
  });
});

describe('the routes of a closed workspace', () => {
  let pages: TestPages;
  let decisions: AccessDecision[] = [];
  const suspended: AccessDecision = { state: 'closed', reason: 'suspended' };
  beforeAll(async () => {
    // The last decision is repeated.
    const access = async () => (decisions.length > 1 ? decisions.shift()! : decisions[0]!);
    pages = await servePages(writeProject(testProject), { access });
  });
  afterAll(() => pages.close());
  const ask = async (path = `${base}/stats/count?status=paid`, accept = 'application/json') => {
    pages.commands();
    const answer = await pages.get(path, { headers: { accept } });
    return { status: answer.status, json: () => answer.json<{ code: string }>(), commands: pages.commands().length };
  };

  it('ask the database nothing and say why', async () => {
    decisions = [suspended];
    const { status, json, commands } = await ask();
    expect([status, commands]).toEqual([403, 0]);
    expect(json()).toMatchObject({ code: 'workspace_closed', access: 'suspended' });
  });

  it('keep the answer of a query during which it closed', async () => {
    decisions = [{ state: 'open' }, suspended];
    const { status, json, commands } = await ask();
    expect([status, commands]).toEqual([403, 1]);
    expect(json()).toMatchObject({ code: 'workspace_closed' });
  });

  it('refuse, to be asked again, when no answer comes', async () => {
    decisions = [{ state: 'unknown' }];
    const { status, json } = await ask();
    expect([status, json().code]).toEqual([503, 'access_unknown']);
  });

  it('show no chart page either', async () => {
    decisions = [suspended];
    const { status, commands } = await ask(base, 'text/html');
    expect([status, commands]).toEqual([403, 0]);
  });
});
