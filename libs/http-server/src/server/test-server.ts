/** A server with one route per subject for the tests of this library, and tokens for its callers. */
import { z } from 'zod';
import { silentLog, type Clock } from '@platform/kernel';
import { createAuthenticator } from '../auth/authenticator';
import type { Caller } from '../auth/claims';
import { mintToken } from '../auth/mint-token';
import { newSigningKey, publicKeySet } from '../auth/signing-key';
import { defineCodes } from '../codes';
import { isConsumerPolicy, type Policy } from '../policy';
import { problem } from '../problem';
import { defineRoute, reply, type Route } from '../route';
import { createHttpServer } from './create-http-server';
import type { HttpServer, HttpServerOptions } from './options';

const signingKey = newSigningKey();
const issuer = 'https://issuer.test';
const audience = 'workspace-platform';

const testCodes = defineCodes({
  already_suspended: {
    status: 409,
    title: 'Already suspended',
    message: 'The workspace is suspended already.',
    nextStep: 'If it should be open, reactivate it.',
  },
});

/** The authenticator of the test servers, for sessions of their tokens. */
export const testAuthenticator = createAuthenticator({
  keys: { kind: 'keys', keySet: publicKeySet(signingKey) },
  issuer,
  audience,
});

/** A token of a caller; by default a user without workspaces. */
export async function tokenOf(caller: Partial<Caller> = {}, clock?: Clock): Promise<string> {
  const whole: Caller = {
    subject: 'u-1',
    email: 'u@example.com',
    role: 'user',
    workspaces: {},
    permissions: [],
    ...caller,
  };
  return mintToken({ signingKey, issuer, audience, caller: whole, lifetimeSeconds: 60, ...(clock && { clock }) });
}

export async function authorization(caller: Partial<Caller> = {}, clock?: Clock): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await tokenOf(caller, clock)}` };
}

export const creditRoute = defineRoute({
  method: 'POST',
  path: '/api/workspaces/:tenantId/credit',
  policy: 'platform_owner',
  summary: 'Credits a workspace',
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(10) }),
  headers: z.object({
    prefer: z
      .string()
      .regex(/^wait=\d+$/)
      .optional(),
  }),
  body: z.strictObject({
    amountCents: z.int().min(1),
    reason: z.string().trim().min(1).max(500),
    lines: z.array(z.strictObject({ text: z.string() })).optional(),
  }),
  responses: {
    200: z.strictObject({
      tenantId: z.string(),
      amountCents: z.int(),
      reason: z.string(),
      limit: z.int(),
      at: z.date(),
    }),
    202: z.strictObject({ tenantId: z.string() }),
  },
  errors: ['already_suspended'],
  examples: { body: { small: { amountCents: 100, reason: 'Goodwill' } } },
  handle: async ({ params, query, body, headers, caller }) => {
    if (params.tenantId === 'suspended') {
      return problem('already_suspended', {
        operationId: 'op-12345',
        extras: { since: 'yesterday', code: 'spoofed' },
        retryAfterSeconds: 1.2,
      });
    }
    if (headers.prefer !== undefined) return reply(202, { tenantId: params.tenantId }, { location: '/elsewhere' });
    if (caller.subject === 'lies') return reply(200, { tenantId: params.tenantId } as never);
    const { amountCents, reason } = body;
    return reply(200, { tenantId: params.tenantId, amountCents, reason, limit: query.limit, at: new Date(0) });
  },
});

/** One route per policy that answers with the caller's subject. */
export function policyRoute(policy: Policy): Route {
  const route = {
    method: 'GET',
    summary: `Policy ${policy}`,
    responses: { 200: z.strictObject({ subject: z.string().nullable() }) },
    errors: [],
    handle: async ({ caller }: { caller: unknown }) =>
      reply(200, { subject: (caller as Caller | undefined)?.subject ?? null }),
  } as const;
  return isConsumerPolicy(policy)
    ? defineRoute({ ...route, policy, path: `/api/${policy}/:consumer` as const })
    : defineRoute({ ...route, policy, path: `/api/${policy}/:tenantId` as const });
}

/** A server with these routes; the caller closes it. */
export function testServer(routes: readonly Route[], more: Partial<HttpServerOptions> = {}): HttpServer {
  return createHttpServer({
    name: 'test',
    version: '1.2.3',
    routes,
    codes: testCodes,
    auth: testAuthenticator,
    readiness: {},
    log: silentLog,
    ...more,
  });
}
