/**
 * Verifies bearer tokens with `jose`: algorithm pinned by the kind of key, issuer and audience checked, 5 s of clock
 * tolerance. A bad token is a value without the reason in it, so that neither an answer nor a log tells what was close.
 */
import { webcrypto } from 'node:crypto';
import { systemClock, type Clock } from '@platform/kernel';
import type { JWTPayload, JWTVerifyOptions } from 'jose' with { 'resolution-mode': 'import' };
import { callerOf, type Caller } from './claims';
import { createRememberedVerdicts } from './remember-verdicts';

type TokenVerdict =
  | { readonly verdict: 'valid'; readonly caller: Caller }
  | { readonly verdict: 'expired' }
  | { readonly verdict: 'invalid' }
  /** The issuer's keys cannot be fetched now: nothing is known about the token. */
  | { readonly verdict: 'undecided' };

export interface Authenticator {
  verify(token: string): Promise<TokenVerdict>;
}

type TokenKeys =
  /** HS256. Several secrets while one is being rotated out; each at least 32 bytes of UTF-8. */
  | { readonly kind: 'secret'; readonly secrets: readonly string[] }
  /** Public keys of the issuer, fetched and cached; `algorithms` default RS256 and ES256. */
  | { readonly kind: 'jwks'; readonly url: string; readonly algorithms?: readonly string[] };

export interface AuthenticatorOptions {
  readonly keys: TokenKeys;
  readonly issuer: string;
  readonly audience: string;
  readonly clock?: Clock;
  /** Longest life of a token from its issue to its end. Default 31 days. */
  readonly lifetimeSecondsMax?: number;
}

const lifetimeSecondsDefault = 31 * 24 * 3_600;
const secretBytesMin = 32;
const clockToleranceSeconds = 5;
const tokenCharacters = 8_192;
const unavailable = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC']);

type Verify = (token: string, options: JWTVerifyOptions) => Promise<{ payload: JWTPayload }>;

/** The bytes of an HS256 secret; throws RangeError (without the secret) when it is shorter than 32 bytes. */
export function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(secret);
  if (bytes.length < secretBytesMin) throw new RangeError(`a token secret needs at least ${secretBytesMin} bytes`);
  return bytes;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Imported once: given bytes, the token library would import them for every token. */
function importSecret(bytes: Uint8Array<ArrayBuffer>) {
  return webcrypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function secretVerifiers(secrets: readonly string[]): Verify[] {
  if (secrets.length === 0) throw new RangeError('at least one token secret is needed');
  return secrets.map((secret) => {
    const bytes = secretBytes(secret);
    let key: ReturnType<typeof importSecret> | undefined;
    return async (token, options) => {
      const { jwtVerify } = await import('jose');
      return jwtVerify(token, await (key ??= importSecret(bytes)), { ...options, algorithms: ['HS256'] });
    };
  });
}

function jwksVerifier(url: string, algorithms: readonly string[]): Verify {
  if (algorithms.length === 0 || algorithms.some((name) => name === 'none' || name.startsWith('HS'))) {
    throw new RangeError('a key set admits asymmetric algorithms only');
  }
  let keys:
    | Promise<ReturnType<typeof import('jose', { with: { 'resolution-mode': 'import' } }).createRemoteJWKSet>>
    | undefined;
  return async (token, options) => {
    const jose = await import('jose');
    keys ??= Promise.resolve(jose.createRemoteJWKSet(new URL(url), { timeoutDuration: 5_000 }));
    return jose.jwtVerify(token, await keys, { ...options, algorithms: [...algorithms] });
  };
}

function verdictOf(error: unknown, remote: boolean): Exclude<TokenVerdict, { verdict: 'valid' }> {
  const code = codeOf(error);
  if (code === 'ERR_JWT_EXPIRED') return { verdict: 'expired' };
  // Errors of fetch itself carry no code of the token library.
  if (remote && (unavailable.has(code) || !code.startsWith('ERR_J'))) return { verdict: 'undecided' };
  return { verdict: 'invalid' };
}

/** Throws RangeError for weak secrets or algorithms that do not fit the kind of key. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { keys, issuer, audience, clock = systemClock, lifetimeSecondsMax = lifetimeSecondsDefault } = options;
  const remote = keys.kind === 'jwks';
  const verifiers = remote
    ? [jwksVerifier(keys.url, keys.algorithms ?? ['RS256', 'ES256'])]
    : secretVerifiers(keys.secrets);
  const remembered = createRememberedVerdicts(clock);
  return {
    verify: async (token) => {
      if (token.length > tokenCharacters) return { verdict: 'invalid' };
      const known = remembered.recall(token);
      if (known) return { verdict: 'valid', caller: known };
      const rules: JWTVerifyOptions = {
        issuer,
        audience,
        clockTolerance: clockToleranceSeconds,
        currentDate: clock.now(),
        requiredClaims: ['sub', 'exp', 'iat'],
        // Also refuses a token that was issued in the future.
        maxTokenAge: lifetimeSecondsMax,
      };
      let verdict: TokenVerdict = { verdict: 'invalid' };
      for (const verify of verifiers) {
        try {
          const { payload } = await verify(token, rules);
          const caller = callerOf(payload);
          if (!caller || payload.exp === undefined || payload.iat === undefined) return { verdict: 'invalid' };
          if (payload.exp - payload.iat > lifetimeSecondsMax) return { verdict: 'invalid' };
          remembered.remember(token, { caller, endsAtSeconds: payload.exp + clockToleranceSeconds });
          return { verdict: 'valid', caller };
        } catch (error) {
          const next = verdictOf(error, remote);
          if (next.verdict !== 'invalid') verdict = next;
        }
      }
      return verdict;
    },
  };
}
