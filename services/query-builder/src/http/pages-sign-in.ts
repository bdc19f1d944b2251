/**
 * Signs a browser in to the pages and the studio, and out: at the organisation's identity provider where one is
 * configured, or with a token in a form. In both cases the browser keeps a token that programs could send, and the
 * token verifier checks it with every request.
 */
import { pageRoutePrefix } from '@platform/base/page';
import {
  type Authenticator,
  type BrowserSessions,
  createSignInExchange,
  defineRoute,
  type IdentityProvider,
  identityProviderOf,
  notYetValidText,
  problem,
  type Problem,
  type ProviderSettings,
  reply,
  type Route,
  type SignInExchange,
  tokenSessions,
} from '@platform/http-server';
import { z } from 'zod';
import { sessionPath, signInPath } from '../host/chart-page/render-page';
import {
  cameByTls,
  formCookie,
  isFromElsewhere,
  returnPath,
  sessionTokenCharacters,
  siteSession,
  tokenOf,
  tokenPattern,
  type PageCookie,
} from '../host/chart-page/session';

export interface PageSignIn {
  readonly auth: Authenticator;
  /** The cookie in which browsers keep their token. */
  readonly cookie: PageCookie;
  /** Absent: people show a token. */
  readonly organisation?: {
    readonly provider: IdentityProvider;
    readonly exchange: SignInExchange;
    /** For the studio, which calls the builder without a token. */
    readonly sessions: BrowserSessions;
  };
}

/** The sign-in that the variables configure. */
export function pageSignInOf(auth: Authenticator, settings: ProviderSettings): PageSignIn {
  const provider = identityProviderOf(settings, pageRoutePrefix);
  if (!provider) return { auth, cookie: formCookie };
  return pageSignInAt(auth, provider, new URL(settings.OIDC_REDIRECT_URL!).origin);
}

/** `origin`: the address of this service for browsers. */
export function pageSignInAt(auth: Authenticator, provider: IdentityProvider, origin: string): PageSignIn {
  const cookie = siteSession(origin);
  const exchange = createSignInExchange(provider, origin, 'pages_sign_in');
  return {
    auth,
    cookie,
    organisation: { provider, exchange, sessions: tokenSessions(auth, cookie.name, origin) },
  };
}

/** The address as registered at the identity provider and in the variables. */
const signedInPath = `${pageRoutePrefix}-signed-in`;
const htmlType = 'text/html; charset=utf-8';
const cookieHeaders = z.object({ cookie: z.string().max(8_192).optional() });
const sessionView = z.strictObject({
  /** The sign-in address, to which `?to=` and a path are added; null where people show a token. */
  signInUrl: z.string().nullable(),
  /** The address at which the person also signs out of the identity provider. */
  leaveUrl: z.string().nullable(),
  person: z.strictObject({ who: z.string(), role: z.string(), workspaces: z.array(z.string()) }).nullable(),
});

export function pageSignInRoutes(signIn: PageSignIn): Route[] {
  return [formRoute(signIn), viewRoute(signIn), beginRoute(signIn), finishRoute(signIn)];
}

const tooLong = `The token has more than ${sessionTokenCharacters} characters, and a browser would not keep it. Ask for one with fewer workspaces and permissions.`;

/** Why a browser cannot be signed in with the token; undefined when it can. */
async function whyNot(auth: Authenticator, token: string, refused: string): Promise<Problem | undefined> {
  if (token.length > sessionTokenCharacters) return problem('unauthenticated', { detail: tooLong });
  const judged = tokenPattern.test(token) ? await auth.verify(token) : undefined;
  if (judged?.verdict === 'valid') return undefined;
  if (judged?.verdict === 'undecided') return problem('identity_unavailable', { retryAfterSeconds: 5 });
  return problem('unauthenticated', { detail: judged?.verdict === 'not_yet_valid' ? notYetValidText : refused });
}

