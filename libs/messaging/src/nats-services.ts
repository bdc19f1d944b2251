/**
 * Requests that must not be stored: request/reply through the services API, so that standard tools list and measure
 * them. A refusal is sent as a service error whose body contains the platform's stable code.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Svcm, ServiceError, ServiceErrorCodeHeader } from '@nats-io/services';
import type { ServiceMsg } from '@nats-io/services';
import { errors } from '@nats-io/transport-node';
import { correlationOf, ok, refused } from '@platform/kernel';
import type { Result, StepSpan } from '@platform/kernel';
import type { AdapterContext } from './nats-context';
import { toNatsHeaders } from './nats-headers';
import type { Endpoint, RequestRefusal, Subscription } from './port';
import { decodeBody, encodeBody, encodeReply, headerText } from './wire';

const closeGraceMs = 1_000;
/** Concurrent answers at one endpoint for one account of another team, and for the platform's own account. */
const answersAtOnce = { ofTeam: 32, ofPlatform: 512 };

type ServiceDescription = { readonly name: string; readonly version: string; readonly description: string };

/** Serves the endpoints in the queue group of the service's name; closing waits for running answers. */
export async function openService(
  context: AdapterContext,
  description: ServiceDescription,
  endpoints: readonly Endpoint[],
): Promise<Subscription> {
  const { connection, names, options } = context;
  const service = await new Svcm(connection).add({ ...description, queue: description.name });
  const answering = new Set<Promise<void>>();
  for (const endpoint of endpoints) {
    const room = createRoom();
    service.addEndpoint(endpoint.name, {
      subject: names.subject(endpoint.subject),
      handler: (error, message) => {
        if (error) return;
        const leave = room(accountOf(message));
        if (!leave) return refuse(message, overloaded);
        const answer = respond(context, endpoint, message).finally(() => {
          answering.delete(answer);
          leave();
        });
        answering.add(answer);
      },
    });
  }
  void service.stopped.then((error) => {
    if (error)
      options.log.error(
        { service: description.name, reason: error.message },
        'The service stopped: the broker refused a subscription',
      );
  });
  // The subscriptions must exist at the broker before the caller announces that it serves.
  await connection.flush();
  return {
    close: async () => {
      // Stopping flushes to the broker, which may be unreachable; then no request arrives anyway, so the wait is
      // limited.
      const grace = new AbortController();
      await Promise.race([
        service.stop(),
        pause(closeGraceMs, undefined, { signal: grace.signal }).catch(() => undefined),
      ]);
      grace.abort();
      await Promise.all(answering);
    },
  };
}

/**
 * For a request from another account the server names that account, whatever the requester wrote; '' for the platform's
 * own.
 */
function accountOf({ headers }: ServiceMsg): string {
  const named = headers?.get('Nats-Request-Info');
  if (!named) return '';
  try {
    return String((JSON.parse(named) as { acc?: unknown }).acc ?? '');
  } catch {
    return '';
  }
}

/**
 * Admits a request, unless its account already has as many running as allowed; an admitted request calls `leave` when
 * it is answered.
 */
function createRoom(): (account: string) => (() => void) | undefined {
  const underWay = new Map<string, number>();
  return (account) => {
    const count = underWay.get(account) ?? 0;
    if (count >= (account === '' ? answersAtOnce.ofPlatform : answersAtOnce.ofTeam)) return undefined;
    underWay.set(account, count + 1);
    return () => {
      const left = (underWay.get(account) ?? 1) - 1;
      if (left === 0) underWay.delete(account);
      else underWay.set(account, left);
    };
  };
}

type Failure = Exclude<Answer, { readonly bytes: Uint8Array }>;

/** Refused before the body is read, so that a flood costs no more than its refusals. */
const overloaded: Failure = {
  status: 503,
  code: 'overloaded',
  message: 'More questions of yours wait than are answered at once; ask again later',
};

function refuse(message: ServiceMsg, { status, code, message: text }: Failure): void {
  message.respondError(status, headerText(text), JSON.stringify({ code, message: text }));
}

/** Never throws, because the requester and the connection may have disappeared. */
async function respond(context: AdapterContext, endpoint: Endpoint, message: ServiceMsg): Promise<void> {
  const { connection, options } = context;
  const answer = await findAnswer(context, endpoint, message);
  if (connection.isClosed())
    return options.log.warn({ endpoint: endpoint.name }, 'The answer was not sent: the connection is closed');
  if ('bytes' in answer) message.respond(answer.bytes);
  else refuse(message, answer);
}

