/** The guards in the servers for which they are made: node's own and fastify. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import type { AccessDecision } from './guard';
import { fastifyGuard, plainGuard, type FastifyReply } from './middleware';

const decisions: Readonly<Record<string, AccessDecision>> = {
  acme: { state: 'open' },
  globex: { state: 'closed', reason: 'suspended' },
};
const decide = async (tenantId: string): Promise<AccessDecision> => decisions[tenantId] ?? { state: 'unknown' };

interface Served {
  get(path: string): Promise<{ readonly status: number; readonly type: string; readonly body: string }>;
  close(): Promise<unknown>;
}

function served(port: number, close: () => Promise<unknown>): Served {
  return {
    close,
    async get(path) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: answer.status, type: answer.headers.get('content-type') ?? '', body: await answer.text() };
    },
  };
}

const tenantOf = ({ url = '' }: { readonly url?: string | undefined }): string | undefined => {
  if (url === '/broken') throw new Error('no token');
  return url === '/health' ? undefined : url.slice(1);
};

async function plain(): Promise<Served> {
  const guard = plainGuard<IncomingMessage>({ tenantOf }, decide);
  const server = createServer((request, response) => {
    void guard(request, response, (error) => response.writeHead(error ? 500 : 200).end(error ? 'failed' : 'data'));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return served((server.address() as AddressInfo).port, () => new Promise((closed) => server.close(closed)));
}

interface Fastify {
  addHook(name: 'preHandler', hook: (request: { readonly url: string }, reply: FastifyReply) => unknown): void;
  get(path: string, handler: () => Promise<string>): void;
  listen(options: { readonly port: number; readonly host: string }): Promise<string>;
  close(): Promise<unknown>;
}

async function fastify(): Promise<Served> {
  const create = createRequire(__filename)('fastify') as () => Fastify;
  const server = create();
  server.addHook('preHandler', fastifyGuard({ tenantOf }, decide));
  server.get('/:anything', async () => 'data');
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  return served(Number(new URL(url).port), () => server.close());
}

describe.each([
  ['node', plain],
  ['fastify', fastify],
])('the guard in %s', (_name, serve) => {
  let server: Served;
  beforeAll(async () => {
    server = await serve();
  });
  afterAll(() => server.close());

  it('lets through what is open, and what is about no workspace', async () => {
    expect(await server.get('/acme')).toMatchObject({ status: 200, body: 'data' });
    expect(await server.get('/health')).toMatchObject({ status: 200, body: 'data' });
  });

  it('refuses a closed workspace and says why', async () => {
    const { status, type, body } = await server.get('/globex');
    expect([status, type]).toEqual([403, expect.stringContaining('application/problem+json')]);
    expect(JSON.parse(body)).toMatchObject({ code: 'workspace_closed', access: 'suspended', status: 403 });
  });

  it('refuses in other words when no answer comes', async () => {
    const { status, body } = await server.get('/hooli');
    expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([503, 'access_unknown']);
  });

  it('answers nothing when the workspace of a request cannot be determined', async () => {
    expect(await server.get('/broken')).toMatchObject({ status: 500 });
  });
});
