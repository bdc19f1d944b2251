/**
 * Signing in to the console, through HTTP: who is admitted or refused, what each case changes, and how a session ends.
 */
import { callerOfSession, endSession, removeEndedSessions } from './workflows/console-sessions';
import { consoleSessionsCollection } from './store/console-sessions';
import { openBrowser, openSignInWorld, origin, type Browser, type SignInWorld } from './testing/sign-in-world';

const minuteMs = 60_000;
const fromOwnPage = { 'sec-fetch-site': 'same-origin' };
let world: SignInWorld;
let browser: Browser;

beforeEach(async () => {
  world = await openSignInWorld();
  browser = openBrowser(world);
});
afterEach(() => world.close());

const kept = (): number => world.store.collection(consoleSessionsCollection).all().length;

describe('signing in', () => {
  it('ends in the console, with a session in a cookie that no script reads and no other site sends', async () => {
    const answer = await browser.signIn('mara@money');
    expect([answer.status, answer.headers['location']]).toEqual([303, '/console']);
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-console_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800; Secure$/,
    );
    expect((await browser.get('/api/read')).json()).toEqual({ who: 'finance mara@example.com' });
    expect((await browser.get('/console/session')).json()).toEqual({
      signInUrl: '/console/sign-in',
      person: { who: 'mara@example.com', role: 'finance' },
    });
  });

  it('asks with PKCE, a state and a nonce, which a cookie keeps for ten minutes', async () => {
    const sent = await browser.get('/console/sign-in');
    const asked = new URL(String(sent.headers['location'])).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    const [state, nonce, verifier] = browser.cookies.get('__Host-console_sign_in')!.split('.');
    expect([asked.get('state'), asked.get('nonce')]).toEqual([state, nonce]);
    expect(asked.toString()).not.toContain(verifier);
    expect(sent.headers['set-cookie']).toMatch(/HttpOnly; SameSite=Lax; Max-Age=600; Secure$/);
  });

  it('keeps nothing in the store with which a reader could come in', async () => {
    await browser.signIn('mara@money');
    const value = browser.cookies.get('__Host-console_session')!;
    expect(JSON.stringify(world.store.collection(consoleSessionsCollection).all())).not.toContain(value);
  });
});

describe('a consumer team', () => {
  it('signs in with the group that stands for it, and is no one else of the platform', async () => {
    await browser.signIn('sue@storage-team');
    expect((await browser.get('/console/session')).json()).toEqual({
      signInUrl: '/console/sign-in',
      person: { who: 'sue@example.com', role: 'user', consumers: ['storage'] },
    });
    const read = (consumer: string) => browser.get(`/api/consumers/${consumer}`);
    expect((await read('storage')).json()).toEqual({ who: 'user sue@example.com' });
    expect((await browser.get('/api/read')).status).toBe(403);
    expect((await browser.post('/api/change', fromOwnPage)).status).toBe(403);
    const [other, none] = [await read('mail'), await read('no-such-consumer')];
    expect([other.status, none.status]).toEqual([404, 404]);
    // A use that is noted keeps whose team it is.
    world.clock.advance(2 * minuteMs);
    expect((await read('storage')).status).toBe(200);
    expect((await read('storage')).status).toBe(200);
  });

  it('may have several consumers; a person with a role of the platform is of no team', async () => {
    await browser.signIn('tom@all-teams');
    const who = async () => (await browser.get('/console/session')).json<{ person: object }>().person;
    expect(await who()).toEqual({ who: 'tom@example.com', role: 'user', consumers: ['mail', 'storage'] });
    await browser.signIn('ada@admins');
    expect(await who()).toEqual({ who: 'ada@example.com', role: 'platform_owner' });
  });
});

