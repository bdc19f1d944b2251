/**
 * By default a few reloads under 64 clients; `RELOADS=100 RELOAD_SECONDS=60` is the long run. With `CLIENT_PAUSE_MS=0`
 * the clients do not pause.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@platform/testing';
import { startPageService, type PageService } from './page-service';

const reloads = Number(process.env['RELOADS'] ?? 4);
const seconds = Number(process.env['RELOAD_SECONDS'] ?? 3);
const clients = 64;
/** The pause between two requests of a client; without it the clients alone fill a small machine. */
const pauseMs = Number(process.env['CLIENT_PAUSE_MS'] ?? 100);

/** Page code that takes all the memory of its process. */
const fillMemory = 'const held: unknown[] = []; for (;;) held.push(new Array(1_000_000).fill(held.length));';

describe('A page project that changes while it is used', () => {
  let service: PageService;
  let file: string;
  let original: string;
  const temporary = mkdtempSync(join(tmpdir(), 'reloads-'));

  beforeAll(async () => {
    service = await startPageService({ rows: 1_000, env: { TMPDIR: temporary } });
    file = join(service.projectDir, 'pages/shop/orders/page.ts');
    original = readFileSync(file, 'utf8');
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(temporary, { recursive: true, force: true });
  });

  it(`fails no request of ${clients} clients during ${reloads} reloads`, async () => {
    const authorization = `Bearer ${await service.token()}`;
    const failures: string[] = [];
    const totals = { calls: 0, stop: false };
    // This process owns the access of the workspace, and 64 clients may keep it from answering a guard in time. What the
    // guard does not know is asked again, as the refusal says.
    const ask = async (path: string): Promise<readonly [Response, string]> => {
      const answer = await fetch(`${service.url}${path}`, { headers: { authorization } });
      const body = await answer.text();
      return answer.status === 503 && body.includes('"access_unknown"') ? ask(path) : [answer, body];
    };
    const client = async (number: number): Promise<void> => {
      while (!totals.stop) {
        totals.calls += 1;
        try {
          const path =
            number % 8 === 0
              ? '/dms/pages/shop/orders?from=2026-01-01&to=2026-01-31'
              : '/dms/pages/shop/orders/stats/open-orders';
          const [answer, body] = await ask(path);
          if (answer.status !== 200 || (number % 8 !== 0 && !/^\{"value":\d+\}$/.test(body)))
            failures.push(`${answer.status} ${body.slice(0, 200)}`);
        } catch (error) {
          failures.push(String((error as Error).cause ?? error));
        }
        if (pauseMs > 0) await delay(pauseMs);
      }
    };
    const all = Array.from({ length: clients }, (_unused, number) => client(number));
    const until = Date.now() + seconds * 1_000;
    // On a slow machine reloads also go on until each client has asked during one.
    const goesOn = (reload: number) => reload <= reloads || Date.now() < until || totals.calls <= 2 * clients;
    for (let reload = 1; goesOn(reload); reload += 1) {
      // Every fourth edit passes through a state that does not compile.
      if (reload % 4 === 0) {
        writeFileSync(file, original.replace("title: 'Orders'", 'title: '));
        await service.healthWhen(({ problems }) => problems.length > 0);
      }
      writeFileSync(file, original.replace("title: 'Orders'", `title: 'Orders ${reload}'`));
      await service.healthWhen((health) => health.problems.length === 0 && health.reloads >= reload);
    }
    totals.stop = true;
    await Promise.all(all);
    expect(failures).toEqual([]);
    expect(totals.calls).toBeGreaterThan(2 * clients);
    expect((await service.health()).reloads).toBeGreaterThanOrEqual(reloads);
    while ((service.workers() ?? 1) > 1) await delay(50);
  });

  it('serves the last good version of a page that breaks, and says where', async () => {
    const authorization = `Bearer ${await service.token()}`;
    const ask = async (path: string): Promise<number> =>
      (await fetch(`${service.url}/dms/pages/shop/orders${path}`, { headers: { authorization } })).status;
    writeFileSync(file, original.replace("@Get('/stats/open-orders')", "@Get('/stats/opened')"));
    await service.healthWhen(({ problems }) => problems.length === 0);
    while ((await ask('/stats/opened')) !== 200);
    expect(await ask('/stats/open-orders')).toBe(404);
    const lineOf = (piece: string): number => original.slice(0, original.indexOf(piece)).split('\n').length;
    const broken: readonly (readonly [string, string, RegExp, number])[] = [
      [
        'does not compile',
        original.replace('async openOrders(', 'async openOrders(('),
        /Unexpected|Expected/,
        lineOf('async openOrders('),
      ],
      [
        'throws when it is loaded',
        original.replace(
          '@Page({',
          'const nothing = undefined as unknown as { text: string };\nconsole.error(nothing.text);\n@Page({',
        ),
        /Cannot read properties of undefined/,
        lineOf('@Page({') + 1,
      ],
      [
        'leaves a route without its guard',
        original.replace('@PagePermission(OrdersPage) _user: PageUser,', ''),
        /not guarded/,
        lineOf('@PagePermission(OrdersPage) _user: PageUser,'),
      ],
      [
        'claims an address of another page',
        original.replace("@Get('/stats/open-orders')", "@Get('/stats/daily-orders')"),
        /is taken by the page \/shop\/orders/,
        lineOf("@Get('/stats/open-orders')"),
      ],
      ['reaches for its process', `process.exit(3);\n${original}`, /process is not defined/, 1],
      ['ends its process', `${fillMemory}\n${original}`, /ended or blocked its process/, 1],
    ];
    for (const [why, text, message, line] of broken) {
      writeFileSync(file, text);
      const { problems } = await service.healthWhen((health) =>
        health.problems.some((problem) => message.test(problem.message)),
      );
      expect([why, problems]).toEqual([
        why,
        [
          {
            pageRef: '/shop/orders',
            file: 'pages/shop/orders/page.ts',
            line: expect.any(Number),
            message: expect.stringMatching(message),
            serving: 'last_good_version',
          },
        ],
      ]);
      expect(Math.abs(problems[0]!.line - line)).toBeLessThanOrEqual(4);
      const logged = `a page does not load: pages/shop/orders/page.ts:${problems[0]!.line}: `;
      // The log comes through a pipe, after an answer that knows of the problem.
      await eventually(() => service.log().includes(logged), { describe: logged });
      expect(await ask('/stats/opened')).toBe(200);
    }
    writeFileSync(file, original);
    await service.healthWhen(({ status, problems }) => status === 'ok' && problems.length === 0);
    while ((await ask('/stats/open-orders')) !== 200);
  });

  it('answers every request after the system has cleared its temporary folder', async () => {
    const authorization = `Bearer ${await service.token()}`;
    const programs = readdirSync(temporary).filter((name) => name.startsWith('page-code-'));
    expect(programs).toHaveLength(1);
    for (const name of programs) rmSync(join(temporary, name), { recursive: true });
    service.killWorkers();
    const answer = async (page: string): Promise<number> =>
      fetch(`${service.url}/dms/pages/shop/${page}`, { headers: { authorization } }).then(
        ({ status }) => status,
        () => 0,
      );
    // Until a worker listens again there is no answer; a first answer is the page.
    const first = async (page: string): Promise<number> => {
      const got = await answer(page);
      return got === 0 ? delay(20).then(() => first(page)) : got;
    };
    for (const page of ['products', 'orders/stats/average-order'])
      expect([page, await first(page)]).toEqual([page, 200]);
  });

  it('answers other requests when the code of a page ends its process, and when a worker ends', async () => {
    const authorization = `Bearer ${await service.token()}`;
    writeFileSync(
      file,
      original.replace(
        'return { value: await model.openOrders() };',
        `const value = await model.openOrders(); if (value !== 0) { ${fillMemory} } return { value };`,
      ),
    );
    const ask = (path: string): Promise<number> =>
      fetch(`${service.url}/dms/pages/shop/orders${path}`, { headers: { authorization } }).then(
        ({ status }) => status,
        () => 0,
      );
    const { reloads: before } = await service.healthWhen(({ status }) => status === 'ok');
    await service.healthWhen(({ reloads: now }) => now >= before);
    await eventually(async () => (await ask('/stats/open-orders')) === 500, {
      describe: 'a page that ends its process',
    });
    await eventually(async () => (await ask('/stats/average-order')) === 200, {
      describe: 'page code that runs again',
    });
    const logged = 'the process of page code ended by itself';
    await eventually(() => service.log().includes(logged), { describe: logged });
    service.killWorkers();
    await eventually(async () => service.log().includes('a page worker ended by itself'), {
      describe: 'an end that was noticed',
    });
    await eventually(async () => (await ask('/stats/average-order')) === 200, {
      describe: 'a worker that serves again',
    });
  });
});
