import { once } from 'node:events';
import { connect } from 'node:net';
import { silentLog } from '@platform/kernel';
import { z } from 'zod';
import { baseCodes } from '../codes';
import { defineRoute, reply } from '../route';
import type { HttpServer } from './options';
import { authorization, creditRoute, testServer } from './test-server';

const echoBytes = defineRoute({
  method: 'POST',
  path: '/bytes',
  policy: 'public',
  summary: 'Counts bytes',
  rawBody: true,
  bodyBytes: 32,
  responses: { 200: z.strictObject({ bytes: z.int() }) },
  errors: [],
  handle: async ({ body }) => reply(200, { bytes: body.length }),
});

const broken = defineRoute({
  method: 'GET',
  path: '/broken',
  policy: 'public',
  summary: 'Throws',
  responses: { 200: z.strictObject({}) },
  errors: [],
  handle: async () => {
    throw new Error('secret-in-a-message');
  },
});

const bodyless = defineRoute({
  method: 'DELETE',
  path: '/pending',
  policy: 'public',
  summary: 'Takes no body',
  responses: { 204: z.undefined() },
  errors: [],
  handle: async () => reply(204, undefined),
});

describe('refusals over HTTP', () => {
  let server: HttpServer;
  let owner: Record<string, string>;
  const credit = (body: unknown, headers: Record<string, string> = {}, url = '/api/workspaces/acme/credit') =>
    server.inject({ method: 'POST', url, headers: { ...owner, ...headers }, body });

  beforeAll(async () => {
    server = testServer([creditRoute, echoBytes, broken, bodyless], { limits: { bodyBytes: 1_024 } });
    owner = await authorization({ role: 'platform_owner' });
  });
  afterAll(() => server.close());

  it.each(['{', '', '{"__proto__": {"role": "platform_owner"}}', '\u0000', '[1,', '"'])(
    'answers 404 or 405 to any body at an address without a route: %j',
    async (body) => {
      const broke: unknown[] = [];
      const error = (...said: unknown[]) => void broke.push(said);
      const watched = testServer([creditRoute], { log: { ...silentLog, error } });
      for (const [method, url, status] of [
        ['POST', '/nowhere', 404],
        ['PUT', '/healthz', 405],
        ['DELETE', '/api/workspaces/acme/credit', 405],
        ['PATCH', '/api', 404],
      ] as const)
        for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
          const answer = await watched.inject({ method, url, headers: { 'content-type': type }, body });
          expect([url, answer.status]).toEqual([url, status]);
        }
      expect(broke).toEqual([]);
      await watched.close();
    },
  );

  it('answers a good request with the encoded body and a request id', async () => {
    const answer = await credit(
      { amountCents: 5, reason: ' goodwill ' },
      { 'request-id': 'given-id-1' },
      '/api/workspaces/acme/credit?limit=7',
    );
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      tenantId: 'acme',
      amountCents: 5,
      reason: 'goodwill',
      limit: 7,
      at: '1970-01-01T00:00:00.000Z',
    });
    expect(answer.headers['request-id']).toBe('given-id-1');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('replaces a request id that is not harmless', async () => {
    const answer = await credit({ amountCents: 5, reason: 'x' }, { 'request-id': 'a"b c;d' });
    expect(answer.headers['request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('names every wrong field of body, query and headers in one answer', async () => {
    const answer = await credit(
      { amountCents: 0.5, lines: [{ text: 'a' }, { text: 'b', 'a/b': 1 }], extra: true },
      { prefer: 'never' },
      '/api/workspaces/acme/credit?limit=0&page=2',
    );
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    const document = answer.json<{ code: string; type: string; errors: { pointer: string }[] }>();
    expect(document.code).toBe('invalid_request');
    expect(document.type).toBe('https://errors.workspace-platform.dev/invalid_request');
    expect(document.errors.map(({ pointer }) => pointer).sort()).toEqual(
      ['/amountCents', '/extra', '/header/prefer', '/lines/1/a~1b', '/query/limit', '/query/page', '/reason'].sort(),
    );
  });

  it.each([
    ['malformed JSON', '{"amountCents":', 'The body is not acceptable JSON.'],
    ['a prototype key', '{"__proto__":{"x":1}}', 'The body is not acceptable JSON.'],
    ['an empty body', '', 'A JSON body is required.'],
    ['a name twice', '{"amountCents":1,"reason":"x","amountCents":500}', 'The body names a member more than once.'],
    ['a name twice, once escaped', '{"reason":"x","\\u0072eason":"y"}', 'The body names a member more than once.'],
    ['a name twice inside', '{"lines":[{"text":"\\":","text":""}]}', 'The body names a member more than once.'],
    ['lists without end', '['.repeat(450) + ']'.repeat(450), 'The body is nested more than 100 levels deep.'],
    [
      'objects without end',
      '{"a":'.repeat(101) + '{}' + '}'.repeat(101),
      'The body is nested more than 100 levels deep.',
    ],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'The body is not valid UTF-8.'],
  ])('refuses %s with a pointer to the whole body', async (_name, body, message) => {
    const answer = await credit(body, { 'content-type': 'application/json' });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '', message }] });
  });

  it.each([
    ['{"amountCents":9007199254740993,"reason":"x"}', '/amountCents'],
    ['{"amountCents":5,"reason":"x","lines":[{"text":"1e400"},{"a/b":[true,-1e400]}]}', '/lines/1/a~1b/1'],
    ['0.12345678901234567890', ''],
  ])('refuses a number that the parser would change, at its place: %s', async (body, pointer) => {
    const answer = await credit(body, { 'content-type': 'application/json' });
    const message = expect.stringMatching(/^must be a number that keeps its digits: .*9007199254740991/) as string;
    expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ pointer, message }] });
  });

  it('counts no colon and no quote inside of a text for a name', async () => {
    const text = '{"a":"b\\":\\\\","":[":"]}';
    const answer = await credit(JSON.stringify({ amountCents: 5, reason: text, lines: [{ text }] }), {
      'content-type': 'application/json',
    });
    expect([answer.status, answer.json<{ reason?: string }>().reason]).toEqual([200, text]);
  });

  it('refuses a body where none is taken, and takes an absent or empty one', async () => {
    expect((await server.inject({ method: 'DELETE', url: '/pending', body: { a: 1 } })).json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/a' }],
    });
    expect((await server.inject({ method: 'DELETE', url: '/pending' })).status).toBe(204);
    const empty = await server.inject({
      method: 'DELETE',
      url: '/pending',
      headers: { 'content-type': 'application/json' },
      body: '',
    });
    expect(empty.status).toBe(204);
  });

  it('refuses a query where none is taken', async () => {
    const answer = await server.inject({ method: 'DELETE', url: '/pending?force=true' });
    expect(answer.json()).toMatchObject({ status: 400, errors: [{ pointer: '/query/force' }] });
  });

  it('refuses another content type', async () => {
    const answer = await credit('amountCents=1', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(answer.json()).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  it('refuses a body above the limit, per server and per route', async () => {
    expect((await credit({ amountCents: 1, reason: 'x'.repeat(2_000) })).json()).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
    const raw = await server.inject({ method: 'POST', url: '/bytes', body: Buffer.alloc(33) });
    expect(raw.json()).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it('hands raw bytes to a route that asks for them', async () => {
    const answer = await server.inject({
      method: 'POST',
      url: '/bytes',
      headers: { 'content-type': 'application/json' },
      body: '{ "a":',
    });
    expect(answer.json()).toEqual({ bytes: 6 });
  });

  it('tells an unknown address from a method that an address does not take', async () => {
    expect((await server.inject({ method: 'GET', url: '/nowhere' })).json()).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    const wrong = await server.inject({ method: 'PUT', url: '/api/workspaces/acme/credit' });
    expect(wrong.json()).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(wrong.headers['allow']).toBe('POST');
    expect((await server.inject({ method: 'POST', url: '/healthz' })).headers['allow']).toBe('GET, HEAD');
  });

  it('answers a path that is no URL, and a parameter that is too long', async () => {
    const bad = await server.inject({ method: 'GET', url: '/broken/%E0%A4%A' });
    expect(bad.json()).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(bad.headers['request-id']).toBeDefined();
    expect((await credit({}, {}, `/api/workspaces/${'x'.repeat(201)}/credit`)).json()).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  it("sends a handler's problem with its particulars, which cannot replace the standard members", async () => {
    const answer = await credit({ amountCents: 1, reason: 'x' }, {}, '/api/workspaces/suspended/credit');
    expect(answer.json()).toEqual({
      type: 'https://errors.workspace-platform.dev/already_suspended',
      title: 'Already suspended',
      status: 409,
      code: 'already_suspended',
      detail: 'The workspace is suspended already.',
      nextStep: 'If it should be open, reactivate it.',
      operationId: 'op-12345',
      since: 'yesterday',
    });
    expect(answer.headers['retry-after']).toBe('2');
  });

  it('sends a second status with its headers', async () => {
    const answer = await credit({ amountCents: 1, reason: 'x' }, { prefer: 'wait=3' });
    expect([answer.status, answer.headers['location'], answer.json()]).toEqual([
      202,
      '/elsewhere',
      { tenantId: 'acme' },
    ]);
  });

  it('tells the request id and nothing else when a handler throws', async () => {
    const answer = await server.inject({ method: 'GET', url: '/broken', headers: { 'request-id': 'find-me-1' } });
    expect(answer.json()).toEqual({
      requestId: 'find-me-1',
      type: 'https://errors.workspace-platform.dev/internal_error',
      title: 'Internal error',
      status: 500,
      code: 'internal_error',
      detail: baseCodes.internal_error.message,
      nextStep: baseCodes.internal_error.nextStep,
    });
  });

  it.each([
    ['sends no more', 'end', 400],
    ['leaves', 'destroy', undefined],
  ] as const)(
    'takes a client that %s in the middle of its body for no fault of the server',
    async (_what, way, status) => {
      const broke: unknown[] = [];
      const error = (...said: unknown[]) => void broke.push(said);
      const watched = testServer([echoBytes], { log: { ...silentLog, error } });
      const { port, hostname } = new URL(await watched.listen({ host: '127.0.0.1', port: 0 }));
      const client = connect(Number(port), hostname);
      let said = '';
      client.on('data', (bytes) => (said += String(bytes)));
      client.write('POST /bytes HTTP/1.1\r\nhost: test\r\ncontent-length: 20\r\n\r\nabc');
      await new Promise((resolve) => setTimeout(resolve, 50));
      client[way]();
      await once(client, 'close');
      // Waits for the end of every request.
      await watched.close();
      expect(broke).toEqual([]);
      if (status) expect(said).toContain(`HTTP/1.1 ${status} `);
    },
  );

  it('answers 500 rather than send what the schema of the answer does not allow', async () => {
    const liar = await authorization({ role: 'platform_owner', subject: 'lies' });
    const answer = await server.inject({
      method: 'POST',
      url: '/api/workspaces/acme/credit',
      headers: liar,
      body: { amountCents: 1, reason: 'x' },
    });
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal_error' });
  });
});