function formRoute({ auth, cookie }: PageSignIn): Route {
  return defineRoute({
    method: 'POST',
    path: sessionPath,
    policy: 'public',
    summary: 'Signs a browser in or out',
    undocumented: true,
    rawBody: true,
    bodyBytes: 16_384,
    headers: z.object({
      host: z.string().optional(),
      origin: z.string().optional(),
      'sec-fetch-site': z.string().optional(),
      'x-forwarded-proto': z.string().optional(),
      forwarded: z.string().optional(),
    }),
    responses: { 303: z.string() },
    produces: htmlType,
    errors: ['unauthenticated', 'forbidden', 'identity_unavailable'],
    handle: async ({ body, headers }) => {
      if (isFromElsewhere(headers)) return problem('forbidden', { detail: 'Sign in and out on the pages themselves.' });
      const form = new URLSearchParams(body.toString('utf8'));
      const [to, secure] = [returnPath(form.get('to')), cameByTls(headers)];
      const leave = (token: string | undefined) =>
        reply(303, '', { location: to, 'set-cookie': cookie.set(token, secure) });
      if (form.get('action') === 'sign_out') return leave(undefined);
      const token = form.get('token')?.trim() ?? '';
      const refusal = await whyNot(auth, token, 'The token was not accepted.');
      return refusal ? { ...refusal, extras: { returnTo: to } } : leave(token);
    },
  });
}

function viewRoute({ auth, cookie, organisation }: PageSignIn): Route {
  return defineRoute({
    method: 'GET',
    path: sessionPath,
    policy: 'public',
    summary: 'Who is signed in with this browser',
    undocumented: true,
    headers: cookieHeaders,
    responses: { 200: sessionView },
    errors: [],
    handle: async ({ headers }) => {
      const signInUrl = organisation ? signInPath : null;
      const token = organisation && tokenOf(headers, cookie.name);
      const judged = token === undefined ? undefined : await auth.verify(token);
      if (judged?.verdict !== 'valid') return reply(200, { signInUrl, leaveUrl: null, person: null });
      const { email, role, workspaces } = judged.caller;
      return reply(200, {
        signInUrl,
        leaveUrl: (await organisation?.provider.leaveUrl()) ?? null,
        person: { who: email, role, workspaces: Object.keys(workspaces) },
      });
    },
  });
}

const withoutProvider = () =>
  problem('not_found', { detail: 'This service has no identity provider (OIDC_ISSUER). Sign in with a token.' });

function beginRoute({ organisation }: PageSignIn): Route {
  return defineRoute({
    method: 'GET',
    path: signInPath,
    policy: 'public',
    summary: 'Go to the identity provider',
    undocumented: true,
    query: z.strictObject({ to: z.string().max(2_000).optional() }),
    responses: { 303: z.string() },
    produces: htmlType,
    errors: ['not_found', 'identity_unavailable'],
    handle: async ({ query: { to = null } }) => {
      if (!organisation) return withoutProvider();
      const begun = await organisation.exchange.begin(returnPath(to));
      if (!begun) return problem('identity_unavailable', { retryAfterSeconds: 5 });
      return reply(303, '', { location: begun.location, 'set-cookie': begun.cookie });
    },
  });
}

function finishRoute({ auth, cookie, organisation }: PageSignIn): Route {
  return defineRoute({
    method: 'GET',
    path: signedInPath,
    policy: 'public',
    summary: 'Come back from the identity provider',
    undocumented: true,
    // The provider may add parameters of its own (`iss`, `session_state`).
    query: z.object({}).catchall(z.string().max(4_000)),
    headers: cookieHeaders,
    responses: { 303: z.string() },
    produces: htmlType,
    errors: ['not_found', 'unauthenticated', 'identity_unavailable'],
    handle: async ({ query, headers, log }) => {
      if (!organisation) return withoutProvider();
      const outcome = await organisation.exchange.finish(query, headers.cookie);
      const refusal =
        outcome.verdict === 'identified' ? await whyNot(auth, outcome.accessToken, noPass) : whyRefused(outcome);
      if (outcome.verdict !== 'identified' || refusal) {
        log.warn({ reason: refusal?.detail }, 'a sign-in was refused');
        return { ...refusal!, headers: { 'set-cookie': organisation.exchange.forget } };
      }
      // Two cookies in one header would merge into one. The attempt's cookie expires on its own and cannot be used
      // twice.
      return reply(303, '', {
        location: returnPath(outcome.returnTo),
        'set-cookie': cookie.set(outcome.accessToken, false),
      });
    },
  });
}

const noPass =
  'The identity provider let you in, but its access token does not open the pages: it must be signed, name this service as its audience, and say who you are, your role and your permissions.';

type Refused = Exclude<Awaited<ReturnType<SignInExchange['finish']>>, { verdict: 'identified' }>;

function whyRefused(outcome: Refused): Problem {
  if (outcome.verdict === 'unavailable') return problem('identity_unavailable', { retryAfterSeconds: 5 });
  if (outcome.verdict === 'refused') return problem('unauthenticated', { detail: outcome.reason });
  return problem('unauthenticated', {
    detail: 'This browser has begun no such sign-in in the last ten minutes. Begin it again.',
  });
}
