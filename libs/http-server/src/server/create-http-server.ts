/**
 * Puts a service's routes on the wire. The framework stays in here: a service gives values and gets an address, and
 * every refusal, limit, header and probe is the same on all services.
 */
import rateLimitPlugin from '@fastify/rate-limit';
import fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { checkRoutes } from '../check-routes';
import { baseCodes, mergeCodes, type CodeTable } from '../codes';
import { buildOpenApi } from '../openapi/build-openapi';
import { problem } from '../problem';
import { createAllowedMethods } from './allowed-methods';
import { registerDocs } from './docs-page';
import { completeLimits, type HttpLimits } from './limits';
import { operationalAddresses, registerOperationalRoutes } from './operational-routes';
import type { HttpServer, HttpServerOptions, InjectedAnswer, InjectedRequest } from './options';
import { createBudget, type RequestBudget } from './rate-limit';
import { createErrorHandler, createSocketErrorHandler, sendProblem } from './refusals';
import { requestIdOf, withFields } from './request-log';
import { registerRoutes } from './scopes';
import { securityHeaders } from './security-headers';
import { continueTrace, type TraceContext } from './trace-context';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first hook; null for what never got to it (a path that is no URL). */
    trace: TraceContext | null;
  }
}

function createFramework(options: HttpServerOptions, codes: CodeTable, limits: HttpLimits): FastifyInstance {
  const refusals = { codes, log: options.log, mapError: options.mapError };
  const onError = createErrorHandler(refusals);
  const app = fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    trustProxy: (_address: string, hop: number) => hop < (options.proxies ?? 0),
    routerOptions: { maxParamLength: limits.parameterCharacters },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    },
    frameworkErrors: (error, request, response) => {
      void response.headers({ ...securityHeaders, 'request-id': request.id });
      onError(error, request, response);
    },
    clientErrorHandler: createSocketErrorHandler(refusals),
  });
  app.server.maxConnections = limits.connections;
  app.decorateRequest('caller', null);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('trace', null);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(onError);
  return app;
}

function answerUnknownAddresses(app: FastifyInstance, options: HttpServerOptions, codes: CodeTable): void {
  const allowedMethods = createAllowedMethods([...options.routes, ...operationalAddresses(options)]);
  app.setNotFoundHandler(async (request, response) => {
    const allow = allowedMethods(request.url.split('?', 1)[0]!);
    if (allow.length === 0) return sendProblem(response, codes, problem('not_found'));
    return sendProblem(response, codes, problem('method_not_allowed', { headers: { allow: allow.join(', ') } }));
  });
}

function observeRequests(app: FastifyInstance, { log, metrics }: HttpServerOptions): void {
  const seconds = metrics?.histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labels: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  app.addHook('onResponse', async (request, response) => {
    const route = request.routeOptions.url ?? 'unknown';
    const { method } = request;
    seconds?.observe({ method, route, status: String(response.statusCode) }, response.elapsedTime / 1_000);
    const fields = {
      method,
      route,
      status: response.statusCode,
      milliseconds: Math.round(response.elapsedTime * 10) / 10,
      ...(request.problemCode === null ? {} : { code: request.problemCode }),
      ...(request.caller ? { subject: request.caller.subject } : {}),
    };
    const requestLog = withFields(log, { requestId: request.id, traceId: request.trace?.traceId });
    if (response.statusCode < 400 && !route.startsWith('/api/')) requestLog.debug(fields, 'answered');
    else requestLog.info(fields, 'answered');
  });
}

/** Hooks that stand before everything else, also before the 404: headers, request id, the budget of the address. */
function guardEveryRequest(app: FastifyInstance, addressBudget: () => RequestBudget | undefined): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', async (_request, response) => {
    // A connection that is kept alive would hold up the end until its idle time is over.
    if (closing) void response.header('connection', 'close');
  });
  app.addHook('onRequest', async (request, response) => {
    request.trace = continueTrace(request.headers.traceparent);
    void response.headers({ ...securityHeaders, 'request-id': request.id });
    if (!probes.has(request.routeOptions.url ?? '')) await addressBudget()?.spend(request);
  });
}

const probes = new Set(['/healthz', '/readyz', '/metrics']);

async function registerAll(app: FastifyInstance, options: HttpServerOptions, codes: CodeTable, limits: HttpLimits): Promise<void> {
  const { rateLimit } = options;
  let addressBudget: RequestBudget | undefined;
  let callerBudget: RequestBudget | undefined;
  guardEveryRequest(app, () => addressBudget);
  observeRequests(app, options);
  if (rateLimit) {
    await app.register(rateLimitPlugin, { global: false });
    const { perAddress, perCaller, windowMs } = rateLimit;
    addressBudget = createBudget(app, perAddress, windowMs, (request) => `address ${request.ip}`);
    callerBudget = createBudget(app, perCaller, windowMs, (request) => `caller ${request.caller?.subject ?? ''}`);
  }
  answerUnknownAddresses(app, options, codes);
  registerOperationalRoutes(app, options, limits);
  registerRoutes(app, options.routes, { name: options.name, codes, log: options.log, auth: options.auth, callerBudget });
  if (options.openapi) {
    const facts = { ...options.openapi, name: options.name, version: options.version };
    await registerDocs(app, buildOpenApi({ facts, routes: options.routes, codes, limited: rateLimit !== undefined }));
  }
  await app.ready();
}

function payloadOf({ headers = {}, body }: InjectedRequest) {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return { headers, payload: body };
  return { headers: { 'content-type': 'application/json', ...headers }, payload: JSON.stringify(body) };
}

async function inject(app: FastifyInstance, request: InjectedRequest): Promise<InjectedAnswer> {
  const { headers, payload } = payloadOf(request);
  const answer = await app.inject({
    method: request.method as 'GET',
    url: request.url,
    headers: { ...headers },
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload, json: () => answer.json() };
}

/**
 * Builds the server; nothing listens until `listen`. Throws InvariantError for a declaration that cannot be right:
 * a code that stands twice or nowhere, a route without its parameters, a body that lets unknown fields in, an example
 * that its schema refuses, a protected route without an authenticator.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const codes = mergeCodes(baseCodes, options.codes ?? {});
  const limits = completeLimits(options.limits);
  checkRoutes(options.routes, codes, options.auth !== undefined);
  const app = createFramework(options, codes, limits);
  let registered: Promise<void> | undefined;
  const ready = (): Promise<void> => (registered ??= registerAll(app, options, codes, limits));
  return {
    listen: async ({ host, port }) => {
      await ready();
      return app.listen({ host, port });
    },
    close: async () => {
      await registered?.catch(() => undefined);
      await app.close();
    },
    inject: async (request) => {
      await ready();
      return inject(app, request);
    },
  };
}
