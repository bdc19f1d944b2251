/**
 * The steps of every request, on any route: identity, headers, the request budget of its address, and its line in the
 * log.
 */
import { correlationOf, noTracing } from '@platform/kernel';
import type { FastifyInstance } from 'fastify';
import type { HttpServerOptions } from './options';
import type { RequestBudget } from './rate-limit';
import { withFields } from './request-log';
import { securityHeaders } from './security-headers';

/**
 * One log line and one observation per answer, by route and never by address: an address may contain data that must not
 * be logged.
 */
export function observeRequests(app: FastifyInstance, { log, metrics }: HttpServerOptions): void {
  const seconds = metrics?.histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labels: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const refused = countRefusals(app, log);
  app.addHook('onResponse', async (request, response) => {
    const route = request.routeOptions.url ?? 'unknown';
    const { method } = request;
    seconds?.observe({ method, route, status: String(response.statusCode) }, response.elapsedTime / 1_000);
    request.trace?.end(response.statusCode < 500 ? undefined : (request.problemCode ?? 'failed'), {
      'http.response.status_code': response.statusCode,
      ...(request.problemCode === null ? {} : { 'platform.problem_code': request.problemCode }),
    });
    if (request.problemCode === 'overloaded') return refused.count();
    const fields = {
      method,
      route,
      status: response.statusCode,
      milliseconds: Math.round(response.elapsedTime * 10) / 10,
      ...(request.problemCode === null ? {} : { code: request.problemCode }),
      ...(request.caller ? { subject: request.caller.subject } : {}),
    };
    const requestLog = withFields(log, {
      requestId: request.id,
      traceId: request.trace?.traceId,
      ...correlationOf(request.body, request.params),
    });
    if (response.statusCode < 400 && !route.startsWith('/api/')) requestLog.debug(fields, 'answered');
    else requestLog.info(fields, 'answered');
  });
}

/**
 * Counts refusals and logs the number once a second: a line for each would cost the service most when it is overloaded.
 */
function countRefusals(app: FastifyInstance, log: HttpServerOptions['log']) {
  let refused = 0;
  let timer: NodeJS.Timeout | undefined;
  const say = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (refused > 0) log.warn({ refused }, 'requests were refused: more are under way than can be answered in time');
    refused = 0;
  };
  app.addHook('onClose', async () => say());
  return {
    count(): void {
      refused += 1;
      timer ??= setTimeout(say, 1_000).unref();
    },
  };
}

/** Hooks that run before all others, also before the 404: headers, request id, the budget of the address. */
export function guardEveryRequest(
  app: FastifyInstance,
  { tracing = noTracing }: Pick<HttpServerOptions, 'tracing'>,
  addressBudget: () => RequestBudget | undefined,
): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', async (_request, response) => {
    // A kept connection would delay the end until its idle time is over.
    if (closing) void response.header('connection', 'close');
  });
  app.addHook('onRequest', async (request, response) => {
    const route = request.routeOptions.url ?? 'unknown';
    const probe = probePaths.has(route);
    const attributes = { 'http.request.method': request.method, 'http.route': route };
    request.trace = (probe ? noTracing : tracing).begin({
      name: `${request.method} ${route}`,
      kind: 'server',
      traceparent: request.headers['traceparent'] as string | undefined,
      attributes,
    });
    void response.headers({ ...securityHeaders, 'request-id': request.id });
    if (!probe) await addressBudget()?.spend(request, response);
  });
}

export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
