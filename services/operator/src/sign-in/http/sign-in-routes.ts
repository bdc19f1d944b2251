/**
 * Signing in to the console at the organisation's identity provider, and out again (specification §1: who operates is
 * known). What a browser keeps meanwhile is a cookie of ten minutes; a refusal is a page in words and keeps nothing.
 */
import {
  cookieOf,
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
  type SignInAttempt,
  type SignInFault,
  type StaffMember,
} from '@platform/http-server';
import { z } from 'zod';

export interface SignInPorts {
  readonly provider: IdentityProvider;
  /** Of the gateway for browsers, for example `https://console.example`. */
  readonly origin: string;
  readonly rolesClaim: string;
  readonly roleRules: RoleRules;
  readonly sessionSeconds: number;
  /** What the cookie of a new session holds. Throws StoreUnavailableError. */
  begin(person: StaffMember): Promise<string>;
  read(value: string): Promise<{ readonly email: string; readonly role: string } | undefined>;
  end(value: string): Promise<void>;
}

const attemptSeconds = 600;
const cookieHeaders = z.object({ cookie: z.string().max(8_192).optional() });
const originHeaders = cookieHeaders.extend({
  origin: z.string().max(300).optional(),
  'sec-fetch-site': z.string().max(30).optional(),
});
/** The provider may add parameters of its own (`iss`, `session_state`). */
const answerQuery = z.object({}).catchall(z.string().max(4_000));
const sessionView = z.strictObject({
  /** Where to sign in; null where people show a token. */
  signInUrl: z.string().nullable(),
  person: z.strictObject({ who: z.string(), role: z.string() }).nullable(),
});
const leaving = z.strictObject({ leaveUrl: z.string().nullable() });

/** Where the console keeps its session, for the code that reads it on a request. */
export const sessionCookie = (origin: string) => siteCookie(origin, 'console_session');
const attemptCookie = (origin: string) => siteCookie(origin, 'console_sign_in');

/** Without ports people show a token, and the console says so. */
export function signInRoutes(ports: SignInPorts | undefined): Route[] {
  return [beginRoute(ports), finishRoute(ports), sessionRoute(ports), endRoute(ports)];
}

const page = {
  policy: 'public',
  undocumented: true,
  produces: 'text/html; charset=utf-8',
  responses: { 303: z.unknown() },
} as const;

function beginRoute(ports: SignInPorts | undefined): Route {
  return defineRoute({
    ...page,
    method: 'GET',
    path: '/console/sign-in',
    summary: 'Go to the identity provider',
    errors: ['sign_in_not_configured', 'identity_unavailable'],
    handle: async () => {
      if (!ports) return problem('sign_in_not_configured');
      const begun = await ports.provider.begin();
      if (!begun) return problem('identity_unavailable', { retryAfterSeconds: 5 });
      const { state, nonce, verifier } = begun.attempt;
      const kept = attemptCookie(ports.origin).set(`${state}.${nonce}.${verifier}`, {
        sameSite: 'Lax',
        maxAgeSeconds: attemptSeconds,
      });
      return reply(303, '' as unknown, { location: begun.url, 'set-cookie': kept });
    },
  });
}

function finishRoute(ports: SignInPorts | undefined): Route {
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
      const forget = attemptCookie(ports.origin).set('', { sameSite: 'Lax', maxAgeSeconds: 0 });
      const attempt = attemptOf(cookieOf(headers.cookie, attemptCookie(ports.origin).name));
      const person = await identify(ports, query, attempt);
      if ('kind' in person) {
        log.warn({ code: person.code, reason: person.detail }, 'a sign-in was refused');
        return { ...person, headers: { 'set-cookie': forget } };
      }
      const value = await ports.begin(person);
      log.info({ subject: person.subject, role: person.role }, 'signed in');
      const kept = sessionCookie(ports.origin).set(value, { sameSite: 'Strict', maxAgeSeconds: ports.sessionSeconds });
      // Two cookies in one header would be one; the attempt's ends by itself and opens nothing twice.
      return reply(303, '' as unknown, { location: '/console', 'set-cookie': kept });
    },
  });
}

function attemptOf(value: string | undefined): SignInAttempt | undefined {
  const [state, nonce, verifier, more] = value?.split('.') ?? [];
  return state && nonce && verifier && more === undefined ? { state, nonce, verifier } : undefined;
}

/** What each failed check says to the person whom it refuses. */
const faults: Readonly<Record<Exclude<SignInFault, 'state'>, string>> = {
  nonce: 'The answer of the identity provider belongs to another sign-in (nonce).',
  audience: 'The identity provider answered for another application (audience).',
  issuer: 'The answer is not of the identity provider that is configured (issuer).',
  expired: 'The answer of the identity provider has expired.',
  signature: 'The answer of the identity provider is not signed by it.',
  denied: 'The identity provider did not let you in, or the answer was used before.',
  malformed: 'The identity provider answered what this gateway does not understand.',
};

async function identify(
  { provider, rolesClaim, roleRules }: SignInPorts,
  query: Readonly<Record<string, string>>,
  attempt: SignInAttempt | undefined,
): Promise<StaffMember | Problem> {
  if (!attempt) return problem('sign_in_stale');
  const judged = await provider.finish(new URLSearchParams(query), attempt);
  if (judged.verdict === 'unavailable') return problem('identity_unavailable', { retryAfterSeconds: 5 });
  if (judged.verdict === 'refused')
    return judged.fault === 'state'
      ? problem('sign_in_stale')
      : problem('sign_in_refused', { detail: faults[judged.fault] });
  const person = staffOf(judged.claims, rolesClaim, roleRules);
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
