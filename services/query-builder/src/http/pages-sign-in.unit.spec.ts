/**
 * Signing in to the pages and the studio at an identity provider, through HTTP: what it gives access to, and who is
 * refused.
 */
import {
  createAuthenticator,
  createHttpServer,
  createIdentityProvider,
  defineRoute,
  reply,
  type HttpServer,
  type InjectedAnswer,
} from '@platform/http-server';
import { startFakeIdentityProvider, type FakeIdentityProvider } from '@platform/http-server/testing';
import { silentLog } from '@platform/kernel';
import { z } from 'zod';
import { formCookie, sessionTokenCharacters } from '../host/chart-page/session';
import { problemPageOf } from './pages-charts';
import { pageSignInAt, pageSignInRoutes, type PageSignIn } from './pages-sign-in';

const origin = 'https://pages.example';
const session = '__Host-pages_session';
const fromOwnPage = { 'sec-fetch-site': 'same-origin' };

let fake: FakeIdentityProvider;
let server: HttpServer;
let cookies: Map<string, string>;

beforeEach(async () => {
  fake = await startFakeIdentityProvider();
  cookies = new Map();
  server = serverOf(configured());
});
afterEach(async () => {
  await server.close();
  await fake.close();
});

const authOf = () =>
  createAuthenticator({
    keys: { kind: 'jwks', url: `${fake.issuer}/keys` },
    issuer: fake.issuer,
    audience: 'workspace-pages',
  });

function configured(): PageSignIn {
  const { issuer, clientId, clientSecret } = fake;
  const provider = createIdentityProvider({
    issuer,
    clientId,
    clientSecret,
    redirectUrl: `${origin}/dms/pages-signed-in`,
    leftPath: '/dms/pages',
    scopes: 'openid email',
    insecure: true,
  });
  return pageSignInAt(authOf(), provider, origin);
}

function serverOf(signIn: PageSignIn): HttpServer {
  const route = (method: 'GET' | 'POST') =>
    defineRoute({
      method,
      path: `/api/builder/${method}`,
      policy: 'platform_owner',
      summary: 'An operation of the builder',
      responses: { 200: z.string() },
      errors: [],
      handle: async ({ caller }) => reply(200, caller.email),
    });
  return createHttpServer({
    name: 'query-builder',
    version: 'test',
    log: silentLog,
    readiness: {},
    auth: signIn.auth,
    sessions: signIn.organisation && [signIn.organisation.sessions],
    problemPage: problemPageOf(signIn),
    routes: [...pageSignInRoutes(signIn), route('GET'), route('POST')],
  });
}

/** Acts as a browser: keeps cookies and requests pages. */
async function ask(method: string, url: string, more: Record<string, string> = {}, body?: string) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }), ...more };
  const answer = await server.inject({ method, url, headers, ...(body !== undefined && { body }) });
  const set = answer.headers['set-cookie'];
  if (typeof set === 'string') {
    const [name = '', value = ''] = set.split(';', 1)[0]!.split(/=(.*)/s);
    if (set.includes('Max-Age=0')) cookies.delete(name);
    else cookies.set(name, value);
  }
  return answer;
}

async function leaveFor(login: string, to = '/dms/pages/shop/orders'): Promise<string> {
  const sent = await ask('GET', `/dms/pages-sign-in?to=${encodeURIComponent(to)}`);
  const back = await fake.comeIn(String(sent.headers['location']), login);
  return back.pathname + back.search;
}

const signIn = async (login: string, to?: string): Promise<InjectedAnswer> => ask('GET', await leaveFor(login, to));

const form = (fields: Record<string, string>, headers: Record<string, string>) =>
  ask(
    'POST',
    '/dms/pages-session',
    { 'content-type': 'application/x-www-form-urlencoded', host: 'pages.example', ...headers },
    new URLSearchParams(fields).toString(),
  );

