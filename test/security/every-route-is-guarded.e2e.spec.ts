/**
 * The security matrix of routes (verification §2), asked of the running services: every registered address × every kind
 * of caller × own and foreign workspace, with forged and stale tokens, foreign origins and requests beyond the limits.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken, type Caller } from '@platform/http-server';
import { readSecrets } from '../../infra/local/secrets';
import { findRoot, portOffsets, tokenAudience, tokenIssuer } from '../../infra/local/settings';
import { startPlatform, type TestPlatform } from '../support/platform';
import { registeredAs, routePolicies, type ExpectedPolicy } from './route-policies';

const portBase = 13_400;
const addresses = {
  operator: portOffsets.operator,
  'billing-webhook': portOffsets.billingWebhook,
  provisioning: portOffsets.provisioning,
  'lifecycle-delivery': portOffsets.lifecycleDelivery,
  'query-builder': portOffsets.queryBuilder,
} as const;
type Service = keyof typeof addresses;
const services = Object.keys(addresses) as Service[];
const urlOf = (service: Service): string => `http://127.0.0.1:${portBase + addresses[service]}`;

interface Registered {
  readonly method: string;
  readonly path: string;
  readonly policy: string;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-policy': string }>>>>;
  readonly 'x-undocumented': readonly { readonly method: string; readonly path: string; readonly 'x-policy': string }[];
}

/** A workspace of the seed, and one that does not exist. */
const own = 'acme';
const nowhere = 'no-such-workspace';
const pagePermissions = ['shop.orders.read', 'shop.customers.read', 'shop.products.read'];
const user: Caller = { subject: 'matrix', email: 'matrix@example.com', role: 'user', workspaces: {}, permissions: [] };
const callers = {
  nobody: null,
  'the platform owner': { ...user, role: 'platform_owner' },
  'a user without a workspace': user,
  'the owner': { ...user, workspaces: { [own]: 'owner' } },
  'a member': { ...user, workspaces: { [own]: 'member' } },
  'the owner of another workspace': { ...user, workspaces: { globex: 'owner' } },
  'a reader of the pages': { ...user, workspaces: { [own]: 'member' }, permissions: pagePermissions },
  'a reader in another workspace': { ...user, workspaces: { globex: 'member' }, permissions: pagePermissions },
} satisfies Record<string, Caller | null>;
type Who = keyof typeof callers;

const whos = Object.keys(callers) as Who[];

/** What every kind of caller gets, in the order of `whos`. 0: let through, whatever the route then says about the request. */
const answers: Readonly<Record<ExpectedPolicy, readonly number[]>> = {
  //                                 nobody, platform owner, no workspace, owner, member, owner elsewhere, reader, reader elsewhere
  public: [0, 0, 0, 0, 0, 0, 0, 0],
  signed_in: [401, 0, 0, 0, 0, 0, 0, 0],
  platform_owner: [401, 0, 403, 403, 403, 403, 403, 403],
  workspace_owner: [401, 403, 404, 0, 403, 404, 403, 404],
  workspace_owner_or_platform_owner: [401, 0, 404, 0, 403, 404, 403, 404],
  page: [401, 403, 403, 403, 403, 403, 0, 404],
  chart_page: [401, 403, 403, 403, 403, 403, 0, 0],
  any_page: [401, 0, 0, 0, 0, 0, 0, 0],
  // Without a form that holds a token, whoever calls.
  sign_in: [401, 401, 401, 401, 401, 401, 401, 401],
};

let platform: TestPlatform;
let secret: string;
let pages: string;
const registered = {} as Record<Service, Registered[]>;
/** Addresses of files carry a digest of their content. */
const tableKey = ({ method, path }: Pick<Registered, 'method' | 'path'>): string =>
  `${method} ${path.replace(/\/[0-9a-f]{12}\//, '/:digest/')}`;

async function registeredBy(service: Service): Promise<Registered[]> {
  const answer = await fetch(`${urlOf(service)}/openapi.json`);
  if (answer.status === 404) return [];
  const { paths, 'x-undocumented': others } = (await answer.json()) as Document;
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, facts]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{(\w+)\}/g, ':$1'),
      policy: facts['x-policy'],
    })),
  );
  return [...documented, ...others.map(({ method, path, 'x-policy': policy }) => ({ method, path, policy }))];
}

const mint = (
  caller: Caller,
  over: Partial<{ secret: string; issuer: string; audience: string; lifetimeSeconds: number }> = {},
): Promise<string> =>
  mintToken({ secret, issuer: tokenIssuer, audience: tokenAudience, lifetimeSeconds: 600, caller, ...over });

