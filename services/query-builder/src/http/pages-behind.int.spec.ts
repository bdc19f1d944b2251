/**
 * What analysts read behind figures: parts and rows, for readers who may open the page, and where its author shows
 * them.
 */
import { servePages, writeProject, type TestPages } from '../host/testing/serve-pages';
import { testProject } from '../host/testing/project';

const base = '/dms/pages/shop/orders';
const fetchUrl = (name: string) => `fetchUrl: '${base}/stats/${name}'`;
const blocks = `blocks: [
  { kind: 'chart-card', title: 'Revenue', unit: 'EUR', breakdown: ['note', 'status'], rows: ['note', 'createdAt', 'total'], ${fetchUrl('monthly')} },
  { kind: 'list', title: 'Notes', breakdown: ['status'], rows: ['note', 'total'], ${fetchUrl('notes')} },
  { kind: 'kpi-card', title: 'Count', ${fetchUrl('count')} },
] })`;
const withBlocks = (given: string) => ({
  ...testProject,
  'pages/shop/orders/page.ts': testProject['pages/shop/orders/page.ts']!.replace(/blocks: \[.*?\] \}\)/s, given),
});
const period = 'from=2026-01-01&to=2026-03-31';
const hostile = ['$total', '=1+1', '<img src=x onerror=alert(1)>', 'a'];

