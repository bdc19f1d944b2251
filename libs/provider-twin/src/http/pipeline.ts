/**
 * The life of one request, in the provider's order: transport faults, credentials, version, rate limit, idempotency
 * key, parameters, effect, answer. The effect, its ledger entry, its events and the stored answer of its key are one
 * transaction, so a killed twin never stores half of a request.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Fault, Faults } from '../faults';
import { keyedRequest, type Idempotency, type KeyedRequest } from '../idempotency';
import { enterEffect, logArrival, logOutcome } from '../ledger';
import type { Twin } from '../twin';
import { apiVersion } from '../version';
import type { Endpoint, Ids } from './endpoint';
import { errors, ProviderError } from './errors';
import { expand } from './expand';
import { parseForm, type FormMap } from './form';
import { readParams, type Read, type Shape } from './params';

export interface Host {
  twin: Twin;
  faults: Faults;
  idempotency: Idempotency;
  /** Called after each commit that may have queued webhooks. */
  wakeWebhooks(): void;
  /** Called when the whole state was replaced. */
  stateReplaced(): void;
  reportBug(error: unknown): void;
  /** Resolves when the next request may be executed. */
  readonly turn: () => Promise<void>;
}

interface Answer {
  status: number;
  body: string;
  headers: Record<string, string>;
}

/** A transport fault: the client never gets an answer. */
class Unanswered extends Error {}

interface Incoming {
  requestId: string;
  method: string;
  path: string;
  key: string | null;
  fault: Fault | undefined;
}

/** An error in the sent form. */
export const errorText = (error: ProviderError): string => JSON.stringify({ error: error.body });

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** The account of the credentials (a name that does not reveal the key). Throws 401, or 403 for another account. */
function accountOf(request: FastifyRequest): string {
  const header = request.headers.authorization ?? '';
  const basic = /^Basic (.+)$/i.exec(header)?.[1];
  const secret =
    /^Bearer (.+)$/i.exec(header)?.[1] ??
    (basic ? Buffer.from(basic, 'base64').toString('utf8').split(':')[0] : undefined);
  if (!secret)
    throw errors.unauthorised(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    );
  if (!/^(sk|rk)_test_[A-Za-z0-9_]+$/.test(secret))
    throw errors.unauthorised('Invalid API Key provided: the provider twin takes test keys (sk_test_...) only.');
  const account = single(request.headers['stripe-account']);
  if (account !== undefined) throw errors.forbidden(account);
  return 'acct_twin';
}

function checkVersion(request: FastifyRequest): void {
  const version = single(request.headers['stripe-version']);
  if (version !== undefined && version !== apiVersion)
    throw errors.invalid(
      `Invalid Stripe API version: ${version.slice(0, 60)}. The provider twin speaks ${apiVersion}.`,
    );
}

function formOf(request: FastifyRequest): FormMap {
  const query = request.url.split('?')[1] ?? '';
  const body = typeof request.body === 'string' && request.method !== 'GET' ? request.body : '';
  return parseForm([query, body].filter((part) => part !== '').join('&'));
}

function execute(
  host: Host,
  endpoint: Endpoint,
  incoming: Incoming,
  params: Read<Shape>,
  expansions: string[],
  ids: Ids,
  keyed: KeyedRequest | undefined,
): Answer {
  const { twin } = host;
  const { requestId, method, path, key } = incoming;
  const keepAnswer = (status: number, body: string): void => {
    if (keyed) host.idempotency.keep(keyed, { status, body, requestId }, twin.now());
    if (twin.state.get('request', requestId))
      Object.assign(twin.state.edit('request', requestId), { status, outcome: 'executed' });
  };
  const fail = (error: ProviderError): Answer => {
    twin.state.transact(() => keepAnswer(error.status, errorText(error)));
    return { status: error.status, body: errorText(error), headers: {} };
  };
  const forced = incoming.fault?.fault === 'status_500' ? errors.api('An unknown error occurred.') : undefined;
  if (forced && !incoming.fault?.effect) return fail(forced);
  try {
    return twin.transact({ requestId, idempotencyKey: key }, () => {
      let status = 200;
      let result: object;
      try {
        result = endpoint.run(twin, params, ids);
      } catch (error) {
        if (!(error instanceof ProviderError) || !error.keepsEffects) throw error;
        status = error.status;
        result = { error: error.body };
      }
      const body = JSON.stringify(status === 200 ? expand(twin.state, result, expansions) : result);
      if (method !== 'GET' && !endpoint.readOnly)
        enterEffect(twin, {
          method,
          path,
          idempotencyKey: key,
          requestId,
          status,
          metadata: params.metadata,
          answer: result,
        });
      keepAnswer(forced?.status ?? status, forced ? errorText(forced) : body);
      return { status: forced?.status ?? status, body: forced ? errorText(forced) : body, headers: {} };
    });
  } catch (error) {
    // An impossible expansion is a bad parameter: nothing happened, and the key can be used again.
    if (error instanceof ProviderError && error.body.param === 'expand') throw error;
    if (error instanceof ProviderError) return fail(error);
    host.reportBug(error);
    return fail(errors.api('The provider twin failed inside; see its log.'));
  }
}

