import { request as httpRequest, Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { defineRoute, reply } from '../route';
import type { HttpServer } from './options';
import { testServer } from './test-server';

/** Everything a socket receives until the server closes it. */
function receiveAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    socket.on('data', (bytes) => (received += bytes.toString()));
    socket.on('error', () => resolve(received));
    socket.on('close', () => resolve(received));
  });
}

/** Resolves when no process listens on the port any more. */
async function refused(port: number): Promise<void> {
  const accepted = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', () => resolve(false));
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
    });
  while (await accepted());
}

function createLatch() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

const post = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

describe('connections', () => {
  let server: HttpServer;
  let port: number;
  let entered = createLatch();
  let leave = createLatch();

  const echo = defineRoute({
    method: 'POST',
    path: '/echo',
    policy: 'public',
    summary: 'Echoes',
    body: z.strictObject({ text: z.string() }),
    responses: { 200: z.strictObject({ text: z.string() }) },
    errors: [],
    handle: async ({ body }) => reply(200, body),
  });
  const gated = defineRoute({
    method: 'GET',
    path: '/gated',
    policy: 'public',
    summary: 'Waits for the test',
    responses: { 200: z.strictObject({ done: z.boolean() }) },
    errors: [],
    handle: async () => {
      entered.open();
      await leave.opened;
      return reply(200, { done: true });
    },
  });

  /** Waits until the caller has disconnected. */
  const deserted = defineRoute({
    method: 'GET',
    path: '/deserted',
    policy: 'public',
    summary: 'Waits for its caller to leave',
    responses: { 200: z.strictObject({ left: z.boolean() }) },
    errors: [],
    handle: async ({ gone }) => {
      const signal = gone();
      entered.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      leave.open();
      return reply(200, { left: true });
    },
  });

  async function start(limits = {}): Promise<void> {
    entered = createLatch();
    leave = createLatch();
    server = testServer([echo, gated, deserted], { limits: { bodyBytes: 1_024, ...limits } });
    port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
  }
  const open = (): Socket => connect(port, '127.0.0.1');
  afterEach(() => server.close());

  it('that end before the answer tell the route, which may end its work', async () => {
    await start();
    const socket = open();
    socket.write('GET /deserted HTTP/1.1\r\nhost: test\r\n\r\n');
    await entered.opened;
    socket.destroy();
    await leave.opened;
  });

  it('refuse a huge declared body before it is sent', async () => {
    await start();
    const socket = open();
    const received = receiveAll(socket);
    socket.write(post('/echo', 10_000_000_000));
    expect(await received).toMatch(/^HTTP\/1\.1 413 [^]*"code":"payload_too_large"/);
  });

  it('refuse a huge chunked body while it is sent', async () => {
    await start();
    const socket = open();
    const received = receiveAll(socket);
    socket.write(
      'POST /echo HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    socket.write(`800\r\n${'x'.repeat(2_048)}\r\n`);
    expect(await received).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('are closed with 408 when a body comes too slowly', async () => {
    await start({ requestTimeoutMs: 150, headersTimeoutMs: 100 });
    const socket = open();
    const received = receiveAll(socket);
    socket.write(`${post('/echo', 100)}{"text":`);
    expect(await received).toMatch(/^HTTP\/1\.1 408 [^]*connection: close[^]*"code":"request_timeout"/);
  });

  it('are closed with 408 when the headers come too slowly', async () => {
    await start({ requestTimeoutMs: 60_000, headersTimeoutMs: 100 });
    const socket = open();
    const received = receiveAll(socket);
    socket.write('GET /echo HTTP/1.1\r\nhost: te');
    expect(await received).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('answer bytes that are no request, and headers that are too large', async () => {
    await start({ headerBytes: 1_024 });
    const garbage = open();
    const refusedGarbage = receiveAll(garbage);
    garbage.write('\u0001\u0002\r\n\r\n');
    expect(await refusedGarbage).toMatch(/^HTTP\/1\.1 400 [^]*application\/problem\+json[^]*"code":"invalid_request"/);
    const large = open();
    const refusedLarge = receiveAll(large);
    large.write(`GET /echo HTTP/1.1\r\nhost: test\r\nx-large: ${'x'.repeat(4_096)}\r\n\r\n`);
    expect(await refusedLarge).toMatch(/^HTTP\/1\.1 431 [^]*"code":"headers_too_large"/);
  });

  it('beyond the limit are closed at once', async () => {
    await start({ connections: 1 });
    const first = open();
    await new Promise((resolve) => first.once('connect', resolve));
    first.write('GET /gated HTTP/1.1\r\nhost: test\r\n\r\n');
    await entered.opened;
    const second = open();
    expect(await receiveAll(second)).toBe('');
    leave.open();
    first.destroy();
  });

  /** Kept connections that have had one answer. */
  async function idleOnes(count: number): Promise<Socket[]> {
    const sockets: Socket[] = [];
    for (let at = 0; at < count; at += 1) {
      const socket = open();
      socket.on('error', () => undefined);
      socket.write('GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n');
      await new Promise((resolve) => socket.once('data', resolve));
      sockets.push(socket);
    }
    return sockets;
  }

  it.each([
    ['in all', { connections: 20 }],
    ['of one address', { connections: 1_000, connectionsPerAddress: 20 }],
  ])('that idle keep no request out: the one that idles longest gives way (%s)', async (_which, limits) => {
    await start(limits);
    const sockets = await idleOnes(20);
    sockets[0]!.write('GET /gated HTTP/1.1\r\nhost: test\r\n\r\n');
    await entered.opened;
    const closed = new Promise((resolve) => sockets[1]!.once('close', resolve));
    const [late] = await idleOnes(1);
    await closed;
    expect(sockets.map(({ closed: gone }) => gone).filter(Boolean)).toHaveLength(1);
    const answered = new Promise<string>((resolve) => sockets[0]!.once('data', (bytes) => resolve(String(bytes))));
    leave.open();
    expect(await answered).toContain('200 OK');
    for (const socket of [...sockets, late!]) socket.destroy();
  });

  it('let a request under way finish, then close, also when kept alive', async () => {
    await start({ keepAliveTimeoutMs: 600_000 });
    const agent = new Agent({ keepAlive: true });
    const answer = new Promise<{ body: string; connection: string | undefined }>((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port, path: '/gated', agent }, (response) => {
        let body = '';
        response.on('data', (bytes) => (body += bytes));
        response.on('end', () => resolve({ body, connection: response.headers.connection }));
      })
        .on('error', reject)
        .end();
    });
    await entered.opened;
    let closed = false;
    const closing = server.close().then(() => (closed = true));
    await refused(port);
    expect(closed).toBe(false);
    leave.open();
    expect(await answer).toEqual({ body: '{"done":true}', connection: 'close' });
    await closing;
    agent.destroy();
  });

  it('that are idle do not hold up the end', async () => {
    await start({ keepAliveTimeoutMs: 600_000 });
    const socket = open();
    const received = receiveAll(socket);
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write('GET /healthz HTTP/1.1\r\nhost: test\r\nconnection: keep-alive\r\n\r\n');
    await answered;
    await server.close();
    expect(await received).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that were opened in advance and never used do not hold up the end', async () => {
    await start({ requestTimeoutMs: 600_000, headersTimeoutMs: 300_000 });
    const unused = open();
    const ended = receiveAll(unused);
    await new Promise((resolve) => unused.once('connect', resolve));
    // Connections are accepted in order: when a later one has its answer, the server knows this one.
    expect((await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } })).status).toBe(200);
    await server.close();
    expect(await ended).toBe('');
  });

  it('that are idle when the server drains still get their next answer, then end', async () => {
    await start({ keepAliveTimeoutMs: 600_000 });
    const socket = open();
    const received = receiveAll(socket);
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write('GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n');
    await answered;
    const drained = server.drain();
    await refused(port);
    socket.write('GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n');
    await drained;
    expect((await received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(await received).toMatch(/connection: close/i);
  });

  it('on which no request comes any more do not hold up a server that drains', async () => {
    await start({ keepAliveTimeoutMs: 600_000, drainIdleMs: 50 });
    const socket = open();
    const received = receiveAll(socket);
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write('GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n');
    await answered;
    await server.drain();
    expect((await received).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1);
  });
});

describe('a refusal', () => {
  const page = { html: '<h1>Nothing here</h1>', headers: { 'content-security-policy': "default-src 'self'" } };

  it('is a page for a browser and a document for every other client', async () => {
    const server = testServer([], {
      problemPage: (document, path) =>
        path === '/people' ? { ...page, html: `${page.html}${document.status}` } : undefined,
    });
    const asked = await server.inject({
      method: 'GET',
      url: '/people?x=1',
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    });
    expect([asked.status, asked.headers['content-type'], asked.text]).toEqual([
      404,
      'text/html; charset=utf-8',
      '<h1>Nothing here</h1>404',
    ]);
    expect(asked.headers['content-security-policy']).toBe("default-src 'self'");
    for (const [url, accept] of [
      ['/people', '*/*'],
      ['/people', 'application/json, text/html'],
      ['/machines', 'text/html'],
    ] as const) {
      const answer = await server.inject({ method: 'GET', url, headers: { accept } });
      expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
    }
    await server.close();
  });
});
