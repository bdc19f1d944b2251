import { z } from 'zod';
import { problem } from './problem';
import { defineRoute, reply } from './route';

const view = z.strictObject({
  status: z.enum(['open', 'closed']),
  list: z.array(z.string()),
  at: z.date().optional(),
  part: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('a'), n: z.int() }),
    z.strictObject({ kind: z.literal('b') }),
  ]),
});
const facts = {
  method: 'GET',
  summary: 'S',
  errors: [],
  responses: { 200: view, 202: z.strictObject({ n: z.int() }) },
} as const;
const frozen: readonly string[] = ['x'];

/** The compiler decides this test: code that must not compile is marked, and an unused mark is an error. */
const declarations = [
  defineRoute({
    ...facts,
    path: '/w/:tenantId/o/:operationId',
    policy: 'workspace_owner',
    query: z.strictObject({ limit: z.coerce.number() }),
    handle: async ({ params, query, caller, body }) => {
      const text: string = params.tenantId + params.operationId + caller.subject + query.limit.toFixed();
      const none: undefined = body;
      if (text === '' && none === undefined) return problem('not_found');
      return text === 'x'
        ? reply(202, { n: 1 })
        : reply(200, { status: 'open', list: frozen, part: { kind: 'a', n: 1 } });
    },
  }),
  defineRoute({
    ...facts,
    path: '/bytes',
    method: 'POST',
    policy: 'public',
    rawBody: true,
    handle: async ({ body, caller }) => {
      const absent: undefined = caller;
      return reply(202, { n: body.byteLength + Number(absent) });
    },
  }),
  // @ts-expect-error a workspace policy needs the workspace in the path
  defineRoute({ ...facts, path: '/w', policy: 'workspace_owner', handle: async () => problem('not_found') }),
  // @ts-expect-error a route without a policy does not compile
  defineRoute({ ...facts, path: '/w', handle: async () => problem('not_found') }),
  // @ts-expect-error a status that is not declared
  defineRoute({ ...facts, path: '/w', policy: 'public', handle: async () => reply(201, { n: 1 }) }),
  defineRoute({
    ...facts,
    path: '/w',
    policy: 'public',
    // @ts-expect-error a body that its schema does not allow
    handle: async () => reply(200, { status: 'ajar', list: [], part: { kind: 'b' } }),
  }),
  // @ts-expect-error a parameter that the path does not name
  defineRoute({ ...facts, path: '/w/:id', policy: 'public', handle: async ({ params }) => problem(params.other) }),
];

describe('a declaration', () => {
  it('is judged by the compiler and costs nothing at run time', () => {
    expect(declarations).toHaveLength(7);
  });
});

describe('a reply', () => {
  it('is a value with status, body and headers', () => {
    expect(reply(202, { n: 1 }, { location: '/there' })).toEqual({
      kind: 'reply',
      status: 202,
      body: { n: 1 },
      headers: { location: '/there' },
    });
  });
});