async function answerOf(
  host: Host,
  endpoint: Endpoint | undefined,
  request: FastifyRequest,
  incoming: Incoming,
): Promise<Answer> {
  const { fault, method, path, key } = incoming;
  if (fault?.fault === 'lose_answer_before') throw new Unanswered();
  const account = accountOf(request);
  checkVersion(request);
  if (fault?.fault === 'rate_limit') throw errors.rateLimited();
  if (!endpoint)
    throw errors.invalid(
      `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
      undefined,
      undefined,
      404,
    );
  const form = formOf(request);
  const keyed = method === 'POST' && key !== null ? keyedRequest(account, key, method, path, form) : undefined;
  const stored = keyed && host.idempotency.find(keyed);
  if (stored) {
    logOutcome(host.twin.state, incoming.requestId, { status: stored.status, outcome: 'replayed' });
    return {
      status: stored.status,
      body: stored.body,
      headers: { 'Idempotent-Replayed': 'true', 'Original-Request': stored.requestId },
    };
  }
  const { expand: expansions, ...params } = readParams(endpoint.params, form);
  const finish = keyed && host.idempotency.begin(keyed);
  try {
    if (fault?.fault === 'hold') await host.faults.wait(fault, incoming.requestId);
    else if (keyed) await host.turn();
    return execute(
      host,
      endpoint,
      incoming,
      params,
      Array.isArray(expansions) ? expansions.map(String) : [],
      request.params as Ids,
      keyed,
    );
  } finally {
    finish?.();
  }
}

function send(twin: Twin, reply: FastifyReply, answer: Answer, incoming: Incoming): boolean {
  const { fault, requestId, key } = incoming;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Date: new Date(twin.now() * 1_000).toUTCString(),
    'Request-Id': requestId,
    'Stripe-Version': apiVersion,
    ...(key === null ? {} : { 'Idempotency-Key': key, 'Original-Request': requestId }),
    ...answer.headers,
  };
  if (fault?.fault === 'lose_answer_after') throw new Unanswered();
  if (fault?.fault === 'cut_answer') {
    const bytes = Buffer.from(answer.body);
    reply.hijack();
    reply.raw.writeHead(answer.status, { ...headers, 'Content-Length': bytes.length });
    reply.raw.write(bytes.subarray(0, Math.min(fault.bytes, bytes.length - 1)), () => reply.raw.destroy());
    return false;
  }
  void reply.code(answer.status).headers(headers).send(answer.body);
  return true;
}

/** Serves one request from arrival to answer; `endpoint` is undefined for an unknown path. */
export async function serve(
  host: Host,
  endpoint: Endpoint | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  early?: ProviderError,
): Promise<void> {
  const method = request.method;
  const path = request.url.split('?')[0] ?? '';
  const key = single(request.headers['idempotency-key']) || null;
  const fault = host.faults.take(method, path);
  const requestId = logArrival(host.twin, { method, path, idempotencyKey: key });
  const incoming: Incoming = { requestId, method, path, key, fault };
  let answered = false;
  try {
    let answer: Answer;
    try {
      if (early) throw early;
      answer = await answerOf(host, endpoint, request, incoming);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      logOutcome(host.twin.state, requestId, { status: error.status, outcome: 'refused' });
      answer = { status: error.status, body: errorText(error), headers: {} };
    }
    answered = send(host.twin, reply, answer, incoming);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    reply.hijack();
    request.raw.socket.destroy();
  } finally {
    const entry = host.twin.state.get('request', requestId);
    const outcome = entry?.outcome === 'in_flight' ? { outcome: 'refused' as const } : {};
    logOutcome(host.twin.state, requestId, { answered, fault: fault?.fault ?? null, ...outcome });
    host.wakeWebhooks();
  }
}
