import { once } from 'node:events';
import { connect } from 'node:net';
import { z } from 'zod';
import { admissionMatrix } from '../admission-matrix';
import type { Authenticator } from '../auth/authenticator';
import type { Caller } from '../auth/claims';
import { policies } from '../policy';
import { problem } from '../problem';
import { defineRoute, reply } from '../route';
import type { HttpServer } from './options';
import { authorization, creditRoute, policyRoute, testServer, tokenOf } from './test-server';

const callers: Readonly<Record<string, Partial<Caller>>> = {
  'platform owner': { role: 'platform_owner' },
  owner: { workspaces: { acme: 'owner' } },
  member: { workspaces: { acme: 'member' } },
  stranger: { workspaces: { other: 'owner' } },
  team: { consumers: ['acme'] },
  'another team': { consumers: ['other'] },
};

/** Statuses for: no token, platform owner, owner, member, stranger, the team of the consumer acme, another team. */
const expected: Readonly<Record<string, readonly number[]>> = {
  public: [200, 200, 200, 200, 200, 200, 200],
  signed_in: [401, 200, 200, 200, 200, 200, 200],
  staff: [401, 200, 403, 403, 403, 403, 403],
  case_worker: [401, 200, 403, 403, 403, 403, 403],
  support: [401, 200, 403, 403, 403, 403, 403],
  support_or_finance: [401, 200, 403, 403, 403, 403, 403],
  finance: [401, 200, 403, 403, 403, 403, 403],
  approver: [401, 200, 403, 403, 403, 403, 403],
  platform_owner: [401, 200, 403, 403, 403, 403, 403],
  workspace_owner: [401, 403, 200, 403, 404, 404, 404],
  workspace_owner_or_staff: [401, 200, 200, 403, 404, 404, 404],
  consumer_team_or_staff: [401, 200, 404, 404, 404, 200, 404],
  consumer_team_or_platform_owner: [401, 200, 404, 404, 404, 200, 404],
};

let guarded: string[] = [];
const guardedRoute = defineRoute({
  method: 'PUT',
  path: '/guarded/:tenantId',
  policy: 'platform_owner',
  summary: 'Has a guard',
  params: z.strictObject({ tenantId: z.string().regex(/^[a-z]+$/) }),
  body: z.strictObject({ amount: z.int() }),
  responses: { 200: z.strictObject({}) },
  errors: [],
  guard: async ({ params, caller }) => {
    guarded.push(`${caller.subject} ${params.tenantId}`);
    return params.tenantId === 'nowhere' ? problem('not_found', { detail: 'There is no such workspace.' }) : undefined;
  },
  handle: async () => reply(200, {}),
});