describe('who is refused', () => {
  const refusals: [string, string, number, (browser: Browser) => Promise<string>][] = [
    [
      'whose answer has another state',
      'sign_in_stale',
      400,
      async (each) => (await each.leaveFor('m@money')).replace(/state=[^&]+/, 'state=x'),
    ],
    [
      'who began in another browser',
      'sign_in_stale',
      400,
      async (each) => {
        const back = await each.leaveFor('m@money');
        each.cookies.clear();
        return back;
      },
    ],
    [
      'whose answer has another nonce',
      'sign_in_refused',
      403,
      (each) => (world.fake.forge({ claims: { nonce: 'another' } }), each.leaveFor('m@money')),
    ],
    [
      'whose answer is for another application',
      'sign_in_refused',
      403,
      (each) => (world.fake.forge({ claims: { aud: 'another' } }), each.leaveFor('m@money')),
    ],
    [
      'whose answer has expired',
      'sign_in_refused',
      403,
      (each) => (world.fake.forge({ claims: { exp: 1_000_000_000 } }), each.leaveFor('m@money')),
    ],
    [
      'whose answer another issuer has signed',
      'sign_in_refused',
      403,
      (each) => (world.fake.forge({ strangeKey: true }), each.leaveFor('m@money')),
    ],
    [
      'whose address the provider has not verified',
      'sign_in_refused',
      403,
      (each) => (world.fake.forge({ claims: { email_verified: false } }), each.leaveFor('m@money')),
    ],
    ['whom the provider refuses', 'sign_in_refused', 403, (each) => each.leaveFor('')],
    ['who has no role here', 'sign_in_no_role', 403, (each) => each.leaveFor('mara@visitors')],
    [
      'while the provider is unreachable',
      'identity_unavailable',
      503,
      async (each) => {
        const back = await each.leaveFor('m@money');
        world.fake.goAway();
        return back;
      },
    ],
  ];

  it.each(refusals)('%s gets a page in words, and nothing is changed', async (_who, code, status, play) => {
    const back = await play(browser);
    const page = await browser.get(back);
    expect([page.status, page.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.text).toContain('This sign-in did not succeed, and nothing was changed');
    expect(page.headers['content-security-policy']).not.toContain('unsafe-inline');
    expect([kept(), browser.cookies.has('__Host-console_session')]).toEqual([0, false]);
    expect((await browser.get('/api/read')).status).toBe(401);
    const again = await openBrowser(world).get(back, { accept: 'application/json' });
    expect([code, 'sign_in_stale']).toContain(again.json()['code']);
  });

  it('is a browser that shows the same answer twice: it comes in once', async () => {
    const back = await browser.leaveFor('mara@money');
    const attempt = browser.cookies.get('__Host-console_sign_in')!;
    await browser.get(back);
    const thief = openBrowser(world);
    thief.cookies.set('__Host-console_sign_in', attempt);
    expect((await thief.get(back)).status).toBe(403);
    expect(kept()).toBe(1);
  });

  it('is every person where no identity provider is configured', async () => {
    const bare = await openSignInWorld({ configured: false });
    const visitor = openBrowser(bare);
    expect((await visitor.get('/console/sign-in')).status).toBe(404);
    expect((await visitor.get('/console/session')).json()).toEqual({ signInUrl: null, person: null });
    await bare.close();
  });
});

describe('a session', () => {
  beforeEach(() => browser.signIn('mara@money'));

  it('changes something from its own pages alone', async () => {
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as Record<
      string,
      string
    >[])
      expect((await browser.post('/api/change', headers)).status).toBe(403);
    expect(world.changes()).toBe(0);
    expect((await browser.post('/api/change', fromOwnPage)).status).toBe(200);
    expect((await browser.post('/api/change', { origin })).status).toBe(200);
    expect(world.changes()).toBe(2);
  });

  it('has the role of its person and no other', async () => {
    const owner = openBrowser(world);
    await owner.signIn('ada@admins');
    expect((await owner.get('/api/read')).json()).toEqual({ who: 'platform_owner ada@example.com' });
    expect((await browser.get('/api/read')).json()).toEqual({ who: 'finance mara@example.com' });
  });

  it('gives way to a token, also to a bad one', async () => {
    expect((await browser.get('/api/read', { authorization: 'Bearer nonsense' })).status).toBe(401);
  });

  it('ends when the person leaves, for each holder of the cookie', async () => {
    const value = browser.cookies.get('__Host-console_session')!;
    expect((await browser.post('/console/sign-out', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const left = await browser.post('/console/sign-out', fromOwnPage);
    expect(left.json()).toEqual({ leaveUrl: expect.stringContaining(`${world.fake.issuer}/leave?client_id=console`) });
    expect([browser.cookies.has('__Host-console_session'), kept()]).toEqual([false, 0]);
    browser.cookies.set('__Host-console_session', value);
    expect((await browser.get('/api/read')).status).toBe(401);
  });

  it('ends when it is not used, and with its age however much it is used', async () => {
    world.clock.advance(59 * minuteMs);
    expect((await browser.get('/api/read')).status).toBe(200);
    world.clock.advance(60 * minuteMs);
    expect((await browser.get('/api/read')).status).toBe(401);
    await browser.signIn('mara@money');
    for (let used = 0; used < 15; used += 1) {
      world.clock.advance(30 * minuteMs);
      expect((await browser.get('/api/read')).status).toBe(200);
    }
    world.clock.advance(30 * minuteMs);
    expect((await browser.get('/api/read')).status).toBe(401);
    expect([await removeEndedSessions(world.ports), kept()]).toEqual([2, 0]);
  });

  it('ends with the list of revoked people', async () => {
    world.revoked.add('mara@money');
    expect((await browser.get('/api/read')).status).toBe(401);
  });

  it('is neither lost nor found while the store is unreachable', async () => {
    world.store.setAvailable(false);
    expect((await browser.get('/api/read')).status).toBe(503);
    expect((await browser.post('/console/sign-out', fromOwnPage)).status).toBe(503);
    world.store.setAvailable(true);
    expect((await browser.get('/api/read')).status).toBe(200);
  });

  it.each(['before', 'after'] as const)(
    'is not begun when the store does not say so, lost %s the write',
    async (when) => {
      const other = openBrowser(world);
      const back = await other.leaveFor('ada@admins');
      world.store.loseNextWrite(when);
      expect((await other.get(back)).status).toBe(503);
      expect([...other.cookies.keys()]).not.toContain('__Host-console_session');
    },
  );

  it('that another replica ends meanwhile is not kept by a use here', async () => {
    world.clock.advance(2 * minuteMs);
    const value = browser.cookies.get('__Host-console_session')!;
    await Promise.all([callerOfSession(world.ports, value), endSession(world.ports, value)]);
    expect([kept(), await callerOfSession(world.ports, value)]).toEqual([0, undefined]);
  });

  it.each(['', 'x', '../../etc', 'a'.repeat(43), '__proto__'])('is not opened by the cookie “%s”', async (value) => {
    browser.cookies.set('__Host-console_session', value);
    expect((await browser.get('/api/read')).status).toBe(401);
  });
});
