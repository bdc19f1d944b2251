import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createManualClock } from '@platform/kernel';
import { createAuthenticator, type AuthenticatorOptions } from './authenticator';
import type { Caller } from './claims';
import { mintToken, type MintOptions } from './mint-token';
import { keyIdOf, newSigningKey, privateKeyOf, publicKeySet } from './signing-key';

const clock = createManualClock();
const signingKey = newSigningKey();
const retired = newSigningKey();
const caller: Caller = {
  subject: 'u-1',
  email: 'u@example.com',
  role: 'user',
  workspaces: { acme: 'owner' },
  permissions: ['read'],
};
const mint: MintOptions = {
  signingKey,
  issuer: 'https://issuer.test',
  audience: 'platform',
  caller,
  lifetimeSeconds: 60,
  clock,
};
const verifier = (more: Partial<AuthenticatorOptions> = {}) =>
  createAuthenticator({
    keys: { kind: 'keys', keySet: publicKeySet(signingKey, retired) },
    issuer: mint.issuer,
    audience: 'platform',
    clock,
    ...more,
  });

/** A token that another issuer's program might sign, with arbitrary claims. */
async function signed(claims: Readonly<Record<string, unknown>>): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'EdDSA', kid: keyIdOf(signingKey) })
    .sign(privateKeyOf(signingKey));
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a bearer token', () => {
  it('names its caller when it is good', async () => {
    expect(await verifier().verify(await mintToken(mint))).toEqual({ verdict: 'valid', caller });
  });

  it('is good under a key that is being rotated out', async () => {
    expect((await verifier().verify(await mintToken({ ...mint, signingKey: retired }))).verdict).toBe('valid');
  });

  it.each([
    ['another key', { signingKey: newSigningKey() }],
    ['another issuer', { issuer: 'https://elsewhere.test' }],
    ['another audience', { audience: 'elsewhere' }],
    ['a role that does not exist', { caller: { ...caller, role: 'root' as 'user' } }],
    ['an address that is none', { caller: { ...caller, email: 'ada' } }],
    ['a subject of two lines, which no list could revoke', { caller: { ...caller, subject: 'u-1\nu-2' } }],
    ['a subject that ends in a space, which no list could revoke', { caller: { ...caller, subject: 'u-1 ' } }],
    ['a subject with half a character', { caller: { ...caller, subject: 'u-\ud83d' } }],
    ['a part that does not exist', { caller: { ...caller, workspaces: { acme: 'god' as 'owner' } } }],
  ])('is invalid with %s', async (_name, change: Partial<MintOptions>) => {
    expect(await verifier().verify(await mintToken({ ...mint, ...change }))).toEqual({ verdict: 'invalid' });
  });

  it('is invalid when it lives longer than a token may, whenever it ends, or when it was issued in the future', async () => {
    const day = 24 * 3_600;
    const iat = clock.now().getTime() / 1_000;
    const { subject: sub, ...rest } = caller;
    const claims = { ...rest, sub, iss: mint.issuer, aud: mint.audience, iat, jti: 'a-token' };
    const long = (lifetimeSeconds: number) => signed({ ...claims, exp: iat + lifetimeSeconds });
    expect((await verifier().verify(await long(31 * day))).verdict).toBe('valid');
    for (const life of [31 * day + 1, 7_973 * 365 * day, 1e308])
      expect(await verifier().verify(await long(life))).toEqual({ verdict: 'invalid' });
    expect((await verifier({ lifetimeSecondsMax: 60 }).verify(await long(61))).verdict).toBe('invalid');
    const ahead = { now: () => new Date(clock.now().getTime() + 60_000) };
    expect(await verifier().verify(await mintToken({ ...mint, clock: ahead }))).toEqual({ verdict: 'not_yet_valid' });
    const justAhead = { now: () => new Date(clock.now().getTime() + 4_000) };
    expect((await verifier().verify(await mintToken({ ...mint, clock: justAhead }))).verdict).toBe('valid');
  });

  it('is not valid yet before its time alone: another key, issuer or audience, and a time that is none, are invalid', async () => {
    const iat = clock.now().getTime() / 1_000;
    const { subject: sub, ...rest } = caller;
    const claims = { ...rest, sub, iss: mint.issuer, aud: mint.audience, iat, exp: iat + 600, jti: 'a-token' };
    const verdict = async (more: object) => (await verifier().verify(await signed({ ...claims, ...more }))).verdict;
    expect(await verdict({ nbf: iat + 60 })).toBe('not_yet_valid');
    expect(await verdict({ nbf: iat + 4 })).toBe('valid');
    expect(await verdict({ nbf: iat + 60, iss: 'https://elsewhere.test' })).toBe('invalid');
    expect(await verdict({ nbf: iat + 60, aud: 'elsewhere' })).toBe('invalid');
    expect(await verdict({ nbf: 'soon' })).toBe('invalid');
    const ahead = { now: () => new Date(clock.now().getTime() + 60_000) };
    const foreign = await mintToken({ ...mint, clock: ahead, signingKey: newSigningKey() });
    expect((await verifier().verify(foreign)).verdict).toBe('invalid');
  });

  it('is invalid unsigned, with a foreign algorithm, tampered with, too long or no token', async () => {
    const [header, payload, signature] = (await mintToken(mint)).split('.') as [string, string, string];
    const forged = encode({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), role: 'platform_owner' });
    const tokens = [
      `${encode({ alg: 'none' })}.${payload}.`,
      `${encode({ alg: 'ES256', typ: 'JWT' })}.${payload}.${signature}`,
      `${header}.${forged}.${signature}`,
      `${header}.${payload}`,
      'x'.repeat(9_000),
      '',
    ];
    for (const token of tokens) expect(await verifier().verify(token)).toEqual({ verdict: 'invalid' });
  });

  it('is invalid when the public key was used as a secret', async () => {
    const { SignJWT } = await import('jose');
    const { subject, ...claims } = caller;
    const issuedAt = Math.floor(clock.now().getTime() / 1_000);
    const keySet = publicKeySet(signingKey);
    const { keys } = JSON.parse(keySet) as { keys: { x: string }[] };
    for (const known of [keySet, keys[0]!.x, JSON.stringify(keys[0])])
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const forged = await new SignJWT({ ...claims })
          .setProtectedHeader({ alg, kid: keyIdOf(signingKey) })
          .setSubject(subject)
          .setJti('forged')
          .setIssuer(mint.issuer)
          .setAudience('platform')
          .setIssuedAt(issuedAt)
          .setExpirationTime(issuedAt + 60)
          .sign(new TextEncoder().encode(known.padEnd(64, '=')));
        expect(await verifier().verify(forged)).toEqual({ verdict: 'invalid' });
      }
  });

  it('is invalid without an id, by which it could be revoked', async () => {
    const iat = clock.now().getTime() / 1_000;
    const { subject: sub, ...rest } = caller;
    const claims = { ...rest, sub, iss: mint.issuer, aud: mint.audience, iat, exp: iat + 60 };
    expect(await verifier().verify(await signed(claims))).toEqual({ verdict: 'invalid' });
    expect((await verifier().verify(await signed({ ...claims, jti: 'a-token' }))).verdict).toBe('valid');
  });

  it('is invalid once it was revoked by its id or its subject, also right after it was found good', async () => {
    const lines = new Set<string>();
    const authenticator = verifier({ revoked: ({ id, subject }) => lines.has(id) || lines.has(`sub:${subject}`) });
    const [one, other] = [await mintToken(mint), await mintToken(mint)];
    const verdicts = async () => [
      (await authenticator.verify(one)).verdict,
      (await authenticator.verify(other)).verdict,
    ];
    expect(await verdicts()).toEqual(['valid', 'valid']);
    const { jti } = JSON.parse(Buffer.from(one.split('.')[1]!, 'base64url').toString()) as { jti: string };
    lines.add(jti);
    expect(await verdicts()).toEqual(['invalid', 'valid']);
    lines.add('sub:u-1');
    expect(await verdicts()).toEqual(['invalid', 'invalid']);
  });

  it('is taken by the services that it names and by no other', async () => {
    const token = await mintToken({ ...mint, audience: ['platform', 'pages'] });
    expect((await verifier().verify(token)).verdict).toBe('valid');
    expect((await verifier({ audience: 'pages' }).verify(token)).verdict).toBe('valid');
    expect((await verifier({ audience: 'billing' }).verify(token)).verdict).toBe('invalid');
  });

  it('is tolerated for 5 seconds after its end, then expired', async () => {
    const token = await mintToken(mint);
    const later = (seconds: number) =>
      verifier({ clock: createManualClock(new Date(clock.now().getTime() + seconds * 1_000)) });
    expect((await later(64).verify(token)).verdict).toBe('valid');
    expect((await later(65).verify(token)).verdict).toBe('expired');
  });

  it('ends at its time also when it was found good a moment before', async () => {
    const moving = createManualClock(clock.now());
    const authenticator = verifier({ clock: moving });
    const token = await mintToken(mint);
    moving.set(new Date(clock.now().getTime() + 64_000));
    expect(await authenticator.verify(token)).toEqual({ verdict: 'valid', caller });
    moving.set(new Date(clock.now().getTime() + 65_000));
    expect(await authenticator.verify(token)).toEqual({ verdict: 'expired' });
  });

  it('needs public keys, a signing key and a bounded lifetime', async () => {
    const keysOf = (keySet: string) => () => verifier({ keys: { kind: 'keys', keySet } });
    expect(keysOf('{"keys":[]}')).toThrow('at least one');
    expect(keysOf('not json')).toThrow('no JSON');
    expect(keysOf('{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}')).toThrow('of the types');
    const { d, x } = privateKeyOf(signingKey).export({ format: 'jwk' });
    expect(keysOf(JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x, d }] }))).toThrow('is private');
    await expect(mintToken({ ...mint, signingKey: 'short' })).rejects.toThrow('32 bytes');
    await expect(mintToken({ ...mint, lifetimeSeconds: 0 })).rejects.toThrow('lifetime');
    await expect(mintToken({ ...mint, lifetimeSeconds: 31 * 86_400 })).rejects.toThrow('lifetime');
  });
});