describe('signing in to the pages at an identity provider', () => {
  it('leads back to the page, with the provider’s token in a cookie that no script reads', async () => {
    const answer = await signIn('mara@owners');
    expect([answer.status, answer.headers['location']]).toEqual([303, '/dms/pages/shop/orders']);
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-pages_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await ask('GET', '/dms/pages-session')).json()).toEqual({
      signInUrl: '/dms/pages-sign-in',
      leaveUrl: expect.stringContaining(`${fake.issuer}/leave`),
      person: { who: 'mara@example.com', role: 'platform_owner', workspaces: ['acme'] },
    });
  });

  it('is offered by the page that refuses a stranger', async () => {
    const refused = await ask('GET', '/dms/pages-signed-in?state=x&code=y');
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('href="/dms/pages-sign-in?to=%2Fdms%2Fpages"');
  });

  it('leads to the studio, whose builder the session opens', async () => {
    expect((await signIn('mara@owners', '/dms/studio')).headers['location']).toBe('/dms/studio');
    expect((await ask('GET', '/api/builder/GET')).text).toBe('mara@example.com');
    expect((await ask('POST', '/api/builder/POST', fromOwnPage)).status).toBe(200);
  });

  it('changes something from its own pages alone', async () => {
    await signIn('mara@owners');
    const elsewhere: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      {},
    ];
    for (const headers of elsewhere) expect((await ask('POST', '/api/builder/POST', headers)).status).toBe(403);
  });

  it('gives a person the rights of the token and no other', async () => {
    await signIn('tom@readers');
    expect((await ask('GET', '/api/builder/GET')).status).toBe(403);
  });

  it.each(['https://evil.example', '//evil.example', '/dms/pages//evil.example', '/console'])(
    'never leads to %s',
    async (to) => {
      expect((await signIn('mara@owners', to)).headers['location']).toBe('/dms/pages');
    },
  );

  it('ends by signing out on the pages themselves', async () => {
    await signIn('mara@owners');
    expect((await form({ action: 'sign_out' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(cookies.has(session)).toBe(true);
    expect((await form({ action: 'sign_out', to: '/dms/studio' }, fromOwnPage)).headers['location']).toBe(
      '/dms/studio',
    );
    expect(cookies.has(session)).toBe(false);
  });
});

describe('a browser is not signed in', () => {
  const past = Math.floor(Date.now() / 1_000) - 600;
  it.each([
    ['for another service', { aud: 'workspace-platform' }],
    ['without a role', { role: undefined }],
    ['without an id', { jti: undefined }],
    ['that has expired', { iat: past, exp: past + 60 }],
    ['of another issuer', { iss: 'https://another-issuer.example' }],
  ])('by an access token %s', async (_which, accessClaims) => {
    const back = await leaveFor('mara@owners');
    fake.forge({ accessClaims });
    const refused = await ask('GET', back);
    expect([refused.status, cookies.has(session)]).toEqual([401, false]);
    expect(refused.text).toContain('its access token does not open the pages');
  });

  it('by a token that a browser would not keep, and says so', async () => {
    const back = await leaveFor('mara@owners');
    fake.forge({
      accessClaims: { permissions: Array.from({ length: 300 }, (_each, at) => `a.long.permission.${at}`) },
    });
    const refused = await ask('GET', back);
    expect(refused.text).toContain(`more than ${sessionTokenCharacters} characters`);
    expect(cookies.has(session)).toBe(false);
  });

  it('by the answer to a sign-in that another browser began, or by one that was used', async () => {
    const back = await leaveFor('mara@owners');
    const own = new Map(cookies);
    cookies.clear();
    expect((await ask('GET', back)).status).toBe(401);
    own.forEach((value, name) => cookies.set(name, value));
    expect((await ask('GET', back)).status).toBe(303);
    cookies.delete(session);
    expect((await ask('GET', back)).status).toBe(401);
    expect(cookies.has(session)).toBe(false);
  });

  it('where nothing is configured: people show a token', async () => {
    await server.close();
    server = serverOf({ auth: authOf(), cookie: formCookie });
    expect((await ask('GET', '/dms/pages-sign-in')).status).toBe(404);
    expect((await ask('GET', '/dms/pages-session')).json()).toEqual({ signInUrl: null, leaveUrl: null, person: null });
  });

  it('while the provider cannot be asked', async () => {
    fake.goAway();
    expect((await ask('GET', '/dms/pages-sign-in')).status).toBe(503);
  });
});
