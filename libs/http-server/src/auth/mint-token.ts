/** Makes development tokens (contracts §1, `npm run token`). Production tokens come from the issuer, never from here. */
import { systemClock, type Clock } from '@platform/kernel';
import { secretBytes } from './authenticator';
import type { Caller } from './claims';

export interface MintOptions {
  readonly secret: string;
  readonly issuer: string;
  readonly audience: string;
  readonly caller: Caller;
  /** 1 s to 30 days. */
  readonly lifetimeSeconds: number;
  readonly clock?: Clock;
}

const lifetimeSecondsMax = 30 * 24 * 3_600;

/** An HS256 token in compact form. Throws RangeError for a short secret or a lifetime out of bounds. */
export async function mintToken(options: MintOptions): Promise<string> {
  const { secret, issuer, audience, caller, lifetimeSeconds, clock = systemClock } = options;
  if (!Number.isInteger(lifetimeSeconds) || lifetimeSeconds < 1 || lifetimeSeconds > lifetimeSecondsMax) {
    throw new RangeError(`the lifetime of a token is 1 to ${lifetimeSecondsMax} seconds`);
  }
  const { SignJWT } = await import('jose');
  const issuedAt = Math.floor(clock.now().getTime() / 1_000);
  const { subject, email, role, workspaces, permissions } = caller;
  return new SignJWT({ email, role, workspaces, permissions })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(subject)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(secretBytes(secret));
}
