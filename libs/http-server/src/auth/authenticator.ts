/**
 * Verifies bearer tokens with `jose` and public keys: asymmetric algorithms only, issuer and audience checked, a
 * bounded lifetime, an id by which a token can be revoked, 5 s of clock tolerance. The result for a bad token does not
 * contain the reason, so neither an answer nor a log helps an attacker to correct it. Only of a token that the issuer has
 * signed it says that its time has passed, or has not come: then a clock may be wrong.
 */
import { systemClock, type Clock } from '@platform/kernel';
import type { JWTPayload, JWTVerifyOptions } from 'jose' with { 'resolution-mode': 'import' };
import { callerOf, type Caller } from './claims';
import { createRememberedVerdicts, type VerifiedToken } from './remember-verdicts';
import type { Revoked } from './revoked-tokens';
import { verifierOf, type TokenKeys } from './token-keys';

type TokenVerdict =
  | { readonly verdict: 'valid'; readonly caller: Caller }
  | { readonly verdict: 'expired' }
  /** Signed by the issuer for a later time than the clock of this service shows. */
  | { readonly verdict: 'not_yet_valid' }
  | { readonly verdict: 'invalid' }
  /** The issuer's keys cannot be fetched at the moment, so the token can be neither accepted nor rejected. */
  | { readonly verdict: 'undecided' };

/** For people who show a token of a later time, and for those who run the service. */
export const notYetValidText =
  'The token is valid from a later time than the clock of this service shows. Either this clock is behind, or that of the issuer is ahead: those who run the platform compare both.';

export interface Authenticator {
  verify(token: string): Promise<TokenVerdict>;
}

export interface AuthenticatorOptions {
  readonly keys: TokenKeys;
  readonly issuer: string;
  readonly audience: string;
  readonly clock?: Clock;
  /** Longest lifetime of a token from its issue to its end. Default 31 days. */
  readonly lifetimeSecondsMax?: number;
  /** Default: no token was revoked. */
  readonly revoked?: Revoked;
}

const lifetimeSecondsDefault = 31 * 24 * 3_600;
const clockToleranceSeconds = 5;
const tokenCharacters = 8_192;
const unavailable = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The library compares times after it has verified the signature, the issuer and the audience. */
function isEarly(error: unknown): boolean {
  if (codeOf(error) !== 'ERR_JWT_CLAIM_VALIDATION_FAILED') return false;
  const { claim, reason } = error as { readonly claim?: unknown; readonly reason?: unknown };
  return (claim === 'iat' || claim === 'nbf') && reason === 'check_failed';
}

function verdictOf(error: unknown, remote: boolean): Exclude<TokenVerdict, { verdict: 'valid' }> {
  const code = codeOf(error);
  if (code === 'ERR_JWT_EXPIRED') return { verdict: 'expired' };
  if (isEarly(error)) return { verdict: 'not_yet_valid' };
  // Errors of fetch itself have no code of the token library.
  if (remote && (unavailable.has(code) || !code.startsWith('ERR_J'))) return { verdict: 'undecided' };
  return { verdict: 'invalid' };
}

/** Throws RangeError for invalid keys or algorithms. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { keys, clock = systemClock, revoked = () => false } = options;
  const verify = verifierOf(keys);
  const remembered = createRememberedVerdicts(clock);
  const judge = async (token: string): Promise<TokenVerdict> => {
    const read = readClaims((await verify(token, rulesOf(options, clock.now()))).payload, options);
    if (!read) return { verdict: 'invalid' };
    if (revoked(read)) return { verdict: 'invalid' };
    remembered.remember(token, read);
    return { verdict: 'valid', caller: read.caller };
  };
  return {
    verify: async (token) => {
      if (token.length > tokenCharacters) return { verdict: 'invalid' };
      const known = remembered.recall(token);
      if (known) return revoked(known) ? { verdict: 'invalid' } : { verdict: 'valid', caller: known.caller };
      return judge(token).catch((error: unknown) => verdictOf(error, keys.kind === 'jwks'));
    },
  };
}

function rulesOf(
  { issuer, audience, lifetimeSecondsMax = lifetimeSecondsDefault }: AuthenticatorOptions,
  now: Date,
): JWTVerifyOptions {
  return {
    issuer,
    audience,
    clockTolerance: clockToleranceSeconds,
    currentDate: now,
    requiredClaims: ['sub', 'exp', 'iat', 'jti'],
    // Also refuses a token that was issued in the future.
    maxTokenAge: lifetimeSecondsMax,
  };
}

function readClaims(
  payload: JWTPayload,
  { lifetimeSecondsMax = lifetimeSecondsDefault }: AuthenticatorOptions,
): VerifiedToken | undefined {
  const caller = callerOf(payload);
  const { exp, iat, jti: id } = payload;
  if (!caller || exp === undefined || iat === undefined || typeof id !== 'string' || id === '') return undefined;
  if (exp - iat > lifetimeSecondsMax) return undefined;
  return { id, subject: caller.subject, caller, endsAtSeconds: exp + clockToleranceSeconds };
}
