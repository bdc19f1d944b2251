/**
 * Protection by scope: each policy is one encapsulated context whose first hook authenticates and authorises, and a
 * route exists only inside the context of its policy. The order in the hook is the documented order of refusals:
 * address limit, 401, 403 or 404, caller limit, 404 of the guard; only then is the body read (contracts §2).
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { continueTrace, correlationOf, type Log } from '@platform/kernel';
import { notYetValidText, type Authenticator } from '../auth/authenticator';
import type { Caller } from '../auth/claims';
import type { CodeTable } from '../codes';
import { impliedCodes } from '../openapi/problem-responses';
import { admissionTo, judgedParameter, policies, type Policy } from '../policy';
import { problem, Refusal, type Problem } from '../problem';
import { cookieOf, isSameOrigin, type BrowserSessions } from '../sign-in/browser-session';
import type { Reply, Route, TextReply } from '../route';
import { acceptJson, acceptRawBytes } from './body-parsers';
import { endWithAnswer, endWithCaller, isLasting } from './lasting-streams';
import { createRequestReader, type RequestReader } from './read-request';
import { sendProblem } from './refusals';
import { withFields } from './request-log';
import type { RequestBudget } from './rate-limit';

export interface ScopeOptions {
  readonly name: string;
  readonly codes: CodeTable;
  readonly log: Log;
  readonly auth?: Authenticator | undefined;
  readonly sessions?: readonly BrowserSessions[] | undefined;
  readonly callerBudget?: RequestBudget | undefined;
  /** See {@link endWithCaller}. */
  readonly callerAskedEveryMs: number;
}

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

function unauthenticated(name: string, reason?: string, detail?: string): Problem {
  const challenge = reason === undefined ? '' : `, error="invalid_token", error_description="${reason}"`;
  return problem('unauthenticated', { detail, headers: { 'www-authenticate': `Bearer realm="${name}"${challenge}` } });
}

const reads = new Set(['GET', 'HEAD']);

/**
 * Who is signed in by a cookie; undefined without one. Of several sessions of one browser, the first that is alive counts:
 * the one that the route's policy prefers, then in the order of their declaration.
 */
async function callerBySession(
  { headers, method }: FastifyRequest,
  policy: Policy,
  { name, sessions = [] }: ScopeOptions,
): Promise<Caller | undefined> {
  const ordered = [...sessions].sort((a, b) => Number(b.firstAt?.(policy) ?? 0) - Number(a.firstAt?.(policy) ?? 0));
  let [ended, early] = [false, false];
  for (const session of ordered) {
    const value = cookieOf(headers.cookie, session.cookieName);
    const caller = value === undefined ? undefined : await session.callerOf(value);
    ended ||= value !== undefined;
    early ||= caller === 'not_yet_valid';
    if (!caller || caller === 'not_yet_valid') continue;
    if (!reads.has(method) && !isSameOrigin(headers, session.origin))
      throw new Refusal(problem('forbidden', { detail: 'A session changes something from its own pages alone.' }));
    return caller;
  }
  if (early) throw new Refusal(unauthenticated(name, 'the session is not valid yet', notYetValidText));
  if (ended) throw new Refusal(unauthenticated(name, 'the session has ended'));
  return undefined;
}

async function authenticate(request: FastifyRequest, policy: Policy, options: ScopeOptions): Promise<Caller> {
  const { name, auth } = options;
  const header = request.headers.authorization;
  const signedIn = header === undefined ? await callerBySession(request, policy, options) : undefined;
  if (signedIn) return signedIn;
  if (header === undefined || !auth) throw new Refusal(unauthenticated(name));
  const token = bearer.exec(header)?.[1];
  if (token === undefined) throw new Refusal(unauthenticated(name, 'a bearer token is expected'));
  const verdict = await auth.verify(token);
  switch (verdict.verdict) {
    case 'valid':
      return verdict.caller;
    case 'expired':
      throw new Refusal(unauthenticated(name, 'the token has expired'));
    case 'not_yet_valid':
      throw new Refusal(unauthenticated(name, 'the token is not valid yet', notYetValidText));
    case 'undecided':
      throw new Refusal(problem('identity_unavailable', { retryAfterSeconds: 5 }));
    case 'invalid':
      throw new Refusal(unauthenticated(name, 'the token is not valid'));
  }
}

/** The workspace or the consumer by which the policy judges. */
function namedIn(request: FastifyRequest, policy: Policy): string | undefined {
  const params = request.params as Readonly<Record<string, string>>;
  const name = judgedParameter(policy);
  return name !== undefined && Object.hasOwn(params, name) ? params[name] : undefined;
}

/** The verified caller, under the limits of a caller. */
async function enter(request: FastifyRequest, response: FastifyReply, options: ScopeOptions): Promise<Caller> {
  request.caller = await authenticate(request, 'signed_in', options);
  await options.callerBudget?.spend(request, response);
  return request.caller;
}

/** Throws a Refusal for a caller who is not admitted; a known caller is set on the request even then. */
async function admitCaller(policy: Policy, request: FastifyRequest, options: ScopeOptions): Promise<void> {
  request.caller = await authenticate(request, policy, options);
  const admission = admissionTo(policy, request.caller, namedIn(request, policy));
  if (admission === 'not_found') throw new Refusal(problem('not_found'));
  if (admission !== 'allowed') throw new Refusal(problem('forbidden'));
}

function admit(policy: Policy, options: ScopeOptions) {
  return async (request: FastifyRequest, response: FastifyReply): Promise<void> => {
    if (policy === 'public') return;
    await admitCaller(policy, request, options);
    await options.callerBudget?.spend(request, response);
  };
}

