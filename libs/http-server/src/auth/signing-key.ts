/**
 * Ed25519 keys of the platform's own token issuers: the local platform's and those of tests. A service never sees one;
 * it has only the public keys, which cannot sign.
 */
import { createHash, createPrivateKey, createPublicKey, randomBytes, type KeyObject } from 'node:crypto';

const seedBytes = 32;
/** PKCS #8 of an Ed25519 key up to its 32 bytes (RFC 8410 §7). */
const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A new private key: 32 random bytes as base64url. */
export function newSigningKey(): string {
  return randomBytes(seedBytes).toString('base64url');
}

/** Parsed keys: parsing one costs more than signing with it, and an issuer signs each token with the same key. */
const parsed = new Map<string, KeyObject>();
const parsedAtMost = 16;

/** Throws RangeError, without the key in it, for a text that is no signing key. */
export function privateKeyOf(signingKey: string): KeyObject {
  const known = parsed.get(signingKey);
  if (known) return known;
  if (parsed.size >= parsedAtMost) parsed.clear();
  const key = parse(signingKey);
  parsed.set(signingKey, key);
  return key;
}

function parse(signingKey: string): KeyObject {
  const seed = Buffer.from(signingKey, 'base64url');
  if (seed.length !== seedBytes) throw new RangeError(`a signing key is ${seedBytes} bytes as base64url`);
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' });
}

/** The name of a key: its thumbprint (RFC 7638). */
export function keyIdOf(signingKey: string): string {
  const { x } = publicPart(signingKey);
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}

function publicPart(signingKey: string): { readonly x: string } {
  return createPublicKey(privateKeyOf(signingKey)).export({ format: 'jwk' }) as { x: string };
}

/** The public keys of some private ones as a JSON Web Key Set (RFC 7517), for `JWT_PUBLIC_KEYS`. */
export function publicKeySet(...signingKeys: readonly string[]): string {
  const keys = signingKeys.map((key) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    kid: keyIdOf(key),
    x: publicPart(key).x,
  }));
  return JSON.stringify({ keys });
}
