/**
 * Makes development tokens (contracts §1, `npm run token`), signed with Ed25519. Production tokens come from the
 * issuer.
 */
import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '@platform/kernel';
import type { Caller } from './claims';
import { keyIdOf, privateKeyOf } from './signing-key';

export interface MintOptions {
  /** See `newSigningKey`. */
  readonly signingKey: string;
  readonly issuer: string;
  /** The services that accept the token. */
  readonly audience: string | readonly string[];
  readonly caller: Caller;
  /** From 1 s to 30 days. */
  readonly lifetimeSeconds: number;
  readonly clock?: Clock;
}

const lifetimeSecondsMax = 30 * 24 * 3_600;

/** A token in compact form. Throws RangeError for a malformed signing key or a lifetime out of bounds. */
export async function mintToken(options: MintOptions): Promise<string> {
  const { signingKey, issuer, audience, caller, lifetimeSeconds, clock = systemClock } = options;
  if (!Number.isInteger(lifetimeSeconds) || lifetimeSeconds < 1 || lifetimeSeconds > lifetimeSecondsMax) {
    throw new RangeError(`the lifetime of a token is 1 to ${lifetimeSecondsMax} seconds`);
  }
  const { SignJWT } = await import('jose');
  const issuedAt = Math.floor(clock.now().getTime() / 1_000);
  const { subject, email, role, workspaces, permissions, consumers } = caller;
  return new SignJWT({ email, role, workspaces, permissions, ...(consumers && { consumers }) })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: keyIdOf(signingKey) })
    .setJti(randomUUID())
    .setSubject(subject)
    .setIssuer(issuer)
    .setAudience(typeof audience === 'string' ? audience : [...audience])
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(privateKeyOf(signingKey));
}
