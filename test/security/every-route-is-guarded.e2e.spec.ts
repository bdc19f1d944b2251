/**
 * The security matrix of routes (verification §2) on the running services: every registered address × every kind of
 * caller × own and foreign workspace, with forged and stale tokens, foreign origins and requests beyond the limits.
 */
import { hostname } from 'node:os';
import { newSigningKey } from '@platform/http-server';
import {
  answers,
  callers,
  fill,
  noConsumer,
  nowhere,
  openRouteMatrix,
  own,
  ownConsumer,
  services,
  tableKey,
  whos,
  type Registered,
  type RouteMatrix,
  type Service,
  type Who,
} from './route-matrix';
import { pageAddresses, registeredAs, routePolicies } from './route-policies';

const registered = {} as Record<Service, Registered[]>;
let mint: RouteMatrix['mint'];
let ask: RouteMatrix['ask'];

/** The address of a route of the table, ready to be requested. */
function addressOf(service: Service, route: string): { method: string; path: string } {
  return (
    registered[service].find((each) => tableKey(each) === route) ?? {
      method: route.split(' ')[0] ?? '',
      path: route.split(' ')[1] ?? '',
    }
  );
}

beforeAll(async () => {
  const matrix = await openRouteMatrix();
  ({ mint, ask } = matrix);
  for (const service of services) registered[service] = await matrix.registeredBy(service);
});

/**
 * What an answer reveals of the program. The files of the studio, console and pages contain versions and names of
 * libraries in their code; in these files only paths and names of this machine count.
 */
function inside(said: string, isFile: boolean): string[] {
  const names: readonly RegExp[] = [
    /(?<![\w.])\/(?:app|home|opt|root|tmp|usr|var|work)\/[\w./-]+/,
    /node_modules|sourceMappingURL=|\bat [\w.<>]+ \(/,
    new RegExp(`\\b${hostname().replace(/\W/g, '\\$&')}\\b`),
    ...(isFile ? [] : [/[\w-]+\.(?:ts|js|cjs|mjs):\d+/, /\bv?\d+\.\d+\.\d+\b/, /\b(?:mongodb|nats):\/\//]),
  ];
  return names.flatMap((name) => name.exec(said)?.[0] ?? []);
}

it('sees a file, a host and a version in an answer', () => {
  for (const said of ['in /tmp/pages/x.ts', `by ${hostname()}`, 'x.ts:12', 'server: fastify/5.2.1', 'mongodb://x'])
    expect([said, inside(said, false).length > 0]).toEqual([said, true]);
  expect(inside('{"requestId":"0b1c","status":404}', false)).toEqual([]);
});

describe.each(services)('%s', (service) => {
  const routes = routePolicies[service] ?? {};
  const table = { ...routes, ...pageAddresses[service] };

  it('registers exactly the routes of the table, with their policies', () => {
    expect(Object.fromEntries(registered[service].map((each) => [tableKey(each), each.policy]))).toEqual(
      Object.fromEntries(Object.entries(routes).map(([route, policy]) => [route, registeredAs[policy]])),
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
  });

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

  it('tells a team of the consumer of another team what it tells of one that never registered', async () => {
    const authorization = `Bearer ${await mint(callers['the team of another consumer'])}`;
    const withoutIds = (text: string): string =>
      text.replace(/"requestId":"[^"]+"/, '').replace(/"instance":"[^"]+"/, '');
    for (const [route, policy] of Object.entries(table)) {
      if (!policy.startsWith('consumer_team')) continue;
      const { method, path } = addressOf(service, route);
      const asking = (consumer: string) =>
        ask(service, method, fill(path.replace(':consumer', consumer), own), { authorization });
      const [there, absent] = [await asking(ownConsumer), await asking(noConsumer)];
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
      await mint(owner, { signingKey: newSigningKey() }),
      await mint(owner, { issuer: 'another' }),
      await mint(owner, { audience: 'another-platform' }),
    ];
    for (const [route, policy] of Object.entries(table)) {
      if (policy === 'public' || policy === 'page_address') continue;
      const { method, path } = addressOf(service, route);
      for (const token of bad)
        expect([
          route,
          (await ask(service, method, fill(path, own), { authorization: `Bearer ${token}` })).status,
        ]).toEqual([route, 401]);
    }
  });

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
  });

  it('names no file, no host and no version to a caller without a token', async () => {
    const asked: [method: string, path: string, body?: string][] = [
      // Locally the probes, which report the version, share this port; in production they are on the inner port.
      ...['/no-such-address', '/%00', '/../package.json'].map((path): [string, string] => ['GET', path]),
      ['POST', '/healthz', '{'],
      ...Object.keys(table).flatMap((route): [string, string, string?][] => {
        const { method, path } = addressOf(service, route);
        return method === 'GET'
          ? [[method, fill(path, own)]]
          : [
              [method, fill(path, own), '{"__proto__":1'],
              [method, fill(path, own), '{}'],
            ];
      }),
    ];
    const told: string[] = [];
    for (const [method, path, body] of asked) {
      const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const { headers, text } = await ask(service, method, path, json, body);
      const said = `${[...headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n${text}`;
      for (const found of inside(said, /\.(js|css|svg)$/.test(path))) told.push(`${method} ${path}: ${found}`);
    }
    expect(told).toEqual([]);
  });

  it('bounds headers, addresses and bodies', async () => {
    expect((await ask(service, 'GET', '/healthz', { 'x-long': 'x'.repeat(20_000) })).status).toBe(431);
    expect((await ask(service, 'GET', `/${'x'.repeat(10_000)}`)).status).toBeGreaterThanOrEqual(400);
    const authorization = `Bearer ${await mint({ ...callers['the platform owner'], workspaces: { [own]: 'owner' } })}`;
    const tooMuch = JSON.stringify({ filler: 'x'.repeat(9_000_000) });
    for (const route of Object.keys(table).filter((each) => /^(POST|PUT|PATCH) /.test(each))) {
      const [method = '', path = ''] = route.split(' ');
      // When the declared length of a body is too large, the connection may close before the body is sent: that counts
      // as a refusal too.
      const { status, text } = await ask(
        service,
        method,
        fill(path, own),
        { authorization, 'content-type': 'application/json' },
        tooMuch,
      ).catch(() => ({ status: 413, text: '' }));
      expect([route, [403, 404, 413].includes(status), text.includes('xxxx')]).toEqual([route, true, false]);
    }
  });
});
