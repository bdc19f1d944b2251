/** Owners sign in at the product's identity provider, through HTTP: whom the gateway finds, and what a session may do. */
import { subscriptionsCollection } from '../mirror/store/subscriptions';
import { consoleSessionsCollection } from '../sign-in/store/console-sessions';
import { openBrowser, openSignInWorld, origin, type Browser, type SignInWorld } from '../sign-in/testing/sign-in-world';

const fromOwnPage = { 'sec-fetch-site': 'same-origin' };
let world: SignInWorld;
let browser: Browser;

async function open(workspacesClaim?: string) {
  world = await openSignInWorld({ ...(workspacesClaim !== undefined && { workspacesClaim }) });
  browser = openBrowser(world);
  const subscriptions = world.store.collection(subscriptionsCollection);
  for (const [tenantId, email] of [
    ['acme', 'pat@example.com'],
    ['initech', 'pat@example.com'],
    ['globex', 'sam@example.com'],
    ['umbrella', undefined],
  ] as const)
    await subscriptions.insert({
      ...{ _id: tenantId, workspaceName: tenantId, status: 'active', planId: 'pro', provider: {} },
      ...{ isComplimentary: false, access: { state: 'open', since: world.clock.now(), operationId: null } },
      owner: { userId: `u-${tenantId}`, ...(email !== undefined && { email }) },
    });
}
afterEach(() => world.close());

const owned = async () => (await browser.get('/account/session')).json<{ person: unknown }>().person;
const cancel = (tenantId: string, headers: Record<string, string> = fromOwnPage) =>
  browser.post(`/api/workspaces/${tenantId}/cancellation`, headers);
const kept = (): number => world.store.collection(consoleSessionsCollection).all().length;

describe('an owner who is found by the verified address', () => {
  beforeEach(() => open());

  it('comes back to the pages, with a session in a cookie that no script reads and no other site sends', async () => {
    const answer = await browser.signIn('pat@anything', '/account');
    expect([answer.status, answer.headers['location']]).toEqual([303, '/account']);
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-owner_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800; Secure$/,
    );
    expect(await owned()).toEqual({ who: 'pat@example.com', role: 'user', workspaces: ['initech', 'acme'] });
  });

  it('asks with PKCE and comes back to an address of its own', async () => {
    const asked = new URL(String((await browser.get('/account/sign-in')).headers['location'])).searchParams;
    expect([asked.get('code_challenge_method'), asked.get('redirect_uri')]).toEqual([
      'S256',
      `${origin}/account/signed-in`,
    ]);
  });

  it('may act in the workspaces that are theirs, and finds no other', async () => {
    await browser.signIn('pat@anything', '/account');
    expect((await cancel('acme')).json()).toEqual({ who: 'user pat@example.com' });
    const [foreign, absent] = [await cancel('globex'), await cancel('no-such-workspace')];
    expect([foreign.status, absent.status]).toEqual([404, 404]);
    // The group that makes a person of the platform's provider its owner gives no role here.
    await browser.signIn('pat@admins', '/account');
    expect((await browser.get('/api/read')).status).toBe(403);
  });

  it('changes something from the pages of this origin alone', async () => {
    await browser.signIn('pat@anything', '/account');
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as Record<
      string,
      string
    >[])
      expect((await cancel('acme', headers)).status).toBe(403);
  });

  it.each([
    ['does not call verified', { email_verified: false }],
    ['does not say anything of', { email_verified: undefined }],
  ])('is not one whose address the provider %s', async (_what, claims) => {
    world.fake.forge({ claims });
    const page = await browser.signIn('pat@anything', '/account');
    expect([page.status, kept(), browser.cookies.has('__Host-owner_session')]).toEqual([403, 0, false]);
    expect(page.text).toContain('href="/account/sign-in"');
  });

  it('is found by an address in small letters, and by no part of one', async () => {
    world.fake.forge({ claims: { email: 'Pat@Example.com' } });
    await browser.signIn('x@y', '/account');
    expect(await owned()).toMatchObject({ workspaces: ['initech', 'acme'] });
    for (const email of ['at@example.com', 'pat@example.co', 'pat+acme@example.com']) {
      world.fake.forge({ claims: { email } });
      await browser.signIn('x@y', '/account');
      expect(await owned()).toEqual({ who: email, role: 'user' });
    }
  });

  it('leaves at the provider too, and no copy of the cookie comes in afterwards', async () => {
    await browser.signIn('pat@anything', '/account');
    const value = browser.cookies.get('__Host-owner_session')!;
    expect((await browser.post('/account/sign-out', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const left = await browser.post('/account/sign-out', fromOwnPage);
    expect(left.json()).toEqual({ leaveUrl: expect.stringContaining(encodeURIComponent(`${origin}/account`)) });
    browser.cookies.set('__Host-owner_session', value);
    expect((await cancel('acme')).status).toBe(401);
  });
});

describe('a browser with a session of the console and one of an owner', () => {
  beforeEach(() => open());

  it('is the owner where owners act and the person of the platform elsewhere, whichever came first', async () => {
    await browser.signIn('pat@anything', '/account');
    await browser.signIn('mara@money');
    expect((await cancel('acme')).json()).toEqual({ who: 'user pat@example.com' });
    expect((await browser.get('/api/read')).json()).toEqual({ who: 'finance mara@example.com' });
    await browser.post('/console/sign-out', fromOwnPage);
    expect((await browser.get('/api/read')).status).toBe(403);
    expect((await cancel('acme')).status).toBe(200);
  });

  it('is the one that is alive when the other has ended', async () => {
    await browser.signIn('pat@anything', '/account');
    browser.cookies.set('__Host-console_session', 'a'.repeat(43));
    expect((await cancel('acme')).status).toBe(200);
    browser.cookies.set('__Host-owner_session', 'a'.repeat(43));
    expect((await cancel('acme')).status).toBe(401);
  });
});

describe('an owner whose workspaces a claim names', () => {
  beforeEach(() => open('tenants'));

  it.each<[string, unknown, readonly string[] | undefined]>([
    ['parts, as tokens have them', { globex: 'owner', acme: 'member' }, ['globex']],
    ['a list', ['umbrella', 'globex'], ['umbrella', 'globex']],
    ['nothing', undefined, undefined],
    ['another form', 'globex', undefined],
    ['another part', { globex: 'admin' }, undefined],
  ])('has those of %s, and not those of the address', async (_what, tenants, wanted) => {
    world.fake.forge({ claims: { tenants, email_verified: undefined } });
    await browser.signIn('pat@anything', '/account');
    expect(await owned()).toEqual({
      who: 'pat@example.com',
      role: 'user',
      ...(wanted && { workspaces: wanted }),
    });
    expect((await cancel('acme')).status).toBe(tenants !== undefined && wanted?.includes('acme') ? 200 : 404);
  });
});
