import { z } from 'zod';
import { baseCodes, defineCodes, mergeCodes } from '../codes';
import { defineRoute, reply, type Route } from '../route';
import { buildOpenApi } from './build-openapi';
import type { JsonSchema } from './json-schema';

const money = z.strictObject({ cents: z.int().min(1) }).meta({ id: 'Money' });
const operation = z
  .strictObject({ operationId: z.string(), amount: money, at: z.date(), optional: z.string().optional() })
  .meta({ id: 'Operation', description: 'The operation.' });

const credit = defineRoute({
  method: 'POST',
  path: '/api/saas/workspaces/:tenantId/credit',
  policy: 'platform_owner',
  summary: 'Credits',
  description: 'Once per operation id.',
  tags: ['operations'],
  query: z.strictObject({ limit: z.coerce.number().int().min(1).default(10).describe('Page size') }),
  headers: z.object({ prefer: z.string().optional() }),
  body: z.strictObject({ amount: money, note: z.string().optional() }),
  responses: { 200: operation, 202: operation },
  errors: ['already_done', 'not_found'],
  examples: { body: { small: { amount: { cents: 1 } } } },
  handle: async () => reply(200, { operationId: 'o', amount: { cents: 1 }, at: new Date(0) }),
});
const page = defineRoute({
  method: 'GET',
  path: '/pages/:pageId',
  policy: 'public',
  summary: 'A page',
  produces: 'text/html; charset=utf-8',
  responses: { 200: z.string() },
  errors: [],
  handle: async () => reply(200, '<p>'),
});
const hidden: Route = { ...page, path: '/console/*', undocumented: true };
const removal = defineRoute({
  method: 'DELETE',
  path: '/things',
  policy: 'signed_in',
  summary: 'Removes',
  responses: { 204: z.undefined() },
  errors: [],
  handle: async () => reply(204, undefined),
});
const webhook = defineRoute({
  method: 'POST',
  path: '/webhook',
  policy: 'public',
  summary: 'Takes bytes',
  rawBody: true,
  responses: { 200: z.strictObject({}) },
  errors: [],
  handle: async () => reply(200, {}),
});

const codes = mergeCodes(
  baseCodes,
  defineCodes({ already_done: { status: 409, title: 'Done', message: 'Done already.', nextStep: 'Rest.' } }),
);
const routes = [removal, webhook, page, hidden, credit];
const build = (given: readonly Route[] = routes, limited = false) =>
  buildOpenApi({ facts: { title: 'Test', name: 'test', version: '1.0.0' }, routes: given, codes, limited });

/** Every `$ref` of a document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => (key === '$ref' ? [String(child)] : references(child)));
}

describe('the OpenAPI document', () => {
  const document = build();
  const creditOperation = document.paths['/api/saas/workspaces/{tenantId}/credit']!['post']!;

  it('has the documented routes only, sorted', () => {
    expect(Object.keys(document.paths)).toEqual([
      '/api/saas/workspaces/{tenantId}/credit',
      '/pages/{pageId}',
      '/things',
      '/webhook',
    ]);
  });

  it('writes a schema with an id once and refers to it', () => {
    expect(Object.keys(document.components.schemas)).toEqual(['Money', 'Operation', 'Problem']);
    expect(document.components.schemas['Operation']).toMatchObject({
      properties: { amount: { $ref: '#/components/schemas/Money' }, at: { type: 'string', format: 'date-time' } },
      required: ['operationId', 'amount', 'at'],
    });
    const found = references(document);
    expect(found.length).toBeGreaterThan(5);
    for (const reference of found) {
      const [, , place, name] = reference.split('/');
      expect(document.components[place as 'schemas']).toHaveProperty([name!]);
    }
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('describes parameters, body, answers and policy of a route', () => {
    expect(creditOperation).toMatchObject({
      operationId: 'postSaasWorkspacesTenantIdCredit',
      security: [{ bearer: [] }],
      'x-policy': 'platform_owner',
      tags: ['operations'],
      parameters: [
        { name: 'tenantId', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'limit', in: 'query', required: false, description: 'Page size', schema: { default: 10 } },
        { name: 'prefer', in: 'header', required: false, schema: { type: 'string' } },
      ],
      requestBody: { content: { 'application/json': { examples: { small: { value: { amount: { cents: 1 } } } } } } },
      responses: { 202: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Operation' } } } } },
    });
  });

  it('lists every refusal of a route under its status with the document that is sent', () => {
    const responses = creditOperation['responses'] as Record<
      string,
      { content: Record<string, { examples: Record<string, { value: JsonSchema }> }> }
    >;
    const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    const codesOf = Object.fromEntries(
      refusals.map(([status, { content }]) => [status, Object.keys(content['application/problem+json']!.examples)]),
    );
    expect(codesOf).toEqual({
      400: ['invalid_request'],
      401: ['unauthenticated'],
      403: ['forbidden'],
      404: ['not_found'],
      408: ['request_timeout'],
      409: ['already_done'],
      413: ['payload_too_large'],
      415: ['unsupported_media_type'],
      500: ['internal_error'],
      503: ['identity_unavailable', 'overloaded'],
    });
    expect(responses['409']!.content['application/problem+json']!.examples['already_done']!.value).toMatchObject({
      code: 'already_done',
      status: 409,
    });
  });

  it('tells public routes, pages, bytes and empty answers apart', () => {
    expect(document.paths['/pages/{pageId}']!['get']).toMatchObject({
      security: [],
      responses: { 200: { content: { 'text/html; charset=utf-8': { schema: { type: 'string' } } } } },
    });
    expect(document.paths['/webhook']!['post']!['requestBody']).toEqual({
      required: true,
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    });
    expect((document.paths['/things']!['delete']!['responses'] as JsonSchema)['204']).toEqual({
      description: 'Success.',
      headers: { 'Request-Id': { $ref: '#/components/headers/RequestId' } },
    });
  });

  it('has 429 when the server limits', () => {
    expect(JSON.stringify(document)).not.toContain('rate_limited');
    expect(JSON.stringify(build(routes, true))).toContain('rate_limited');
  });

  it('refuses two schemas with one id', () => {
    const other: Route = {
      ...removal,
      path: '/other',
      responses: { 200: z.strictObject({ x: z.strictObject({}).meta({ id: 'Money2' }) }) },
    };
    const clash: Route = {
      ...removal,
      path: '/clash',
      responses: { 200: z.strictObject({ y: z.int().meta({ id: 'Money2' }) }) },
    };
    expect(() => build([other, clash])).toThrow('Money2');
  });
});