/** Created only on demand, because most routes end before their caller could leave. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  const close = (): void => {
    if (!raw.writableFinished) leaving.abort();
  };
  if (raw.destroyed) close();
  else raw.once('close', close);
  return leaving.signal;
}

function guardInput(request: FastifyRequest, response: FastifyReply, params: unknown, options: ScopeOptions) {
  const { log } = options;
  const caller = (request.caller ?? undefined) as Caller;
  const { traceId, traceparent } = request.trace ?? continueTrace(undefined);
  return {
    params,
    caller,
    log: withFields(log, { requestId: request.id, traceId }),
    requestId: request.id,
    traceparent,
    gone: () => goneSignal(response),
    path: request.url.split('?', 1)[0]!,
    signIn: () => enter(request, response, options),
  };
}

/** Runs a route's own code as part of the request's trace. `parts` names the operation where a route has one. */
function withinTrace<T>(request: FastifyRequest, parts: readonly unknown[], work: () => Promise<T>): Promise<T> {
  return request.trace ? request.trace.within(work, { requestId: request.id, ...correlationOf(...parts) }) : work();
}

function guardOf(route: Route, reader: RequestReader, options: ScopeOptions) {
  return async (request: FastifyRequest, response: FastifyReply): Promise<void> => {
    const params = reader.params(request.params);
    // The 400 that names malformed parameters comes later.
    if (!params) return;
    const refusal = await withinTrace(request, [params.value], async () =>
      route.guard?.(guardInput(request, response, params.value, options)),
    );
    if (refusal) throw new Refusal(refusal);
  };
}

function send(response: FastifyReply, route: Route, answer: Reply): FastifyReply {
  if (!Object.hasOwn(route.responses, answer.status)) {
    throw new TypeError(`${route.method} ${route.path} answered ${answer.status}, which it does not declare`);
  }
  response.code(answer.status);
  if (route.produces !== undefined) response.type(route.produces).serializer((value: unknown) => value as string);
  if (answer.headers) response.headers({ ...answer.headers });
  if (answer.body instanceof Readable) endWithAnswer(answer.body, response);
  return response.send(answer.body);
}

function sendText(response: FastifyReply, route: Route, { contentType, text, headers }: TextReply): FastifyReply {
  const [type = ''] = contentType.split(';');
  if (!Object.hasOwn(route.alsoProduces ?? {}, type))
    throw new TypeError(`${route.method} ${route.path} answered ${type}, which it does not declare`);
  response.code(200).headers({ ...headers });
  return response
    .type(contentType)
    .serializer((value: unknown) => value as string)
    .send(text);
}

function handlerOf(route: Route, reader: RequestReader, options: ScopeOptions) {
  const { codes } = options;
  const declared = new Set<string>([...impliedCodes(route, true), ...route.errors]);
  return async (request: FastifyRequest, response: FastifyReply): Promise<FastifyReply> => {
    const read = reader.read(
      request as { params: unknown; query: unknown; headers: typeof request.headers; body: unknown },
    );
    if (!read.ok) return sendProblem(response, codes, problem('invalid_request', { errors: read.errors }));
    const input = guardInput(request, response, read.parts.params, options);
    const answer = await withinTrace(request, [read.parts.body, read.parts.params], () =>
      route.handle({ ...input, ...read.parts }),
    );
    if (answer.kind === 'text') return sendText(response, route, answer);
    if (answer.kind !== 'problem') {
      if (isLasting(route) && route.policy !== 'public')
        endWithCaller(response, () => admitCaller(route.policy, request, options), options.callerAskedEveryMs);
      return send(response, route, answer);
    }
    if (!declared.has(answer.code))
      input.log.warn({ code: answer.code, route: route.path }, 'answered a code that the route does not declare');
    return sendProblem(response, codes, answer);
  };
}

function addRoute(scope: FastifyInstance, route: Route, options: ScopeOptions): void {
  const reader = createRequestReader(route);
  scope.route({
    method: route.method,
    url: route.path,
    ...(route.bodyBytes === undefined ? {} : { bodyLimit: route.bodyBytes }),
    ...(route.guard ? { onRequest: guardOf(route, reader, options) } : {}),
    ...(route.produces === undefined ? { schema: { response: { ...route.responses } } } : {}),
    handler: handlerOf(route, reader, options),
  });
}

/** Gives a plugin a name, so that the framework does not search for one among all loaded modules. */
function named<P extends (app: FastifyInstance) => Promise<void>>(name: string, plugin: P): P {
  return Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name });
}

/**
 * Registers each route inside the context of its policy; raw bodies have their own context within it. A context without
 * a route is left out, because each costs as much as some routes.
 */
export function registerRoutes(app: FastifyInstance, routes: readonly Route[], options: ScopeOptions): void {
  for (const policy of policies) {
    const mine = routes.filter((route) => route.policy === policy);
    const [raw, parsed] = [mine.filter(({ rawBody }) => rawBody), mine.filter(({ rawBody }) => !rawBody)];
    if (mine.length === 0) continue;
    const rawBodies = named(`${policy}, raw bodies`, async (scope) => {
      acceptRawBytes(scope);
      for (const route of raw) addRoute(scope, route, options);
    });
    const all = named(policy, async (scope) => {
      scope.addHook('onRequest', admit(policy, options));
      acceptJson(scope);
      for (const route of parsed) addRoute(scope, route, options);
      if (raw.length > 0) scope.register(rawBodies);
    });
    app.register(all);
  }
}