describe('a bearer token of a key set', () => {
  let server: Server;
  let keySet: unknown;
  let url: string;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      response.statusCode = keySet === undefined ? 500 : 200;
      response.end(JSON.stringify(keySet ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function signed(algorithm: 'ES256' | 'HS256') {
    const jose = await import('jose');
    const { privateKey, publicKey } = await jose.generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await jose.exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
    const { subject, ...claims } = caller;
    const issuedAt = Math.floor(clock.now().getTime() / 1_000);
    const key = algorithm === 'ES256' ? privateKey : new TextEncoder().encode(JSON.stringify(jwk));
    const token = await new jose.SignJWT({ ...claims })
      .setProtectedHeader({ alg: algorithm, kid: 'k1' })
      .setSubject(subject)
      .setJti('of-the-set')
      .setIssuer(mint.issuer)
      .setAudience('platform')
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 60)
      .sign(key);
    return { token, keys: { keys: [jwk] } };
  }

  it('is good when the issuer signed it, and invalid when its public key was used as a secret', async () => {
    const good = await signed('ES256');
    keySet = good.keys;
    const confused = await signed('HS256');
    const jwks = verifier({ keys: { kind: 'jwks', url } });
    expect(await jwks.verify(good.token)).toEqual({ verdict: 'valid', caller });
    expect(await jwks.verify(confused.token)).toEqual({ verdict: 'invalid' });
  });

  it('is undecided while the keys cannot be read', async () => {
    const { token } = await signed('ES256');
    keySet = undefined;
    expect(await verifier({ keys: { kind: 'jwks', url } }).verify(token)).toEqual({ verdict: 'undecided' });
    const closed = verifier({ keys: { kind: 'jwks', url: 'http://127.0.0.1:1/keys' } });
    expect(await closed.verify(token)).toEqual({ verdict: 'undecided' });
  });

  it('admits no symmetric algorithm', () => {
    expect(() => verifier({ keys: { kind: 'jwks', url, algorithms: ['HS256'] } })).toThrow('asymmetric');
    expect(() => verifier({ keys: { kind: 'jwks', url, algorithms: ['none'] } })).toThrow('asymmetric');
  });
});