type Answer =
  { readonly bytes: Uint8Array } | { readonly status: number; readonly code: string; readonly message: string };

async function findAnswer(
  { tracing, options, names }: AdapterContext,
  endpoint: Endpoint,
  message: ServiceMsg,
): Promise<Answer> {
  const body = decodeBody(message.data);
  if (!body.ok) return { status: 400, code: 'invalid_request', message: body.reason };
  const attributes = { 'rpc.system': 'nats', 'rpc.method': endpoint.subject };
  const activity = tracing.begin({
    name: `answer ${endpoint.subject}`,
    kind: 'server',
    traceparent: message.headers?.get('traceparent'),
    attributes,
  });
  const subject = names.plainSubject(message.subject);
  return activity.within(async () => {
    try {
      const answer = await endpoint.answer(body.body, subject);
      activity.end(undefined, answer.ok ? {} : { 'platform.refusal_code': answer.error.code });
      if (answer.ok) return { bytes: encodeReply(subject, answer.value) };
      return { status: 422, ...answer.error };
    } catch (error) {
      options.log.error({ endpoint: endpoint.name, error }, 'Endpoint threw');
      activity.end('endpoint threw');
      return { status: 500, code: 'internal_error', message: 'The service failed to answer' };
    }
  }, correlationOf(body.body));
}

/**
 * Sends a request and waits. `no_responders` and `not_connected` prove that no process received it; after `timeout` and
 * `disconnected` it may have been executed; `refused` contains the serving side's code. Throws only for a body that is
 * too large.
 */
export async function requestAnswer(
  context: AdapterContext,
  subject: string,
  body: Readonly<Record<string, unknown>>,
  timeoutMs: number,
): Promise<Result<unknown, RequestRefusal>> {
  const bytes = encodeBody(subject, body);
  if (!context.connected()) return refused({ code: 'not_connected', message: 'The broker is not connected' });
  return context.tracing.step(
    { name: `ask ${subject}`, kind: 'client', attributes: { 'rpc.system': 'nats', 'rpc.method': subject } },
    async (span) => {
      const answer = await sendRequest(context, subject, bytes, timeoutMs, span.traceparent);
      noteRefusal(span, answer);
      return answer;
    },
  );
}

function noteRefusal(span: StepSpan, answer: Result<unknown, RequestRefusal>): void {
  if (answer.ok) return;
  const { code, serverCode } = answer.error;
  span.note({ 'platform.refusal_code': serverCode ?? code }, code === 'refused' ? undefined : code);
}

async function sendRequest(
  { connection, names }: AdapterContext,
  subject: string,
  bytes: Uint8Array,
  timeoutMs: number,
  traceparent: string | undefined,
): Promise<Result<unknown, RequestRefusal>> {
  try {
    const headers = traceparent === undefined ? {} : { headers: toNatsHeaders({ traceparent }) };
    const reply = await connection.request(names.subject(subject), bytes, { timeout: timeoutMs, ...headers });
    const answer = decodeBody(reply.data);
    if (ServiceError.isServiceError(reply)) {
      const refusal = answer.ok ? (answer.body as { code?: unknown; message?: unknown } | null) : null;
      return refused({
        code: 'refused',
        serverCode:
          typeof refusal?.code === 'string' ? refusal.code : (reply.headers?.get(ServiceErrorCodeHeader) ?? ''),
        message: typeof refusal?.message === 'string' ? refusal.message : 'The service refused the request',
      });
    }
    if (!answer.ok)
      return refused({ code: 'refused', serverCode: 'answer_not_understood', message: 'The answer is not JSON' });
    return ok(answer.body);
  } catch (error) {
    return refused(classifyRequestFailure(error, subject));
  }
}

function classifyRequestFailure(error: unknown, subject: string): RequestRefusal {
  if (error instanceof errors.NoRespondersError || (error instanceof errors.RequestError && error.isNoResponders())) {
    return { code: 'no_responders', message: `No process serves ${subject}` };
  }
  if (
    error instanceof errors.TimeoutError ||
    (error instanceof errors.RequestError && error.cause instanceof errors.TimeoutError)
  ) {
    return { code: 'timeout', message: `No answer from ${subject} in time` };
  }
  if (
    error instanceof errors.PermissionViolationError ||
    (error as Error).cause instanceof errors.PermissionViolationError
  ) {
    return { code: 'refused', serverCode: 'not_permitted', message: `The broker does not permit ${subject}` };
  }
  return { code: 'disconnected', message: 'The connection was lost before an answer came' };
}