const samples: Readonly<Record<string, string>> = { status: 'paid' };
/** What the sample's queries take, by the end of their address; nothing else is admitted there. */
const pageValues: Readonly<Record<string, string>> = {
  'monthly-revenue': '?from=2026-01-01&to=2026-02-01&compareFrom=2025-01-01&compareTo=2025-02-01',
  'daily-orders': '?from=2026-01-01',
};
const fill = (path: string, tenantId: string): string =>
  path
    .replace(/:(\w+)/g, (_all, name: string) => (name === 'tenantId' ? tenantId : (samples[name] ?? 'sample-1234')))
    .replace('*', 'sample') + (pageValues[path.slice(path.lastIndexOf('/') + 1)] ?? '');
/** A route of the table as it is registered, ready to be asked. */
function addressOf(service: Service, route: string): { method: string; path: string } {
  return (
    registered[service].find((each) => tableKey(each) === route) ?? {
      method: route.split(' ')[0] ?? '',
      path: route.split(' ')[1] ?? '',
    }
  );
}

/** The answer's head and text; a stream of events is left at its head. */
async function ask(
  service: Service,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
) {
  const answer = await fetch(`${urlOf(service)}${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  });
  const streams = answer.headers.get('content-type')?.startsWith('text/event-stream');
  if (streams) await answer.body?.cancel();
  return { status: answer.status, headers: answer.headers, text: streams ? '' : await answer.text() };
}

beforeAll(async () => {
  // A copy: the builder may write into what it serves.
  pages = mkdtempSync(join(tmpdir(), 'matrix-pages-'));
  cpSync(join(findRoot(__dirname), 'services/query-builder/sample-project'), pages, { recursive: true });
  process.env['PAGE_PROJECT_DIR'] = pages;
  platform = await startPlatform({ portBase });
  delete process.env['PAGE_PROJECT_DIR'];
  secret = readSecrets(platform.localDir).jwtSecret;
  for (const service of services) registered[service] = await registeredBy(service);
}, 120_000);
afterAll(async () => {
  await platform?.stop();
  rmSync(pages, { recursive: true, force: true });
}, 60_000);

describe.each(services)('%s', (service) => {
  const table = routePolicies[service] ?? {};

  it('registers exactly the routes of the table, with their policies', () => {
    expect(Object.fromEntries(registered[service].map((each) => [tableKey(each), each.policy]))).toEqual(
      Object.fromEntries(Object.entries(table).map(([route, policy]) => [route, registeredAs[policy]])),
    );
  });

  it('lets every kind of caller in or turns it away as the table says', async () => {
    const tokens = new Map<Who, string | null>();
    for (const who of whos) tokens.set(who, callers[who] ? await mint(callers[who]) : null);
    const wrong: string[] = [];
    for (const [route, policy] of Object.entries(table)) {
      const { method, path } = addressOf(service, route);
      for (const [who, token] of tokens) {
        const { status } = await ask(service, method, fill(path, own), {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(policy === 'page' && { 'workspace-id': own }),
        });
        const wanted = answers[policy][whos.indexOf(who)];
        const right = wanted === 0 ? status !== 401 && status !== 403 && status < 500 : status === wanted;
        if (!right) wrong.push(`${route} by ${who}: ${status} instead of ${wanted || 'being let through'}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it('tells a stranger of a workspace that exists what it tells of one that does not', async () => {
    const [owner, reader] = [
      `Bearer ${await mint(callers['the owner of another workspace'])}`,
      `Bearer ${await mint(callers['a reader in another workspace'])}`,
    ];
    const withoutIds = (text: string): string =>
      text.replace(/"requestId":"[^"]+"/, '').replace(/"instance":"[^"]+"/, '');
    for (const [route, policy] of Object.entries(table)) {
      const { method, path } = addressOf(service, route);
      if (policy !== 'page' && !(policy.startsWith('workspace_owner') && path.includes(':tenantId'))) continue;
      const asking = (tenantId: string) =>
        ask(
          service,
          method,
          fill(path, tenantId),
          policy === 'page' ? { authorization: reader, 'workspace-id': tenantId } : { authorization: owner },
        );
      const [there, absent] = [await asking(own), await asking(nowhere)];
      expect([route, there.status, withoutIds(there.text)]).toEqual([route, 404, withoutIds(absent.text)]);
    }
  });

  it('refuses tokens that are forged, stale or meant for others, on every protected route', async () => {
    const owner = callers['the platform owner'];
    const good = await mint(owner);
    const [, payload = ''] = good.split('.');
    const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`;
    const bad = [
      unsigned,
      `${good.slice(0, -4)}AAAA`,
      await mint(owner, { secret: 'another secret of at least 32 bytes, not ours' }),
      await mint(owner, { issuer: 'somebody-else' }),
      await mint(owner, { audience: 'another-platform' }),
    ];
    for (const [route, policy] of Object.entries(table)) {
      if (policy === 'public') continue;
      const { method, path } = addressOf(service, route);
      for (const token of bad)
        expect([
          route,
          (await ask(service, method, fill(path, own), { authorization: `Bearer ${token}` })).status,
        ]).toEqual([route, 401]);
    }
  }, 60_000);

  it('sends its protective headers with every answer and nothing to other origins', async () => {
    const origin = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const asked: [string, string][] = [
      ['GET', '/healthz'],
      ['GET', '/no-such-address'],
      ...Object.keys(table)
        .map((route) => addressOf(service, route))
        .map(({ method, path }): [string, string] => [method, path]),
    ];
    for (const [method, path] of asked) {
      for (const verb of [method, 'OPTIONS']) {
        const { headers } = await ask(service, verb, fill(path, own), origin);
        expect([
          path,
          headers.get('x-content-type-options'),
          headers.get('access-control-allow-origin'),
          headers.get('x-powered-by'),
          headers.get('server'),
        ]).toEqual([path, 'nosniff', null, null, null]);
        expect(headers.get('content-security-policy')).toMatch(/default-src '(none|self)'/);
        expect(headers.get('content-security-policy')).not.toMatch(/unsafe-eval|\*/);
      }
    }
  }, 60_000);

  it('bounds headers, addresses and bodies', async () => {
    expect((await ask(service, 'GET', '/healthz', { 'x-long': 'x'.repeat(20_000) })).status).toBe(431);
    expect((await ask(service, 'GET', `/${'x'.repeat(10_000)}`)).status).toBeGreaterThanOrEqual(400);
    const authorization = `Bearer ${await mint({ ...callers['the platform owner'], workspaces: { [own]: 'owner' } })}`;
    for (const route of Object.keys(table).filter((each) => /^(POST|PUT|PATCH) /.test(each))) {
      const [method = '', path = ''] = route.split(' ');
      // A body whose declared length is too much may find the connection closed before it is sent: that is a refusal too.
      const tooMuch = JSON.stringify({ filler: 'x'.repeat(9_000_000) });
      const { status, text } = await ask(
        service,
        method,
        fill(path, own),
        { authorization, 'content-type': 'application/json' },
        tooMuch,
      ).catch(() => ({ status: 413, text: '' }));
      expect([route, [403, 404, 413].includes(status), text.includes('xxxx')]).toEqual([route, true, false]);
    }
  }, 60_000);
});

describe('the session of a browser', () => {
  const form = (fields: Record<string, string>) =>
    ask(
      'query-builder',
      'POST',
      '/dms/pages-session',
      { 'content-type': 'application/x-www-form-urlencoded' },
      new URLSearchParams(fields).toString(),
    );
  const orders = '/dms/pages/shop/orders';

  it('begins with a good token alone, in a cookie that no script reads and no other address gets', async () => {
    const reader = await mint(callers['a reader of the pages']);
    const { status, headers } = await form({ token: reader, to: orders });
    expect([status, headers.get('location')]).toEqual([303, orders]);
    expect(headers.get('set-cookie')).toBe(`page_session=${reader}; Path=/dms/pages; HttpOnly; SameSite=Lax`);
    for (const token of [
      await mint(callers['a reader of the pages'], { secret: 'another secret of at least 32 bytes, not ours' }),
      `${reader}\r\nset-cookie: a=b`,
      '',
    ]) {
      const refused = await form({ token, to: orders });
      expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    }
  });

  it('leads back to pages and to nowhere else', async () => {
    const token = await mint(callers['a reader of the pages']);
    for (const to of [
      'https://evil.example',
      '//evil.example',
      '/dms/pages//evil.example',
      '/dms/pages/../console',
      'javascript:alert(1)',
    ])
      expect((await form({ token, to })).headers.get('location')).toBe('/dms/pages');
  });

  it('opens the chart pages that the token opens, never queries, builder or other services', async () => {
    const cookie = `page_session=${await mint({ ...callers['the platform owner'], permissions: ['shop.orders.read'] })}`;
    const asking = async (path: string): Promise<number> =>
      (await ask('query-builder', 'GET', path, { cookie })).status;
    expect([await asking(orders), await asking('/dms/pages/shop/customers')]).toEqual([200, 403]);
    expect([await asking(`${orders}/stats/open-orders`), await asking('/api/builder/ListPages')]).toEqual([401, 401]);
    expect((await ask('operator', 'GET', '/api/saas/operations', { cookie })).status).toBe(401);
  });

  it('shows nothing of a foreign workspace on a chart page', async () => {
    const authorization = `Bearer ${await mint(callers['a reader in another workspace'])}`;
    const shown = async (workspace: string): Promise<string> =>
      (await ask('query-builder', 'GET', `${orders}?workspace=${workspace}`, { authorization })).text.replaceAll(
        workspace,
        'W',
      );
    expect(await shown(own)).toBe(await shown(nowhere));
  });
});
