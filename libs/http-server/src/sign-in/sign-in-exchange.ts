/**
 * The redirect of a browser to the identity provider and back. Meanwhile the browser keeps a cookie of ten minutes; an
 * answer is accepted only from the browser that began the attempt.
 */
import { cookieOf, siteCookie } from './browser-session';
import type { IdentityProvider, Identified, SignInAttempt, SignInFault } from './identity-provider';

export interface SignInExchange {
  /** The browser's next address and its cookie; null when the provider cannot be asked at the moment. */
  begin(returnTo?: string): Promise<{ readonly location: string; readonly cookie: string } | null>;
  /** Checks the browser's answer against its cookie. */
  finish(answer: Readonly<Record<string, string>>, cookies: string | undefined): Promise<SignInOutcome>;
  /** The cookie that ends the attempt. */
  readonly forget: string;
}

export type SignInOutcome =
  | (Identified & { readonly returnTo: string })
  /** This browser has begun no such sign-in. */
  | { readonly verdict: 'stale' }
  /** `reason` is for the person who signs in. */
  | { readonly verdict: 'refused'; readonly reason: string }
  | { readonly verdict: 'unavailable' };

const attemptSeconds = 600;

/** The message of each failed check to the refused person. */
const faults: Readonly<Record<Exclude<SignInFault, 'state'>, string>> = {
  nonce: 'The answer of the identity provider belongs to another sign-in (nonce).',
  audience: 'The identity provider answered for another application (audience).',
  issuer: 'The answer is not of the identity provider that is configured (issuer).',
  expired: 'The answer of the identity provider has expired.',
  signature: 'The answer of the identity provider is not signed by it.',
  denied: 'The identity provider did not let you in, or the answer was used before.',
  malformed: 'The identity provider answered what this service does not understand.',
};

/** `origin`: the site's origin for browsers; `cookieName`: the cookie that keeps an attempt. */
export function createSignInExchange(provider: IdentityProvider, origin: string, cookieName: string): SignInExchange {
  const kept = siteCookie(origin, cookieName);
  return {
    begin: async (returnTo = '') => {
      const begun = await provider.begin();
      if (!begun) return null;
      const { state, nonce, verifier } = begun.attempt;
      const value = [state, nonce, verifier, Buffer.from(returnTo).toString('base64url')].join('.');
      return { location: begun.url, cookie: kept.set(value, { sameSite: 'Lax', maxAgeSeconds: attemptSeconds }) };
    },
    finish: async (answer, cookies) => {
      const begun = attemptOf(cookieOf(cookies, kept.name));
      if (!begun) return { verdict: 'stale' };
      const judged = await provider.finish(new URLSearchParams(answer), begun.attempt);
      if (judged.verdict === 'identified') return { ...judged, returnTo: begun.returnTo };
      if (judged.verdict === 'unavailable') return judged;
      return judged.fault === 'state' ? { verdict: 'stale' } : { verdict: 'refused', reason: faults[judged.fault] };
    },
    forget: kept.set('', { sameSite: 'Lax', maxAgeSeconds: 0 }),
  };
}

function attemptOf(value: string | undefined): { attempt: SignInAttempt; returnTo: string } | undefined {
  const [state, nonce, verifier, returnTo, more] = value?.split('.') ?? [];
  if (!state || !nonce || !verifier || returnTo === undefined || more !== undefined) return undefined;
  return { attempt: { state, nonce, verifier }, returnTo: Buffer.from(returnTo, 'base64url').toString('utf8') };
}
