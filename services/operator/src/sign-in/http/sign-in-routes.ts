/**
 * Signing in at an identity provider, and out again (specification §1: who operates is known): the platform's people and
 * consumer teams to the console, owners to their pages. What a browser keeps meanwhile is a cookie of ten minutes; a
 * refusal is a page in words and keeps nothing.
 */
import {
  cookieOf,
  createSignInExchange,
  defineRoute,
  isSameOrigin,
  problem,
  reply,
  siteCookie,
  type IdentityProvider,
  type Policy,
  type Problem,
  type Route,
  type SignInExchange,
  type SignInOutcome,
  type SignedInPerson,
} from '@platform/http-server';
import { z } from 'zod';

/** Pages of the gateway that people sign in to, each with cookies of its own. */
export interface SignInSite {
  readonly base: '/console' | '/account';
  /** Names of its cookies: of a session, and of a sign-in under way. */
  readonly session: string;
  readonly attempt: string;
  readonly title: string;
  /** Where a browser has a session of each site: the routes at which this one's counts. */
  readonly firstAt: (policy: Policy) => boolean;
}

export const signInSites = {
  console: {
    ...{ base: '/console', session: 'console_session', attempt: 'console_sign_in', title: 'Operator console' },
    firstAt: (policy) => policy !== 'workspace_owner',
  },
  account: {
    ...{ base: '/account', session: 'owner_session', attempt: 'owner_sign_in', title: "Owner's pages" },
    firstAt: (policy) => policy === 'workspace_owner',
  },
} as const satisfies Readonly<Record<string, SignInSite>>;

export interface SignInPorts {
  readonly provider: IdentityProvider;
  /** The gateway's address for browsers, for example `https://console.example`. */
  readonly origin: string;
  /** What the person of these claims may do here. Throws StoreUnavailableError. */
  identify(claims: Readonly<Record<string, unknown>>): Promise<SignedInPerson | 'no_identity' | 'no_role'>;
  readonly sessionSeconds: number;
  /** The content of a new session's cookie. Throws StoreUnavailableError. */
  begin(person: SignedInPerson): Promise<string>;
  read(value: string): Promise<Omit<SignedInPerson, 'subject'> | undefined>;
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
  person: z
    .strictObject({
      who: z.string(),
      role: z.string(),
      consumers: z.array(z.string()).optional(),
      /** In which the person is an owner. */
      workspaces: z.array(z.string()).optional(),
    })
    .nullable(),
});
const leaving = z.strictObject({ leaveUrl: z.string().nullable() });

/** Where a site keeps its session, for the code that reads it on a request. */
export const sessionCookie = (origin: string, { session }: SignInSite) => siteCookie(origin, session);

/** Without ports people show a token, and the page says so. */
export function signInRoutes(site: SignInSite, ports: SignInPorts | undefined): Route[] {
  const exchange = ports && createSignInExchange(ports.provider, ports.origin, site.attempt);
  const signingIn = ports && exchange && { ...ports, exchange };
  return [beginRoute(site, signingIn), finishRoute(site, signingIn), sessionRoute(site, ports), endRoute(site, ports)];
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

function beginRoute({ base }: SignInSite, ports: SigningIn | undefined): Route {
  return defineRoute({
    ...page,
    method: 'GET',
    path: `${base}/sign-in`,
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

function finishRoute(site: SignInSite, ports: SigningIn | undefined): Route {
  return defineRoute({
    ...page,
    method: 'GET',
    path: `${site.base}/signed-in`,
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
      const person = await identify(ports, await ports.exchange.finish(query, headers.cookie));
      if ('kind' in person) {
        log.warn({ code: person.code, reason: person.detail }, 'a sign-in was refused');
        return { ...person, headers: { 'set-cookie': ports.exchange.forget } };
      }
      const value = await ports.begin(person);
      log.info({ subject: person.subject, role: person.role }, 'signed in');
      const kept = sessionCookie(ports.origin, site).set(value, {
        sameSite: 'Strict',
        maxAgeSeconds: ports.sessionSeconds,
      });
      // Two cookies in one header would merge into one. The attempt's cookie expires on its own and cannot be used
      // twice.
      return reply(303, '' as unknown, { location: site.base, 'set-cookie': kept });
    },
  });
}

async function identify(ports: SignInPorts, outcome: SignInOutcome): Promise<SignedInPerson | Problem> {
  if (outcome.verdict === 'stale') return problem('sign_in_stale');
  if (outcome.verdict === 'unavailable') return problem('identity_unavailable', { retryAfterSeconds: 5 });
  if (outcome.verdict === 'refused') return problem('sign_in_refused', { detail: outcome.reason });
  const person = await ports.identify(outcome.claims);
  if (person === 'no_role') return problem('sign_in_no_role');
  if (person === 'no_identity')
    return problem('sign_in_refused', {
      detail: 'The identity provider names no subject with a verified e-mail address (claims sub and email).',
    });
  return person;
}

function sessionRoute(site: SignInSite, ports: SignInPorts | undefined): Route {
  return defineRoute({
    method: 'GET',
    path: `${site.base}/session`,
    policy: 'public',
    undocumented: true,
    summary: 'Who is signed in with this browser',
    headers: cookieHeaders,
    responses: { 200: sessionView },
    errors: ['store_unavailable'],
    handle: async ({ headers }) => {
      const value = ports && cookieOf(headers.cookie, sessionCookie(ports.origin, site).name);
      const person = value === undefined ? undefined : await ports!.read(value);
      return reply(200, {
        signInUrl: ports ? `${site.base}/sign-in` : null,
        person: person ? shownPerson(person) : null,
      });
    },
  });
}

function shownPerson({ email: who, role, consumers, workspaces = {} }: Omit<SignedInPerson, 'subject'>) {
  const owned = Object.keys(workspaces).filter((tenantId) => workspaces[tenantId] === 'owner');
  return { who, role, ...(consumers && { consumers: [...consumers] }), ...(owned.length > 0 && { workspaces: owned }) };
}

function endRoute(site: SignInSite, ports: SignInPorts | undefined): Route {
  return defineRoute({
    method: 'POST',
    path: `${site.base}/sign-out`,
    policy: 'public',
    undocumented: true,
    summary: 'End the session of this browser',
    headers: originHeaders,
    responses: { 200: leaving },
    errors: ['forbidden', 'store_unavailable'],
    handle: async ({ headers }) => {
      const value = ports && cookieOf(headers.cookie, sessionCookie(ports.origin, site).name);
      if (!ports || value === undefined) return reply(200, { leaveUrl: null });
      if (!isSameOrigin(headers, ports.origin))
        return problem('forbidden', { detail: 'A session is ended from its own pages alone.' });
      await ports.end(value);
      const forget = sessionCookie(ports.origin, site).set('', { sameSite: 'Strict', maxAgeSeconds: 0 });
      return reply(200, { leaveUrl: await ports.provider.leaveUrl() }, { 'set-cookie': forget });
    },
  });
}
