/**
 * Signing in, on a certified identity provider and on the fake that the other suites use; forgeries only on the fake.
 */
import { createAuthenticator } from '../auth/authenticator';
import { startCertifiedProvider, type StartedProvider } from './certified-identity-provider.harness';
import { startFakeIdentityProvider, type FakeIdentityProvider, type Forgery } from './fake-identity-provider';
import { createIdentityProvider, type SignInVerdict } from './identity-provider';

const redirectUrl = 'http://127.0.0.1:9/console/signed-in';

const clientOf = ({ issuer, clientId, clientSecret }: StartedProvider) =>
  createIdentityProvider({
    issuer,
    clientId,
    clientSecret,
    redirectUrl,
    leftPath: '/console',
    scopes: 'openid email groups',
    insecure: true,
  });

async function begun(started: StartedProvider, login = 'mara@finance') {
  const client = clientOf(started);
  const begin = await client.begin();
  if (!begin) throw new Error('the provider is unreachable');
  const back = await started.comeIn(begin.url, login);
  return { client, attempt: begin.attempt, answer: back.searchParams };
}

const faultOf = (verdict: SignInVerdict): string => (verdict.verdict === 'refused' ? verdict.fault : verdict.verdict);

describe.each([
  ['a certified identity provider', () => startCertifiedProvider(redirectUrl)],
  ['the fake identity provider', startFakeIdentityProvider],
] as [string, () => Promise<StartedProvider>][])('signing in at %s', (_name, start) => {
  let started: StartedProvider;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started.close());

  it('says who came', async () => {
    const { client, attempt, answer } = await begun(started);
    expect(await client.finish(answer, attempt)).toMatchObject({
      verdict: 'identified',
      claims: { sub: 'mara@finance', email: 'mara@example.com', groups: ['finance'] },
    });
  });

  it('gives an access token that opens what it is for, by the verifier of tokens', async () => {
    const { client, attempt, answer } = await begun(started);
    const finished = await client.finish(answer, attempt);
    if (finished.verdict !== 'identified') throw new Error(finished.verdict);
    const described = await fetch(`${started.issuer}/.well-known/openid-configuration`);
    const { jwks_uri: url } = (await described.json()) as { jwks_uri: string };
    const { issuer } = started;
    const judgedFor = async (audience: string) =>
      createAuthenticator({ keys: { kind: 'jwks', url }, issuer, audience }).verify(finished.accessToken);
    expect(await judgedFor('workspace-pages')).toMatchObject({
      verdict: 'valid',
      caller: { subject: 'mara@finance', role: 'user', permissions: ['shop.orders.read'] },
    });
    expect(await judgedFor('workspace-platform')).toEqual({ verdict: 'invalid' });
  });

  it('takes an answer once', async () => {
    const { client, attempt, answer } = await begun(started);
    await client.finish(answer, attempt);
    expect(faultOf(await client.finish(answer, attempt))).toBe('denied');
  });

  it('refuses the answer to another attempt, by its state, its nonce and its verifier', async () => {
    const state = await begun(started);
    expect(faultOf(await state.client.finish(state.answer, { ...state.attempt, state: 'another' }))).toBe('state');
    const nonce = await begun(started);
    expect(faultOf(await nonce.client.finish(nonce.answer, { ...nonce.attempt, nonce: 'another' }))).toBe('nonce');
    const verifier = await begun(started);
    const other = { ...verifier.attempt, verifier: 'another'.repeat(7) };
    expect(faultOf(await verifier.client.finish(verifier.answer, other))).toBe('denied');
  });

  it('refuses an answer that names another issuer', async () => {
    const { client, attempt, answer } = await begun(started);
    answer.set('iss', 'https://another-issuer.example');
    expect(faultOf(await client.finish(answer, attempt))).toBe('issuer');
  });

  it('takes a no for a no', async () => {
    const { client, attempt, answer } = await begun(started, '');
    expect(faultOf(await client.finish(answer, attempt))).toBe('denied');
  });

  it('is refused with a secret that is not the client’s', async () => {
    const { attempt, answer } = await begun(started);
    const client = clientOf({ ...started, clientSecret: 'another' });
    expect(faultOf(await client.finish(answer, attempt))).toBe('denied');
  });

  it('names where a person leaves', async () => {
    expect(await clientOf(started).leaveUrl()).toContain(encodeURIComponent('http://127.0.0.1:9/console'));
  });
});

describe('an answer that no honest identity provider gives', () => {
  let fake: FakeIdentityProvider;
  beforeAll(async () => {
    fake = await startFakeIdentityProvider();
  });
  afterAll(() => fake.close());

  const past = Math.floor(Date.now() / 1_000) - 600;
  const forgeries: [string, Forgery, string][] = [
    ['for another application', { claims: { aud: 'another' } }, 'audience'],
    ['for two applications, of which the other asked', { claims: { aud: ['console', 'b'], azp: 'b' } }, 'audience'],
    ['of another issuer', { claims: { iss: 'https://another-issuer.example' } }, 'issuer'],
    ['that has expired', { claims: { iat: past, exp: past + 60 } }, 'expired'],
    ['without a nonce', { claims: { nonce: undefined } }, 'malformed'],
    ['without an end', { claims: { exp: undefined } }, 'malformed'],
    ['signed with a strange key', { strangeKey: true }, 'signature'],
  ];
  it.each(forgeries)('%s, is refused', async (_name, forgery, fault) => {
    const { client, attempt, answer } = await begun(fake);
    fake.forge(forgery);
    expect(faultOf(await client.finish(answer, attempt))).toBe(fault);
  });

  it('is none at all when the provider is unreachable: nothing is known', async () => {
    const { client, attempt, answer } = await begun(fake);
    fake.goAway();
    expect(faultOf(await client.finish(answer, attempt))).toBe('unavailable');
    expect(await clientOf(fake).begin()).toBeNull();
    expect(await clientOf(fake).leaveUrl()).toBeNull();
  });
});
