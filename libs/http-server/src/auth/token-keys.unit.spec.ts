import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readKeySet, verifierOf } from './token-keys';
import { newSigningKey, privateKeyOf, publicKeySet } from './signing-key';

const [old, next, foreign] = [newSigningKey(), newSigningKey(), newSigningKey()];
const keysOf = (...signing: string[]) =>
  (JSON.parse(publicKeySet(...signing)) as { keys: Record<string, unknown>[] }).keys;

/** A token of an issuer that names no key in it. */
async function unnamed(signingKey: string): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT({ sub: 'u-1' }).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKeyOf(signingKey));
}

describe('a set of token keys', () => {
  it.each([
    ['is cut off', { x: 'AAAA' }],
    ['is no base64url', { x: '!!' }],
    ['lacks a part', { x: undefined }],
    ['names a curve that does not exist', { crv: 'Ed1' }],
  ])('ends the start with a key that %s, and does not show it', (_what, change) => {
    const [good, bad] = keysOf(old, next);
    const text = JSON.stringify({ keys: [good, { ...bad, ...change }] });
    expect(() => readKeySet(text)).toThrow('token key 2 cannot be read');
    expect(() => readKeySet(JSON.stringify({ keys: [good, bad] }))).not.toThrow();
  });

  const made = (type: 'rsa' | 'ec' | 'x25519' | 'ed448', options: object = {}) =>
    generateKeyPairSync(type as 'rsa', options as { modulusLength: number }).publicKey.export({ format: 'jwk' });

  it.each([
    ['of RSA that is too short', made('rsa', { modulusLength: 1_024 })],
    ['of another curve', made('ec', { namedCurve: 'P-384' })],
    ['that only agrees on keys', made('x25519')],
    ['of Ed448', made('ed448')],
    ['for another algorithm', { ...made('rsa', { modulusLength: 2_048 }), alg: 'PS256' }],
    ['for encryption', { ...keysOf(next)[0], use: 'enc' }],
  ])('ends the start with a key %s, which would verify no token', (_which, key) => {
    expect(() => readKeySet(JSON.stringify({ keys: [keysOf(old)[0], key] }))).toThrow('token key 2 verifies no token');
  });

  it.each([
    ['RS256', made('rsa', { modulusLength: 2_048 })],
    ['ES256', made('ec', { namedCurve: 'P-256' })],
  ])('takes a key of %s, whether it names that or not', (alg, key) => {
    expect(() => readKeySet(JSON.stringify({ keys: [key, { ...key, alg, use: 'sig' }] }))).not.toThrow();
  });

  it('verifies what any of its keys signed, also while two are valid and the token names none', async () => {
    const verify = verifierOf({ kind: 'keys', keySet: publicKeySet(old, next) });
    for (const key of [old, next]) expect((await verify(await unnamed(key), {})).payload.sub).toBe('u-1');
    await expect(verify(await unnamed(foreign), {})).rejects.toMatchObject({
      code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    });
  });

  it('says of a token that names no key why it is refused, whichever key signed it', async () => {
    const verify = verifierOf({ kind: 'keys', keySet: publicKeySet(old, next) });
    for (const key of [old, next])
      await expect(verify(await unnamed(key), { requiredClaims: ['exp'] })).rejects.toMatchObject({
        code: 'ERR_JWT_CLAIM_VALIDATION_FAILED',
      });
  });
});

describe('the keys at the address of the issuer', () => {
  let served: string | undefined = publicKeySet(old, next);
  let fetched = 0;
  const issuer = createServer((_request, response) => {
    fetched += 1;
    response.statusCode = served === undefined ? 500 : 200;
    response.end(served);
  });
  beforeAll(() => new Promise<void>((resolve) => void issuer.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => void issuer.close(resolve)));

  it('verify nothing once they are withdrawn there, within half a minute, and count while it cannot be asked', async () => {
    let now = 0;
    const { port } = issuer.address() as AddressInfo;
    const verify = verifierOf({ kind: 'jwks', url: `http://127.0.0.1:${port}/keys` }, () => now);
    const token = await unnamed(old);
    for (let count = 0; count < 3; count += 1) await verify(token, {});
    expect(fetched).toBe(1);
    served = undefined;
    now += 30_000;
    expect((await verify(token, {})).payload.sub).toBe('u-1');
    served = publicKeySet(next);
    now += 30_000;
    await expect(verify(token, {})).rejects.toMatchObject({ code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' });
  });
});
