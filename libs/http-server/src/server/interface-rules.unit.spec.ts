import { z } from 'zod';
import { buildOpenApi } from '../openapi/build-openapi';
import { baseCodes } from '../codes';
import { defineRoute, reply, type Route } from '../route';
import { namesTag } from './interface-rules';
import { testServer } from './test-server';

let value = 'first';
const taken: unknown[] = [];
const read = defineRoute({
  method: 'GET',
  path: '/api/thing',
  policy: 'public',
  summary: 'Reads',
  responses: { 200: z.strictObject({ value: z.string() }) },
  errors: [],
  handle: async () => reply(200, { value }),
});
const write = defineRoute({
  method: 'POST',
  path: '/api/thing',
  policy: 'public',
  summary: 'Writes',
  body: z.strictObject({ operationId: z.string().min(3), note: z.string().optional() }),
  idempotentBy: 'operationId',
  responses: { 200: z.strictObject({}) },
  errors: [],
  handle: async ({ body }) => (taken.push(body), reply(200, {})),
});
const old: Route = {
  ...read,
  path: '/api/old',
  deprecated: { since: '2026-03-01T00:00:00Z', goes: '2026-09-01T00:00:00Z', instead: '/api/thing' },
};
const text: Route = { ...read, path: '/text', produces: 'text/plain', responses: { 200: z.string() } };
const routes = [read, write, old, text];
const server = testServer(routes, {
  apiVersion: '1',
  rateLimit: { perAddress: 3, perCaller: 9, windowMs: 60_000 },
});
const limitless = testServer(routes, { apiVersion: '1' });
afterAll(() => Promise.all([server.close(), limitless.close()]));
const get = (url: string, headers: Record<string, string> = {}) => limitless.inject({ method: 'GET', url, headers });

describe('a conditional read', () => {
  it('answers 304 without the document while it is the same, and the document once it has changed', async () => {
    value = 'first';
    const first = await get('/api/thing');
    const tag = String(first.headers['etag']);
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
    const same = await get('/api/thing', { 'if-none-match': `"other", ${tag}` });
    expect([same.status, same.text, same.headers['etag']]).toEqual([304, '', tag]);
    value = 'second';
    const changed = await get('/api/thing', { 'if-none-match': tag });
    expect([changed.status, changed.json()]).toEqual([200, { value: 'second' }]);
    expect(changed.headers['etag']).not.toBe(tag);
  });

  it('is none of a refusal or of an answer to a write', async () => {
    const refused = await get('/api/thing?unknown=1', { 'if-none-match': '*' });
    expect([refused.status, refused.headers['etag']]).toEqual([400, undefined]);
    const written = await limitless.inject({ method: 'POST', url: '/api/thing', body: { operationId: 'op-1' } });
    expect(written.headers['etag']).toBeUndefined();
  });

  it.each([
    ['"a"', '"a"', true],
    ['W/"a"', '"a"', true],
    ['"b", W/"a"', 'W/"a"', true],
    ['*', '"a"', true],
    ['"ab"', '"a"', false],
    [undefined, '"a"', false],
  ])('%s names %s: %s', (header, tag, expected) => expect(namesTag(header, tag)).toBe(expected));
});

