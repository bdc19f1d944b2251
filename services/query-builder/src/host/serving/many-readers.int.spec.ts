/** Concurrent readers: one execution for equal questions, early refusals, limits by query. */
import { testProject } from '../testing/project';
import { servePages, writeProject } from '../testing/serve-pages';

const base = '/dms/pages/shop/orders';

describe('many readers at once', () => {
  const rows = Array.from({ length: 20_000 }, (_unused, index) => ({
    tenantId: 't1',
    note: `k${index % 50}`,
    status: 'paid',
    filler: 'x'.repeat(100),
  }));

  it('get twelve answers to twelve identical questions from one command, dated with its time', async () => {
    const pages = await servePages(writeProject(testProject));
    await pages.insert('orders', rows);
    const before = Date.now();
    pages.commands();
    const answers = await Promise.all(Array.from({ length: 12 }, () => pages.get(`${base}/stats/notes`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(pages.commands().map(({ name }) => name)).toEqual(['aggregate']);
    const asOf = Date.parse(String(answers[0]?.headers['x-as-of']));
    expect(asOf).toBeGreaterThanOrEqual(before);
    expect(answers[0]?.headers['age']).toMatch(/^\d+$/);
    await pages.close();
  });

  it('are refused early, with a time to ask again, where their questions would wait too long', async () => {
    const pages = await servePages(writeProject(testProject), { desk: { running: 1, waitMs: 0, keptMs: 0 } });
    await pages.insert('orders', rows);
    const answers = await Promise.all(
      ['notes', 'count?status=paid', 'count?status=open'].map((path) => pages.get(`${base}/stats/${path}`)),
    );
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.json()).toMatchObject({ code: 'overloaded' });
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
    await pages.close();
  });

  it('are no load for themselves: a page that is loaded again asks all its queries again, in its turn', async () => {
    // Any wait for others brings an older answer. The other limits only detect a queue that does not move, because how
    // long a query takes depends on the machine.
    const desk = { running: 1, waitMs: 120_000, keptMs: 300_000, shortWaitMs: 0 };
    const pages = await servePages(writeProject(testProject), { desk });
    await pages.insert('orders', rows);
    const accept = { headers: { accept: 'text/html' } };
    pages.commands();
    const load = async () => {
      const { status, text } = await pages.get(`${base}?value-status=paid`, accept);
      return { status, old: /As of/.test(text), refused: /Reload the page/.test(text), asked: pages.commands().length };
    };
    const first = await load();
    expect(first).toEqual({ status: 200, old: false, refused: false, asked: expect.any(Number) as number });
    expect(first.asked).toBeGreaterThan(2);
    expect(await load()).toEqual(first);
    await pages.close();
  });

  it('have a time limit of their own where one is configured for the query or its page', async () => {
    const limits = new Map([
      ['/shop/orders@notes', 1],
      ['/shop/orders', 9_000],
    ]);
    const pages = await servePages(writeProject(testProject), { timeLimits: limits });
    await pages.insert('orders', rows);
    expect((await pages.get(`${base}/stats/notes`)).status).toBe(504);
    pages.commands();
    expect((await pages.get(`${base}/stats/count?status=paid`)).status).toBe(200);
    expect(pages.commands()).toMatchObject([{ body: { maxTimeMS: 9_000 } }]);
    await pages.close();
  });
});
