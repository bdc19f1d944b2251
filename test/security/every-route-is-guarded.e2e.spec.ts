/**
 * The security matrix of routes (verification §2), asked of the running services: every registered address × every kind
 * of caller × own and foreign workspace, with forged and stale tokens, foreign origins and requests beyond the limits.
 */
import { mintToken, type Caller } from '@platform/http-server';
import { readSecrets } from '../../infra/local/secrets';
import { portOffsets, tokenAudience, tokenIssuer } from '../../infra/local/settings';
import { startPlatform, type TestPlatform } from '../support/platform';
import { routePolicies, type ExpectedPolicy } from './route-policies';

const portBase = 13_400;
const addresses = {
  operator: portOffsets.operator,
  'billing-webhook': portOffsets.billingWebhook,
  provisioning: portOffsets.provisioning,
  'lifecycle-delivery': portOffsets.lifecycleDelivery,
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
const user: Caller = { subject: 'matrix', email: 'matrix@example.com', role: 'user', workspaces: {}, permissions: [] };
const callers = {
  nobody: null,
  'the platform owner': { ...user, role: 'platform_owner' },
  'a user without a workspace': user,
  'the owner': { ...user, workspaces: { [own]: 'owner' } },
  'a member': { ...user, workspaces: { [own]: 'member' } },
  'the owner of another workspace': { ...user, workspaces: { globex: 'owner' } },
} satisfies Record<string, Caller | null>;
type Who = keyof typeof callers;

/** 0: let through, whatever the route then says about the request. */
const expected: Readonly<Record<ExpectedPolicy, Readonly<Record<Who, number>>>> = {
  public: { nobody: 0, 'the platform owner': 0, 'a user without a workspace': 0, 'the owner': 0, 'a member': 0, 'the owner of another workspace': 0 },
  signed_in: { nobody: 401, 'the platform owner': 0, 'a user without a workspace': 0, 'the owner': 0, 'a member': 0, 'the owner of another workspace': 0 },
  platform_owner: { nobody: 401, 'the platform owner': 0, 'a user without a workspace': 403, 'the owner': 403, 'a member': 403, 'the owner of another workspace': 403 },
  workspace_owner: { nobody: 401, 'the platform owner': 403, 'a user without a workspace': 404, 'the owner': 0, 'a member': 403, 'the owner of another workspace': 404 },
  workspace_owner_or_platform_owner: { nobody: 401, 'the platform owner': 0, 'a user without a workspace': 404, 'the owner': 0, 'a member': 403, 'the owner of another workspace': 404 },
};

let platform: TestPlatform;
let secret: string;
const registered = {} as Record<Service, Registered[]>;

async function registeredBy(service: Service): Promise<Registered[]> {
  const answer = await fetch(`${urlOf(service)}/openapi.json`);
  if (answer.status === 404) return [];
  const { paths, 'x-undocumented': others } = (await answer.json()) as Document;
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, facts]) => ({ method: method.toUpperCase(), path: path.replace(/\{(\w+)\}/g, ':$1'), policy: facts['x-policy'] })),
  );
  return [...documented, ...others.map(({ method, path, 'x-policy': policy }) => ({ method, path, policy }))];
}

const mint = (caller: Caller, over: Partial<{ secret: string; issuer: string; audience: string; lifetimeSeconds: number }> = {}): Promise<string> =>
  mintToken({ secret, issuer: tokenIssuer, audience: tokenAudience, lifetimeSeconds: 600, caller, ...over });

const fill = (path: string, tenantId: string): string => path.replace(/:(\w+)/g, (_all, name: string) => (name === 'tenantId' ? tenantId : 'sample-1234')).replace('*', 'sample');

/** The answer's head and text; a stream of events is left at its head. */
async function ask(service: Service, method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const answer = await fetch(`${urlOf(service)}${path}`, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) });
  const streams = answer.headers.get('content-type')?.startsWith('text/event-stream');
  if (streams) await answer.body?.cancel();
  return { status: answer.status, headers: answer.headers, text: streams ? '' : await answer.text() };
}

beforeAll(async () => {
  platform = await startPlatform({ portBase });
  secret = readSecrets(platform.localDir).jwtSecret;
  for (const service of services) registered[service] = await registeredBy(service);
}, 120_000);
afterAll(() => platform?.stop(), 60_000);

describe.each(services)('%s', (service) => {
  const table = routePolicies[service] ?? {};

  it('registers exactly the routes of the table, with their policies', () => {
    expect(Object.fromEntries(registered[service].map(({ method, path, policy }) => [`${method} ${path}`, policy]))).toEqual(table);
  });

  it('lets every kind of caller in or turns it away as the table says', async () => {
    const tokens = new Map<Who, string | null>();
    for (const who of Object.keys(callers) as Who[]) tokens.set(who, callers[who] ? await mint(callers[who]) : null);
    const wrong: string[] = [];
    for (const [route, policy] of Object.entries(table)) {
      const [method = '', path = ''] = route.split(' ');
      for (const [who, token] of tokens) {
        const { status } = await ask(service, method, fill(path, own), token === null ? {} : { authorization: `Bearer ${token}` });
        const wanted = expected[policy][who];
        const right = wanted === 0 ? status !== 401 && status !== 403 && status < 500 : status === wanted;
        if (!right) wrong.push(`${route} by ${who}: ${status} instead of ${wanted || 'being let through'}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it('tells a stranger of a workspace that exists what it tells of one that does not', async () => {
    const authorization = `Bearer ${await mint(callers['the owner of another workspace'])}`;
    const withoutIds = (text: string): string => text.replace(/"requestId":"[^"]+"/, '').replace(/"instance":"[^"]+"/, '');
    for (const [route, policy] of Object.entries(table)) {
      const [method = '', path = ''] = route.split(' ');
      if (!policy.startsWith('workspace_owner') || !path.includes(':tenantId')) continue;
      const [there, absent] = [await ask(service, method, fill(path, own), { authorization }), await ask(service, method, fill(path, nowhere), { authorization })];
      expect([route, there.status, withoutIds(there.text)]).toEqual([route, absent.status, withoutIds(absent.text)]);
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
      const [method = '', path = ''] = route.split(' ');
      for (const token of bad) expect([route, (await ask(service, method, fill(path, own), { authorization: `Bearer ${token}` })).status]).toEqual([route, 401]);
    }
  }, 60_000);

  it('sends its protective headers with every answer and nothing to other origins', async () => {
    const origin = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const asked: [string, string][] = [['GET', '/healthz'], ['GET', '/no-such-address'], ...Object.keys(table).map((route) => route.split(' ') as [string, string])];
    for (const [method, path] of asked) {
      for (const verb of [method, 'OPTIONS']) {
        const { headers } = await ask(service, verb, fill(path, own), origin);
        expect([path, headers.get('x-content-type-options'), headers.get('access-control-allow-origin'), headers.get('x-powered-by'), headers.get('server')]).toEqual([path, 'nosniff', null, null, null]);
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
      const { status, text } = await ask(service, method, fill(path, own), { authorization, 'content-type': 'application/json' }, tooMuch).catch(() => ({ status: 413, text: '' }));
      expect([route, [403, 404, 413].includes(status), text.includes('xxxx')]).toEqual([route, true, false]);
    }
  }, 60_000);
});
