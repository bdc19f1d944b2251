/** The keys that verify tokens: only public ones, given as a set or fetched from the issuer. */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose' with { 'resolution-mode': 'import' };

export type TokenKeys =
  /** A JSON Web Key Set as text; several keys while one is being rotated out. */
  | { readonly kind: 'keys'; readonly keySet: string }
  /** Public keys of the issuer, fetched and cached. */
  | { readonly kind: 'jwks'; readonly url: string; readonly algorithms?: readonly string[] };

export type Verify = (token: string, options: JWTVerifyOptions) => Promise<{ payload: JWTPayload }>;

const asymmetric: readonly string[] = ['EdDSA', 'ES256', 'RS256'];
/** Members of a key that only its owner has (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

type LocalSet = Parameters<typeof import('jose', { with: { 'resolution-mode': 'import' } }).createLocalJWKSet>[0];

const rsaBitsLeast = 2_048;

/** Whether a token of one of the accepted algorithms can be verified with the key. */
function verifiesTokens(
  { alg, use = 'sig' }: JsonWebKey,
  { asymmetricKeyType, asymmetricKeyDetails }: KeyObject,
): boolean {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {};
  const fits: Readonly<Record<string, string | false>> = {
    ed25519: 'EdDSA',
    ec: namedCurve === 'prime256v1' && 'ES256',
    rsa: modulusLength >= rsaBitsLeast && 'RS256',
  };
  const algorithm = fits[asymmetricKeyType ?? ''] ?? false;
  return algorithm !== false && use === 'sig' && (alg ?? algorithm) === algorithm;
}

/**
 * Throws RangeError for a set that is empty, malformed, or contains a key that is private, unreadable, or of no accepted
 * algorithm: otherwise a service would start and refuse every token. The error does not contain the keys.
 */
export function readKeySet(text: string): LocalSet {
  let keys: unknown;
  try {
    keys = (JSON.parse(text) as { keys?: unknown } | null)?.keys;
  } catch {
    throw new RangeError('the token keys are no JSON');
  }
  if (!Array.isArray(keys) || keys.length === 0) throw new RangeError('at least one token key is needed');
  for (const key of keys as Readonly<Record<string, unknown>>[]) {
    if (typeof key !== 'object' || key === null || !['OKP', 'EC', 'RSA'].includes(String(key['kty'])))
      throw new RangeError('token keys are of the types OKP, EC and RSA');
    if (privateMembers.some((member) => member in key))
      throw new RangeError('a token key is private: services hold public keys only');
  }
  keys.forEach((key: JsonWebKey, at) => {
    let read: KeyObject;
    try {
      read = createPublicKey({ key, format: 'jwk' });
    } catch {
      throw new RangeError(`token key ${at + 1} cannot be read`);
    }
    if (!verifiesTokens(key, read))
      throw new RangeError(
        `token key ${at + 1} verifies no token: it takes Ed25519 (EdDSA), P-256 (ES256) or RSA of ${rsaBitsLeast} bits or more (RS256), for signatures`,
      );
  });
  return { keys } as LocalSet;
}

/** Throws RangeError for invalid keys or algorithms. */
export function verifierOf(keys: TokenKeys, now: () => number = () => performance.now()): Verify {
  return keys.kind === 'keys'
    ? localVerifier(keys.keySet)
    : remoteVerifier(keys.url, keys.algorithms ?? asymmetric, now);
}

/** An issuer need not name the key in a token (RFC 7515 §4.1.4). While two are valid, each is then tried. */
async function verifyWithAny(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<{ payload: JWTPayload }> {
  const { errors, jwtVerify } = await import('jose');
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (refusal) {
        if (!(refusal instanceof errors.JWSSignatureVerificationFailed)) throw refusal;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function localVerifier(text: string): Verify {
  const set = readKeySet(text);
  let keys: ReturnType<typeof import('jose', { with: { 'resolution-mode': 'import' } }).createLocalJWKSet> | undefined;
  return async (token, options) => {
    const jose = await import('jose');
    keys ??= jose.createLocalJWKSet(set);
    return verifyWithAny(token, keys, { ...options, algorithms: [...asymmetric] });
  };
}

/** How often the issuer is asked for its keys, so that a withdrawn one soon verifies nothing. */
const askEveryMs = 30_000;

/** While the issuer cannot be asked, the last keys count for the ten minutes of the token library. */
function remoteVerifier(url: string, algorithms: readonly string[], now: () => number): Verify {
  if (algorithms.length === 0 || algorithms.some((name) => name === 'none' || name.startsWith('HS'))) {
    throw new RangeError('a key set admits asymmetric algorithms only');
  }
  let keys: ReturnType<typeof import('jose', { with: { 'resolution-mode': 'import' } }).createRemoteJWKSet> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  return async (token, options) => {
    const jose = await import('jose');
    keys ??= jose.createRemoteJWKSet(new URL(url), { timeoutDuration: 5_000 });
    if (now() - askedAt >= askEveryMs) {
      askedAt = now();
      await keys.reload().catch(() => undefined);
    }
    return verifyWithAny(token, keys, { ...options, algorithms: [...algorithms] });
  };
}
