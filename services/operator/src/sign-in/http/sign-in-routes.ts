/**
 * Signing in to the console at the organisation's identity provider, and signing out (specification §1: the platform
 * knows who operates it). Meanwhile the browser keeps only a cookie of ten minutes; a refusal is a page and keeps
 * nothing.
 */
import {
  cookieOf,
  createSignInExchange,
  defineRoute,
  isSameOrigin,
  problem,
  reply,
  siteCookie,
  staffOf,
  type IdentityProvider,
  type Problem,
  type RoleRules,
  type Route,
  type SignInExchange,
  type SignInOutcome,
  type StaffMember,
} from '@platform/http-server';
import { z } from 'zod';

export interface SignInPorts {
  readonly provider: IdentityProvider;
  /** The gateway's address for browsers, for example `https://console.example`. */
  readonly origin: string;
  readonly rolesClaim: string;
  readonly roleRules: RoleRules;
  readonly sessionSeconds: number;
  /** The content of a new session's cookie. Throws StoreUnavailableError. */
  begin(person: StaffMember): Promise<string>;
  read(value: string): Promise<{ readonly email: string; readonly role: string } | undefined>;
  end(value: string): Promise<void>;
}

const cookieHeaders = z.object({ cookie: z.string().max(8_192).optional() });
const originHeaders = cookieHeaders.extend({
  origin: z.string().max(300).optional(),
  'sec-fetch-site': z.string().max(30).optional(),
});
/** The provider may add parameters of its own (`iss`, `session_state`). */
const answerQuery = z.object({}).catchall(z.string().max(4_000));
const sessionView = z.strictObject({
  /** The sign-in address; null where people show a token. */
  signInUrl: z.string().nullable(),
  person: z.strictObject({ who: z.string(), role: z.string() }).nullable(),
});
const leaving = z.strictObject({ leaveUrl: z.string().nullable() });

/** The name of the console's session cookie, for code that reads it from a request. */
export const sessionCookie = (origin: string) => siteCookie(origin, 'console_session');

/** Without ports, people show a token, and the console tells them to. */
export function signInRoutes(ports: SignInPorts | undefined): Route[] {
  const exchange = ports && createSignInExchange(ports.provider, ports.origin, 'console_sign_in');
  const signingIn = ports && exchange && { ...ports, exchange };
  return [beginRoute(signingIn), finishRoute(signingIn), sessionRoute(ports), endRoute(ports)];
}

interface SigningIn extends SignInPorts {
  readonly exchange: SignInExchange;
}

const page = {
  policy: 'public',
  undocumented: true,
  produces: 'text/html; charset=utf-8',
  responses: { 303: z.unknown() },
} as const;

function beginRoute(ports: SigningIn | undefined): Route {
  return defineRoute({
    ...page,
    method: 'GET',
    path: '/console/sign-in',
    summary: 'Go to the identity provider',
    errors: ['sign_in_not_configured', 'identity_unavailable'],
    handle: async () => {
      if (!ports) return problem('sign_in_not_configured');
      const begun = await ports.exchange.begin();
      if (!begun) return problem('identity_unavailable', { retryAfterSeconds: 5 });
      return reply(303, '' as unknown, { location: begun.location, 'set-cookie': begun.cookie });
    },
  });
}

function finishRoute(ports: SigningIn | undefined): Route {
  return defineRoute({
    ...page,
    method: 'GET',
    path: '/console/signed-in',
    summary: 'Come back from the identity provider',
    query: answerQuery,
    headers: cookieHeaders,
    errors: [
      'sign_in_not_configured',
      'sign_in_stale',
      'sign_in_refused',
      'sign_in_no_role',
      'identity_unavailable',
      'store_unavailable',
    ],
    handle: async ({ query, headers, log }) => {
      if (!ports) return problem('sign_in_not_configured');
      const person = identify(ports, await ports.exchange.finish(query, headers.cookie));
      if ('kind' in person) {
        log.warn({ code: person.code, reason: person.detail }, 'a sign-in was refused');
        return { ...person, headers: { 'set-cookie': ports.exchange.forget } };
      }
      const value = await ports.begin(person);
      log.info({ subject: person.subject, role: person.role }, 'signed in');
      const kept = sessionCookie(ports.origin).set(value, { sameSite: 'Strict', maxAgeSeconds: ports.sessionSeconds });
      // Two cookies in one header would merge into one. The attempt's cookie expires on its own and cannot be used
      // twice.
      return reply(303, '' as unknown, { location: '/console', 'set-cookie': kept });
    },
  });
}

function identify({ rolesClaim, roleRules }: SignInPorts, outcome: SignInOutcome): StaffMember | Problem {
  if (outcome.verdict === 'stale') return problem('sign_in_stale');
  if (outcome.verdict === 'unavailable') return problem('identity_unavailable', { retryAfterSeconds: 5 });
  if (outcome.verdict === 'refused') return problem('sign_in_refused', { detail: outcome.reason });
  const person = staffOf(outcome.claims, rolesClaim, roleRules);
  if (person === 'no_role') return problem('sign_in_no_role');
  if (person === 'no_identity')
    return problem('sign_in_refused', {
      detail: 'The identity provider names no subject with a verified e-mail address (claims sub and email).',
    });
  return person;
}

function sessionRoute(ports: SignInPorts | undefined): Route {
  return defineRoute({
    method: 'GET',
    path: '/console/session',
    policy: 'public',
    undocumented: true,
    summary: 'Who is signed in with this browser',
    headers: cookieHeaders,
    responses: { 200: sessionView },
    errors: ['store_unavailable'],
    handle: async ({ headers }) => {
      const value = ports && cookieOf(headers.cookie, sessionCookie(ports.origin).name);
      const person = value === undefined ? undefined : await ports!.read(value);
      return reply(200, {
        signInUrl: ports ? '/console/sign-in' : null,
        person: person ? { who: person.email, role: person.role } : null,
      });
    },
  });
}

function endRoute(ports: SignInPorts | undefined): Route {
  return defineRoute({
    method: 'POST',
    path: '/console/sign-out',
    policy: 'public',
    undocumented: true,
    summary: 'End the session of this browser',
    headers: originHeaders,
    responses: { 200: leaving },
    errors: ['forbidden', 'store_unavailable'],
    handle: async ({ headers }) => {
      const value = ports && cookieOf(headers.cookie, sessionCookie(ports.origin).name);
      if (!ports || value === undefined) return reply(200, { leaveUrl: null });
      if (!isSameOrigin(headers, ports.origin))
        return problem('forbidden', { detail: 'A session is ended from its own pages alone.' });
      await ports.end(value);
      const forget = sessionCookie(ports.origin).set('', { sameSite: 'Strict', maxAgeSeconds: 0 });
      return reply(200, { leaveUrl: await ports.provider.leaveUrl() }, { 'set-cookie': forget });
    },
  });
}
