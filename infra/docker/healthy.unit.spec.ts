/** The probe of every image is a shell script: what it says of a server that answers, refuses, hangs or is not there. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const probe = join(__dirname, 'healthy.sh');
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The exit code; the environment holds what the test gives. */
const exitCode = (args: readonly (string | number)[], env: Readonly<Record<string, string>> = {}): Promise<number> =>
  new Promise((resolve) => {
    const child = execFile(probe, args.map(String), { env: { PATH: process.env['PATH'], ...env } }, () =>
      resolve(child.exitCode ?? -1),
    );
  });

const answering =
  (asked: string[], status = 200): RequestListener =>
  (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`);
    response.writeHead(status).end('{}');
  };

describe('the probe of an image', () => {
  it('ends with 0 when the server answers 200 on the path that it asks', async () => {
    const asked: string[] = [];
    const port = await serve(answering(asked));
    expect(await exitCode([port, '/readyz'])).toBe(0);
    expect(asked).toEqual([`GET /readyz 127.0.0.1:${port}`]);
  });

  it('asks the inner port whether the process lives when it gets no arguments', async () => {
    const asked: string[] = [];
    const port = await serve(answering(asked));
    expect(await exitCode([], { INNER_PORT: String(port), PORT: '1' })).toBe(0);
    expect(await exitCode([], { PORT: String(port) })).toBe(0);
    expect(asked).toEqual([`GET /healthz 127.0.0.1:${port}`, `GET /healthz 127.0.0.1:${port}`]);
  });

  it.each([503, 404, 204])('ends with 1 when the server answers %i', async (status) => {
    expect(await exitCode([await serve(answering([], status)), '/readyz'])).toBe(1);
  });

  it('ends with a failure when the server closes without an answer, or is not there', async () => {
    const port = await serve((request) => void request.socket.destroy());
    expect(await exitCode([port, '/readyz'])).toBeGreaterThan(0);
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    expect(await exitCode([port, '/readyz'])).toBeGreaterThan(0);
  });

  it('ends with a failure when no answer comes', async () => {
    const port = await serve(() => undefined);
    expect(await exitCode([port, '/readyz'])).toBeGreaterThan(0);
  });

  it('ends with 0 in an image that serves nothing', async () => expect(await exitCode([])).toBe(0));

  it('is the probe of every image and of every service of compose', () => {
    const root = join(__dirname, '../..');
    expect(readFileSync(join(__dirname, 'Dockerfile'), 'utf8')).toMatch(/^HEALTHCHECK .* CMD \["healthy.sh"\]$/m);
    const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
    expect(compose.match(/test: \[CMD, healthy\.sh, '\d+', \/readyz\]/g)).toHaveLength(5);
    expect(compose).not.toMatch(/test:.*\bnode\b/);
  });
});
