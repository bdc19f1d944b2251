/** A session whose cookie holds a token, as a browser meets it: alive, ended, and of a later time. */
import type { HttpServer } from '../server/options';
import { policyRoute, testAuthenticator, testServer, tokenOf } from '../server/test-server';
import { tokenSessions } from './token-sessions';

const origin = 'https://pages.test';

describe('a session whose cookie holds a token', () => {
  let server: HttpServer;
  beforeAll(() => {
    const sessions = [
      tokenSessions(testAuthenticator, 'first', origin),
      tokenSessions(testAuthenticator, 'second', origin),
    ];
    server = testServer([policyRoute('signed_in')], { sessions });
  });
  afterAll(() => server.close());

  const at = (fromNowMs: number) => ({ now: () => new Date(Date.now() + fromNowMs) });
  const ask = (cookie: string) => server.inject({ method: 'GET', url: '/api/signed_in/acme', headers: { cookie } });

  it('is that of the person of the token', async () => {
    expect((await ask(`first=${await tokenOf({ subject: 'ann' })}`)).json()).toEqual({ subject: 'ann' });
  });

  it.each([
    ['whose time has passed', () => tokenOf({}, at(-600_000))],
    ['that is none', async () => 'abc.def.ghi'],
  ])('has ended with a token %s', async (_what, token) => {
    const answer = await ask(`first=${await token()}`);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('error_description="the session has ended"'),
    ]);
  });

  it('has not ended, but not begun, with a token of a later time: a clock is wrong', async () => {
    const answer = await ask(`first=${await tokenOf({}, at(120_000))}`);
    expect(answer.json()).toMatchObject({
      status: 401,
      detail: expect.stringContaining('this clock is behind') as string,
    });
    expect(answer.headers['www-authenticate']).toContain('error_description="the session is not valid yet"');
  });

  it('of a later time does not hide another one that is alive', async () => {
    const answer = await ask(`first=${await tokenOf({}, at(120_000))}; second=${await tokenOf({ subject: 'ben' })}`);
    expect(answer.json()).toEqual({ subject: 'ben' });
  });
});
