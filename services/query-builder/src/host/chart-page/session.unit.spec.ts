import { cameByTls, formCookie, isFromElsewhere, sessionTokenCharacters, siteSession } from './session';

describe('signing in and out', () => {
  it.each([
    ['a form of this site', { host: 'a.example', origin: 'https://a.example', 'sec-fetch-site': 'same-origin' }, false],
    [
      'a form of another site',
      { host: 'a.example', origin: 'https://b.example', 'sec-fetch-site': 'cross-site' },
      true,
    ],
    ['a form of a sibling', { host: 'a.example', origin: 'https://b.example', 'sec-fetch-site': 'same-site' }, true],
    ['an older browser on this site', { host: 'a.example:8443', origin: 'https://a.example:8443' }, false],
    ['an older browser on another site', { host: 'a.example', origin: 'https://a.example.evil' }, true],
    ['a sandboxed frame', { host: 'a.example', origin: 'null' }, true],
    ['a program', { host: 'a.example' }, false],
  ])('by %s', (_who, headers, elsewhere) => {
    expect(isFromElsewhere(headers)).toBe(elsewhere);
  });

  it.each([
    [{ 'x-forwarded-proto': 'https' }, true],
    [{ 'x-forwarded-proto': 'HTTPS, http' }, true],
    [{ 'x-forwarded-proto': 'http' }, false],
    [{ forwarded: 'for=192.0.2.1;proto=https;by=203.0.113.4' }, true],
    [{ forwarded: 'for="[2001:db8::1]";proto="https"' }, true],
    [{ forwarded: 'for=192.0.2.1;proto=http' }, false],
    [{}, false],
  ])('knows from %j whether the browser came by TLS', (headers, tls) => {
    expect(cameByTls(headers)).toBe(tls);
  });

  it.each([formCookie, siteSession('https://pages.example')])('makes no cookie that a browser would drop', (cookie) => {
    expect(cookie.set('x'.repeat(sessionTokenCharacters), true).length).toBeLessThan(4_096);
  });
});