describe('a key of a repeat', () => {
  const post = (body: unknown, key?: string) =>
    limitless.inject({
      method: 'POST',
      url: '/api/thing',
      headers: key === undefined ? {} : { 'idempotency-key': key },
      ...(body !== undefined && { body }),
    });

  it('in the header is the id that the body would name, in quotes or without', async () => {
    taken.length = 0;
    expect((await post({ note: 'x' }, 'op-1')).status).toBe(200);
    expect((await post({}, '"op-2"')).status).toBe(200);
    expect((await post(undefined, 'op-3')).status).toBe(200);
    expect((await post({ operationId: 'op-4' }, 'op-4')).status).toBe(200);
    expect(taken).toEqual([
      { operationId: 'op-1', note: 'x' },
      { operationId: 'op-2' },
      { operationId: 'op-3' },
      { operationId: 'op-4' },
    ]);
  });

  it('that differs from the body, or does not hold, is refused and nothing is done', async () => {
    taken.length = 0;
    expect((await post({ operationId: 'op-1' }, 'op-2')).json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/header/idempotency-key' }],
    });
    expect((await post({}, 'x')).json()).toMatchObject({ errors: [{ pointer: '/operationId' }] });
    expect((await post([], 'op-1')).status).toBe(400);
    expect(taken).toEqual([]);
  });

  it('needs a member of the body', () => {
    const wrong: Route = { ...write, idempotentBy: 'migrationId' };
    expect(() => testServer([wrong])).toThrow('has no migrationId');
  });
});

describe('every answer', () => {
  it('names the version of the interface, and a request for another one is refused', async () => {
    const answer = await get('/api/thing', { 'api-version': '1' });
    expect([answer.status, answer.headers['api-version']]).toEqual([200, '1']);
    const refused = await get('/api/thing', { 'api-version': '2' });
    expect(refused.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/header/api-version' }] });
    expect(refused.headers['api-version']).toBe('1');
  });

  it('of a route that is on its way out says since when, until when, and what comes instead', async () => {
    expect((await get('/api/old')).headers).toMatchObject({
      deprecation: '@1772323200',
      sunset: 'Tue, 01 Sep 2026 00:00:00 GMT',
      link: '</api/thing>; rel="successor-version"',
    });
    expect((await get('/api/thing')).headers).not.toHaveProperty('deprecation');
  });

  it('says what is left of the budget, also when nothing is', async () => {
    const ask = () => server.inject({ method: 'GET', url: '/api/thing' });
    const left = [];
    for (let asked = 0; asked < 4; asked += 1) left.push(await ask());
    expect(left.map(({ headers }) => headers['ratelimit-policy'])).toEqual(Array(4).fill('"address";q=3;w=60'));
    expect(left.map(({ headers }) => String(headers['ratelimit']).replace(/t=\d+/, 't=n'))).toEqual(
      [2, 1, 0, 0].map((rest) => `"address";r=${rest};t=n`),
    );
    expect(left[3]?.status).toBe(429);
  });
});

it('the document says all of that of the operations that have it, and nothing of the others', () => {
  const { paths, components } = buildOpenApi({
    facts: {
      title: 'Things',
      name: 'things',
      version: '0.1.0',
      words: { value: { text: 'What it is.', example: 'red' } },
    },
    routes,
    codes: baseCodes,
    limited: true,
    apiVersion: '1',
  });
  expect(paths['/api/thing']?.['get']).toMatchObject({
    parameters: [{ $ref: '#/components/parameters/ApiVersion' }, { $ref: '#/components/parameters/IfNoneMatch' }],
    responses: {
      200: {
        headers: { ETag: {}, RateLimit: {}, 'API-Version': {} },
        content: {
          'application/json': {
            schema: { properties: { value: { description: 'What it is.' } } },
            examples: { example: { value: { value: 'red' } } },
          },
        },
      },
      304: { headers: { ETag: {} } },
      429: { headers: { 'Retry-After': {} } },
    },
  });
  expect(paths['/api/thing']?.['post']).toMatchObject({
    parameters: [{ $ref: '#/components/parameters/ApiVersion' }, { $ref: '#/components/parameters/IdempotencyKey' }],
  });
  expect(paths['/api/thing']?.['post']?.['responses']).not.toHaveProperty('304');
  expect(paths['/api/old']?.['get']).toMatchObject({
    deprecated: true,
    responses: { 200: { headers: { Sunset: {} } } },
  });
  expect(paths['/text']?.['get']?.['responses']).not.toHaveProperty('304');
  expect(Object.keys(components.headers)).toContain('Deprecation');
});
