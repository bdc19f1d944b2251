/** The inner port answers machines, whatever outside clients do at the port of the routes. */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import type { HttpMetrics, HttpServer } from './options';
import { policyRoute, testServer } from './test-server';

const openapi = { title: 'Test', description: 'For tests.' };
const paths = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'];
const metrics = (text: () => Promise<string>): HttpMetrics => ({
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  text,
  histogram: () => ({ observe: () => undefined }),
});

let server: HttpServer;
let outside: string;
let inside: string;
afterEach(() => server.close());

async function start(alsoOutside: boolean, options: Parameters<typeof testServer>[1] = {}): Promise<void> {
  server = testServer([policyRoute('public')], {
    metrics: metrics(async () => 'up 1\n'),
    openapi,
    inner: { port: 0, alsoOutside },
    ...options,
  });
  outside = await server.listen({ host: '127.0.0.1', port: 0 });
  inside = server.innerUrl()!;
}
const statuses = (base: string) => Promise.all(paths.map(async (path) => (await fetch(base + path)).status));

describe('the inner port', () => {
  it('answers what machines ask and no route, and the other port the reverse', async () => {
    await start(false);
    expect(await statuses(inside)).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(outside)).toEqual([404, 404, 404, 404, 404]);
    const route = '/api/public/acme';
    expect([(await fetch(outside + route)).status, (await fetch(inside + route)).status]).toEqual([200, 404]);
    expect((await fetch(`${inside}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('shares its answers with the port of the routes on a local platform', async () => {
    await start(true);
    expect([await statuses(inside), await statuses(outside)]).toEqual([
      [200, 200, 200, 200, 200],
      [200, 200, 200, 200, 200],
    ]);
  });

  it('answers while one address holds every connection of the other port', async () => {
    await start(false, { limits: { connections: 4, connectionsPerAddress: 4 } });
    const { port } = new URL(outside);
    const held: Socket[] = [];
    for (let count = 0; count < 8; count += 1) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      held.push(socket);
      socket.write('POST /api/public/acme HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n');
      await once(socket, 'connect');
    }
    expect(await statuses(inside)).toEqual([200, 200, 200, 200, 200]);
    held.forEach((socket) => socket.destroy());
  });

  it('answers many scrapes with one reading, however long the store takes', async () => {
    let readings = 0;
    let answer: (text: string) => void = () => undefined;
    const slow = new Promise<string>((resolve) => (answer = resolve));
    await start(false, { metrics: metrics(() => ((readings += 1), slow)) });
    const scrapes = Promise.all(Array.from({ length: 30 }, async () => (await fetch(`${inside}/metrics`)).text()));
    expect((await fetch(`${inside}/healthz`)).status).toBe(200);
    answer('up 0\n');
    expect(new Set(await scrapes)).toEqual(new Set(['up 0\n']));
    expect(readings).toBe(1);
  });

  it('says that the service ends while the last answers are written', async () => {
    await start(false);
    const lasting = connect(Number(new URL(outside).port), '127.0.0.1');
    lasting.write('GET /api/public/acme HTTP/1.1\r\nhost: x\r\n');
    await once(lasting, 'connect');
    while ((await fetch(`${inside}/readyz`)).status !== 200);
    const closed = server.close();
    let last = await fetch(`${inside}/readyz`);
    while (last.status === 200) last = await fetch(`${inside}/readyz`);
    expect([last.status, ((await last.json()) as { status: string }).status]).toEqual([503, 'closing']);
    lasting.end('\r\n');
    lasting.resume();
    await closed;
    await expect(fetch(`${inside}/readyz`)).rejects.toThrow('fetch failed');
  });
});