describe.each([
  ['within this process', {}],
  ['in a process of its own', { apart: {} }],
])('behind the figures of a page whose code runs %s', (_where, options) => {
  let pages: TestPages;
  /** After how many checks the workspace is found closed. */
  let closesAfter = Infinity;
  const row = (tenantId: string, note: string, total: number, at: string) => ({
    tenantId,
    status: 'paid',
    note,
    gift: false,
    total,
    createdAt: new Date(at),
  });
  beforeAll(async () => {
    pages = await servePages(writeProject(withBlocks(blocks)), {
      ...options,
      access: async () =>
        (closesAfter-- > 0 ? { state: 'open' } : { state: 'closed', reason: 'suspended', revision: 1 }) as never,
    });
    await pages.insert('orders', [
      ...hostile.map((note, at) => row('t1', note, 10 * (at + 1), '2026-02-10T10:00:00Z')),
      row('t1', 'a', 7, '2026-02-28T23:30:00Z'),
      row('t2', 'secret of another', 5_000, '2026-02-10T10:00:00Z'),
    ]);
  });
  afterAll(() => pages.close());
  beforeEach(() => {
    closesAfter = Infinity;
    pages.commands();
  });
  const at = (group: unknown) => `at=${encodeURIComponent(JSON.stringify(group))}`;
  const rows = async (more: string, caller = {}) => pages.get(`${base}?${period}&${more}`, { caller });

  it('are the rows of a point in the zone of its query, as text, of no other workspace', async () => {
    const answer = await rows(`rows=monthly&${at(202_602)}`);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('4 rows, shown are');
    expect(answer.text).toContain('€100.00');
    expect(answer.text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(answer.text).not.toContain('secret of another');
    const march = await rows(`rows=monthly&${at(202_603)}`);
    expect(march.text).toContain('2026-03-01 00:30');
    expect(pages.commands().map(({ body }) => [body['comment'], body['maxTimeMS']])).toEqual(
      Array.from({ length: 8 }, () => ['/shop/orders@monthly', 10_000]),
    );
  });

  it.each(hostile)('are the rows of the group %j and no others', async (note) => {
    const answer = await rows(`rows=notes&as=csv&${at(note)}`);
    const own = note === 'a' ? 2 : 1;
    expect(answer.text.trim().split('\r\n')).toHaveLength(1 + own);
  });

  it('are a file that no spreadsheet runs', async () => {
    const file = await rows('rows=notes&as=csv');
    expect(file.headers['content-disposition']).toContain('notes-rows.csv');
    expect(file.text).toContain("'=1+1,20\r\n");
    expect(file.text.split('\r\n')[0]).toBe('\ufeffnote,total');
  });

  it('are nothing for who may not open the page, and nothing of a closed workspace', async () => {
    const refused = await Promise.all([
      pages.get(`${base}?rows=monthly`, { caller: null }),
      rows('rows=monthly', { permissions: ['other'] }),
      rows('rows=monthly&workspace=t2'),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 404]);
    closesAfter = 0;
    expect((await rows('rows=monthly')).status).toBe(403);
    expect(pages.commands()).toEqual([]);
    // The workspace closes while the rows are read: it was open after the page, and before and after the query.
    closesAfter = 3;
    expect((await rows('rows=monthly')).status).toBe(403);
    expect(pages.commands()).toHaveLength(4);
  });

  it.each([
    ['rows=count&value-status=paid', 404],
    ['rows=constructor', 404],
    ['rows=monthly&at=nonsense', 400],
    ['rows=monthly&at=%7B%22%24gt%22%3A0%7D', 400],
    ['rows=monthly&part=%22a%22', 400],
    ['rows=monthly&by-monthly=gift&part=true', 400],
    ['rows=monthly&skip=-1', 400],
    ['rows=monthly&skip=1e9', 400],
    ['rows=monthly&at=1&at=2', 400],
  ])('are not read for %s', async (more, status) => {
    expect((await rows(more)).status).toBe(status);
  });

  it('are parts of each point, in the chart, its table and its file', async () => {
    const page = await rows('by-monthly=note');
    expect(page.text).toMatch(/<th scope="col" class="number"><bdi>\$total<\/bdi><\/th>/);
    const links = [...page.text.matchAll(/href="(\?[^"]*rows=monthly[^"]*part=[^"]*)"/g)].map(([, href]) => href!);
    const part = links.find((href) => href.includes(encodeURIComponent('"=1+1"')))!;
    expect((await pages.get(`${base}${part.replaceAll('&amp;', '&')}`)).text).toContain('1 row, shown are');
    const file = await rows('by-monthly=note&csv=monthly');
    const [head, , february] = file.text.split('\r\n');
    expect(head).toBe(`\ufeffmonth,value (EUR),only a part,a,<img src=x onerror=alert(1)>,'=1+1,$total`);
    expect(february).toBe('2026-02,100,,40,30,20,10');
  });

  it('are parts of each entry of a list', async () => {
    const page = await rows('by-notes=status');
    expect(page.text).toContain('class="part part-1"');
    expect((await rows('by-notes=status&csv=notes')).text.split('\r\n')[0]).toBe('\ufeffgroup,value,paid');
  });

  it('are not broken down by a field that the author does not offer', async () => {
    const [plain, other] = await Promise.all([rows(''), rows('by-monthly=gift&by-count=status&by-constructor=x')]);
    const cards = (body: string) => body.slice(body.indexOf('class="grid"')).replaceAll(/\?from=[^"]*/g, '');
    expect(cards(other.text)).toBe(cards(plain.text));
  });

  it('keep every choice in every link', async () => {
    const page = await rows('by-monthly=note&zone=Asia/Tokyo');
    const hrefs = [...page.text.matchAll(/href="(\?[^"]*)"/g)].map(
      ([, href]) => new URLSearchParams(href!.replaceAll('&amp;', '&').replace(/#.*/, '')),
    );
    expect(hrefs.length).toBeGreaterThan(10);
    for (const kept of hrefs) expect([kept.get('zone'), kept.has('from')]).toEqual(['Asia/Tokyo', true]);
  });
});

describe('a figure of more rows than are shown', () => {
  let pages: TestPages;
  const all = 10_150;
  beforeAll(async () => {
    pages = await servePages(writeProject(withBlocks(blocks)));
    await pages.insert(
      'orders',
      Array.from({ length: all }, (_unused, at) => ({ tenantId: 't1', note: 'a', total: at })),
    );
  });
  afterAll(() => pages.close());

  it('is a file that says in its name how many of how many rows it holds', async () => {
    const file = await pages.get(`${base}?${period}&rows=notes&as=csv`);
    expect(file.text.trim().split('\r\n')).toHaveLength(1 + 10_000);
    expect(file.headers['content-disposition']).toContain('notes-rows-first-10000-of-10150.csv');
    const page = await pages.get(`${base}?${period}&rows=notes`);
    expect(page.text).toContain('Download CSV of the first 10,000 rows');
  });

  it('ends its pages with a reason, and with no link that is refused', async () => {
    const links = (text: string) => /href="(\?[^"]*)">More rows/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    const before = await pages.get(`${base}?${period}&rows=notes&skip=9900`);
    const last = await pages.get(`${base}${links(before.text)}`);
    expect([last.status, last.text.includes('10,001 to 10,100')]).toEqual([200, true]);
    expect(links(last.text)).toBeUndefined();
    expect(last.text).toContain('The rows after these are not shown');
  });
});

describe('a block that names a field', () => {
  it.each([
    ["breakdown: ['createdAt']", 'the block \\"Revenue\\": orders cannot be broken down by \\"createdAt\\"'],
    ["rows: ['tenantId']", 'the block \\"Revenue\\": a row of orders cannot show \\"tenantId\\"'],
    ["rows: ['__proto__']", 'a row of orders cannot show \\"__proto__\\"'],
  ])('which there is not keeps its page from loading: %s', async (wrong, message) => {
    const broken = withBlocks(`blocks: [{ kind: 'chart', title: 'Revenue', ${wrong}, ${fetchUrl('monthly')} }] })`);
    await expect(servePages(writeProject(broken))).rejects.toThrow(message);
  });
});