describe('protection by scope', () => {
  let server: HttpServer;
  beforeAll(() => {
    server = testServer([...policies.map(policyRoute), creditRoute, guardedRoute]);
  });
  beforeEach(() => {
    guarded = [];
  });
  afterAll(() => server.close());

  it.each(policies)('holds policy %s for every caller', async (policy) => {
    const statuses = [(await server.inject({ method: 'GET', url: `/api/${policy}/acme` })).status];
    for (const caller of Object.values(callers)) {
      const answer = await server.inject({
        method: 'GET',
        url: `/api/${policy}/acme`,
        headers: await authorization(caller),
      });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual(expected[policy]);
  });

  it('holds for every row of the generated matrix', async () => {
    const statuses = { unauthenticated: 401, forbidden: 403, not_found: 404 };
    const rows = admissionMatrix([...policies.map(policyRoute), creditRoute], 'acme');
    // Thirteen policies and an action; no caller, five roles of the platform, four kinds of users and two teams.
    expect(rows).toHaveLength(168);
    for (const { route, title, url, caller, admission } of rows) {
      const headers = caller ? await authorization(caller) : {};
      const { status } = await server.inject({ method: route.method, url, headers });
      if (admission === 'allowed') expect([title, [200, 400].includes(status)]).toEqual([title, true]);
      else expect([title, status]).toEqual([title, statuses[admission]]);
    }
  });

  it('judges the workspace by the decoded address', async () => {
    const owner = await authorization({ workspaces: { acme: 'owner' } });
    expect((await server.inject({ method: 'GET', url: '/api/workspace_owner/%61cme', headers: owner })).status).toBe(
      200,
    );
    expect((await server.inject({ method: 'GET', url: '/api/workspace_owner/__proto__', headers: owner })).status).toBe(
      404,
    );
  });

  it('holds for HEAD as for GET', async () => {
    expect((await server.inject({ method: 'HEAD', url: '/api/signed_in/acme' })).status).toBe(401);
  });

  it.each([
    ['no header', undefined, 'Bearer realm="test"'],
    ['another scheme', 'Basic dTpw', 'error="invalid_token"'],
    ['no token', 'Bearer ', 'error="invalid_token"'],
    ['a bad token', 'Bearer abc.def.ghi', 'error_description="the token is not valid"'],
  ])('challenges %s', async (_name, value, challenge) => {
    const headers: Record<string, string> = value === undefined ? {} : { authorization: value };
    const answer = await server.inject({ method: 'GET', url: '/api/signed_in/acme', headers });
    expect(answer.json()).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(answer.headers['www-authenticate']).toContain(challenge);
  });

  it('says of a token of a later time that a clock is wrong, and of no other one', async () => {
    const at = new Date(Date.now() + 120_000);
    const late = await authorization({ role: 'platform_owner' }, { now: () => at });
    const answer = await server.inject({ method: 'GET', url: '/api/signed_in/acme', headers: late });
    expect(answer.json()).toMatchObject({
      status: 401,
      detail: expect.stringContaining('this clock is behind') as string,
    });
    expect(answer.headers['www-authenticate']).toContain('error_description="the token is not valid yet"');
    const bad = { authorization: `${late['authorization']}x` };
    const other = await server.inject({ method: 'GET', url: '/api/signed_in/acme', headers: bad });
    expect(other.json()).toMatchObject({ status: 401, detail: 'The request carries no valid bearer token.' });
  });

  it('answers 503 while the keys of the issuer cannot be read', async () => {
    const auth: Authenticator = { verify: async () => ({ verdict: 'undecided' }) };
    const undecided = testServer([policyRoute('signed_in')], { auth });
    const answer = await undecided.inject({
      method: 'GET',
      url: '/api/signed_in/acme',
      headers: { authorization: 'Bearer a.b.c' },
    });
    expect(answer.json()).toMatchObject({ status: 503, code: 'identity_unavailable' });
    await undecided.close();
  });

  it('refuses in the documented order: 401, 403, 404 of the guard, 400', async () => {
    const malformed = { 'content-type': 'application/json' };
    const put = (url: string, headers: Record<string, string> = {}) =>
      server.inject({ method: 'PUT', url, headers: { ...malformed, ...headers }, body: '{"amount":' });
    const owner = await authorization({ role: 'platform_owner' });
    expect((await put('/guarded/nowhere')).status).toBe(401);
    expect((await put('/guarded/nowhere', await authorization())).status).toBe(403);
    expect(guarded).toEqual([]);
    expect((await put('/guarded/nowhere', owner)).json()).toMatchObject({
      status: 404,
      detail: 'There is no such workspace.',
    });
    expect((await put('/guarded/acme', owner)).status).toBe(400);
    expect(guarded).toEqual(['u-1 nowhere', 'u-1 acme']);
  });

  it('does not ask the guard about malformed parameters', async () => {
    const owner = await authorization({ role: 'platform_owner' });
    const answer = await server.inject({ method: 'PUT', url: '/guarded/ACME', headers: owner, body: { amount: 1 } });
    expect(answer.json()).toMatchObject({ status: 400, errors: [{ pointer: '/path/tenantId' }] });
    expect(guarded).toEqual([]);
  });

  it('tells no token in logs', async () => {
    const lines: string[] = [];
    const say = (fields: unknown, message: string): void => void lines.push(JSON.stringify([fields, message]));
    const logged = testServer([creditRoute], { log: { debug: say, info: say, warn: say, error: say } });
    const good = await tokenOf({ role: 'platform_owner', subject: 'lies' });
    for (const token of [good, `${good}x`]) {
      const headers = { authorization: `Bearer ${token}` };
      await logged.inject({
        method: 'POST',
        url: '/api/workspaces/acme/credit',
        headers,
        body: { amountCents: 1, reason: 'x' },
      });
    }
    await logged.close();
    expect(lines.join('')).toContain('a request broke');
    expect(lines.join('')).not.toContain(good.split('.')[1]);
  });
});

describe('the rate limit', () => {
  const limits = { rateLimit: { perAddress: 5, perCaller: 2, windowMs: 60_000 } };

  it('counts per caller after authentication', async () => {
    const server = testServer([policyRoute('signed_in')], limits);
    const ask = async (subject: string) => {
      const headers = await authorization({ subject });
      return server.inject({ method: 'GET', url: '/api/signed_in/acme', headers });
    };
    expect([(await ask('a')).status, (await ask('a')).status]).toEqual([200, 200]);
    const third = await ask('a');
    expect(third.json()).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask('b')).status).toBe(200);
    await server.close();
  });

  it('counts per address before authentication, probes excepted', async () => {
    const server = testServer([policyRoute('signed_in')], limits);
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await server.inject({ method: 'GET', url: '/api/signed_in/acme' })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await server.inject({ method: 'GET', url: '/healthz' })).status).toBe(200);
    await server.close();
  });

  it.each([
    [0, 429],
    [1, 200],
  ])('with %i proxies in front tells addresses apart by what they added only', async (proxies, last) => {
    const server = testServer([policyRoute('public')], { ...limits, proxies });
    let status = 0;
    for (let count = 0; count < 6; count += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${count}` };
      status = (await server.inject({ method: 'GET', url: '/api/public/acme', headers })).status;
    }
    expect(status).toBe(last);
    await server.close();
  });

  it('is not evaded by forged entries before those of the proxies', async () => {
    const server = testServer([policyRoute('public')], { ...limits, proxies: 1 });
    let status = 0;
    for (let count = 0; count < 6; count += 1) {
      const headers = { 'x-forwarded-for': `203.0.113.${count}, 198.51.100.1` };
      status = (await server.inject({ method: 'GET', url: '/api/public/acme', headers })).status;
    }
    expect(status).toBe(429);
    await server.close();
  });

  it('is not evaded by so many headers that the one of the proxies is beyond what the runtime keeps by itself', async () => {
    const server = testServer([policyRoute('public')], { ...limits, proxies: 1 });
    const { port, hostname } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    const client = connect(Number(port), hostname);
    const filling = Array.from({ length: 1_100 }, () => 'a:b\r\n').join('');
    let said = '';
    client.on('data', (bytes) => (said += String(bytes)));
    for (let count = 0; count < 6; count += 1) {
      client.write(
        `GET /api/public/acme HTTP/1.1\r\nhost: test\r\nconnection: ${count === 5 ? 'close' : 'keep-alive'}\r\n` +
          `x-forwarded-for: 203.0.113.${count}\r\n${filling}x-forwarded-for: 198.51.100.1\r\n\r\n`,
      );
    }
    await once(client, 'close');
    await server.close();
    const statuses = [...said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('is not evaded by the many addresses of one network', async () => {
    const server = testServer([policyRoute('public')], { ...limits, proxies: 1 });
    const ask = async (address: string) => {
      const headers = { 'x-forwarded-for': address };
      return (await server.inject({ method: 'GET', url: '/api/public/acme', headers })).status;
    };
    const statuses: number[] = [];
    for (let count = 1; count <= 6; count += 1) statuses.push(await ask(`2001:db8:0:1::${count}`));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await ask('2001:db8:0:2::1')).toBe(200);
    await server.close();
  });

  it('is off unless it is set', async () => {
    const server = testServer([policyRoute('public')]);
    for (let count = 0; count < 10; count += 1) {
      expect((await server.inject({ method: 'GET', url: '/api/public/acme' })).status).toBe(200);
    }
    await server.close();
  });
});
