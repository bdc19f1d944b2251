import { z } from 'zod';
import { checkRoutes } from './check-routes';
import { baseCodes } from './codes';
import { reply, type Route } from './route';

const good: Route = {
  method: 'POST',
  path: '/api/workspaces/:tenantId/things',
  policy: 'workspace_owner',
  summary: 'Good',
  body: z.strictObject({
    a: z.int(),
    extras: z.record(z.string(), z.unknown()).optional(),
    counts: z.strictObject({}).catchall(z.int()),
  }),
  responses: { 200: z.strictObject({}) },
  errors: ['not_found'],
  handle: async () => reply(200, {}),
};
const loose = z.object({ a: z.int() });

describe('the check of routes', () => {
  it('passes what is right', () => {
    expect(() => checkRoutes([good, { ...good, method: 'PUT' }], baseCodes, true)).not.toThrow();
  });

  it.each<[string, Partial<Route>, string]>([
    ['a body that lets unknown fields in', { body: loose }, 'lets unknown fields in at /'],
    ['a body that says it lets them in', { body: z.looseObject({ a: z.int() }) }, 'lets unknown fields in at /'],
    [
      'a nested object that does',
      { body: z.strictObject({ deep: z.strictObject({ inner: loose }) }) },
      'at /deep/inner',
    ],
    ['one inside a list', { body: z.strictObject({ list: z.array(loose) }) }, 'at /list'],
    ['one inside a union', { body: z.strictObject({ one: z.union([z.string(), loose]) }) }, 'at /one'],
    ['one that is optional', { body: z.strictObject({ one: loose.optional() }) }, 'at /one'],
    ['a query that lets unknown fields in', { query: loose }, 'its query'],
    ['a code that is not in the table', { errors: ['no_such_code'] }, 'no_such_code'],
    ['a workspace policy without a workspace', { path: '/api/things' }, 'needs :tenantId'],
    ['no policy', { policy: undefined as never }, 'names no policy'],
    [
      'parameters that the path does not name',
      { params: z.strictObject({ tenantId: z.string(), other: z.string() }) },
      'params has',
    ],
    ['a path that needs escaping', { path: '/api/:tenantId/a b' }, 'escaping'],
    ['a GET with a body', { method: 'GET' }, 'GET takes no body'],
    ['a raw body with a schema', { rawBody: true }, 'raw body'],
    ['a header in upper case', { headers: z.object({ Prefer: z.string() }) }, 'lower case'],
    ['no answer', { responses: {} }, 'declares no answer'],
    ['a refusal among the answers', { responses: { 404: z.string() } }, 'status 404'],
    ['a body example that its schema refuses', { examples: { body: { bad: { a: 'x' } } } }, 'example "bad"'],
    [
      'an answer example that its schema refuses',
      { examples: { responses: { 200: { bad: { a: 1 } } } } },
      'example "bad"',
    ],
  ])('refuses %s', (_name, change, message) => {
    expect(() => checkRoutes([{ ...good, ...change }], baseCodes, true)).toThrow(message);
  });

  it('refuses a route that is declared twice, and a protected one without an authenticator', () => {
    expect(() => checkRoutes([good, good], baseCodes, true)).toThrow('declared twice');
    expect(() => checkRoutes([good], baseCodes, false)).toThrow('no authenticator');
  });
});
