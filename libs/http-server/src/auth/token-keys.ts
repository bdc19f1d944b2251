/** The keys that verify tokens: only public ones, given as a set or fetched from the issuer. */
import type { JWTPayload, JWTVerifyOptions } from 'jose' with { 'resolution-mode': 'import' };

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

/**
 * Throws RangeError for a set that is empty, malformed, or contains a private key. The error does not contain the keys.
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
  return { keys } as LocalSet;
}

/** Throws RangeError for invalid keys or algorithms. */
export function verifierOf(keys: TokenKeys): Verify {
  return keys.kind === 'keys' ? localVerifier(keys.keySet) : remoteVerifier(keys.url, keys.algorithms ?? asymmetric);
}

function localVerifier(text: string): Verify {
  const set = readKeySet(text);
  let keys: ReturnType<typeof import('jose', { with: { 'resolution-mode': 'import' } }).createLocalJWKSet> | undefined;
  return async (token, options) => {
    const jose = await import('jose');
    keys ??= jose.createLocalJWKSet(set);
    return jose.jwtVerify(token, keys, { ...options, algorithms: [...asymmetric] });
  };
}

function remoteVerifier(url: string, algorithms: readonly string[]): Verify {
  if (algorithms.length === 0 || algorithms.some((name) => name === 'none' || name.startsWith('HS'))) {
    throw new RangeError('a key set admits asymmetric algorithms only');
  }
  let keys: ReturnType<typeof import('jose', { with: { 'resolution-mode': 'import' } }).createRemoteJWKSet> | undefined;
  return async (token, options) => {
    const jose = await import('jose');
    keys ??= jose.createRemoteJWKSet(new URL(url), { timeoutDuration: 5_000 });
    return jose.jwtVerify(token, keys, { ...options, algorithms: [...algorithms] });
  };
}
