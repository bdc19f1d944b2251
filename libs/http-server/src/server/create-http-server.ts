/**
 * Serves a service's routes over HTTP. The framework stays inside this library: a service supplies values and gets an
 * address, and every refusal, limit, header and probe is the same on all services.
 */
import { Server as NetServer } from 'node:net';
import rateLimitPlugin from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { checkRoutes } from '../check-routes';
import { baseCodes, mergeCodes, type CodeTable } from '../codes';
import { guardEveryRequest, observeRequests } from './every-request';
import { answerUnknownAddresses, createFramework } from './framework';
import { completeLimits, type HttpLimits } from './limits';
import { answerConditionally, keepVersion } from './interface-rules';
import { createInnerServer } from './inner-server';
import { createOperational, type Operational } from './operational-routes';
import { networkOf } from './network-of';
import type { HttpServer, HttpServerOptions, InjectedAnswer, InjectedRequest } from './options';
import { showProblems } from './problem-pages';
import { createBudget, type RequestBudget } from './rate-limit';
import { registerRoutes } from './scopes';
import { defaultShedLimits, shedLoad } from './shed-load';

async function registerAll(
  app: FastifyInstance,
  options: HttpServerOptions,
  codes: CodeTable,
  limits: HttpLimits,
  operational: Operational,
  drains: () => boolean,
): Promise<void> {
  const { rateLimit, inner, routes } = options;
  const probed = inner === undefined || inner.alsoOutside;
  let addressBudget: RequestBudget | undefined;
  let callerBudget: RequestBudget | undefined;
  guardEveryRequest(app, options, () => addressBudget);
  app.addHook('onSend', async (_request, response) => {
    if (drains()) void response.header('connection', 'close');
  });
  keepVersion(app, options.apiVersion, routes);
  answerConditionally(app);
  if (options.problemPage) showProblems(app, options.problemPage);
  observeRequests(app, options);
  if (rateLimit) {
    await app.register(rateLimitPlugin, { global: false });
    const { perAddress, perCaller, windowMs } = rateLimit;
    addressBudget = createBudget(app, 'address', perAddress, windowMs, (request) => `address ${networkOf(request.ip)}`);
    callerBudget = createBudget(
      app,
      'caller',
      perCaller,
      windowMs,
      (request) => `caller ${request.caller?.subject ?? ''}`,
    );
  }
  if (options.shedsLoad) shedLoad(app, options.routes, { ...defaultShedLimits, readWaitMs: limits.readWaitMs });
  answerUnknownAddresses(app, [...routes, ...(probed ? operational.addresses : [])], codes);
  app.addHook('preClose', async () => operational.close());
  registerRoutes(app, options.routes, {
    name: options.name,
    codes,
    log: options.log,
    auth: options.auth,
    sessions: options.sessions,
    callerBudget,
    callerAskedEveryMs: limits.callerAskedEveryMs,
  });
  if (probed) await operational.register(app);
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
 * The HTTP server's own close also ends idle connections, even when a request is already in transit. Here every answer
 * from now on ends its connection; connections without further requests are ended after `idleMs`.
 */
async function stopAccepting(app: FastifyInstance, idleMs: number): Promise<void> {
  if (!app.server.listening) return;
  const idleTimer = setTimeout(() => app.server.closeIdleConnections(), idleMs);
  await new Promise<void>((resolve) => NetServer.prototype.close.call(app.server, () => resolve()));
  clearTimeout(idleTimer);
}

/**
 * Builds the server; nothing listens until `listen`. Throws InvariantError for an invalid declaration: a code that is
 * defined twice or not at all, a route without its parameters, a body that accepts unknown fields, an example that its
 * schema refuses, a protected route without an authenticator.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const codes = mergeCodes(baseCodes, options.codes ?? {});
  const limits = completeLimits(options.limits);
  checkRoutes(options.routes, codes, options.auth !== undefined);
  const app = createFramework(options, codes, limits);
  const operational = createOperational(options, codes, limits);
  let inside: { readonly app: FastifyInstance; readonly url: string } | undefined;
  let registered: Promise<void> | undefined;
  let drained: Promise<void> | undefined;
  const ready = (): Promise<void> =>
    (registered ??= registerAll(app, options, codes, limits, operational, () => drained !== undefined));
  return {
    listen: async ({ host, port }) => {
      await ready();
      if (options.inner) {
        const own = await createInnerServer(options, codes, limits, operational);
        inside = { app: own, url: await own.listen({ host, port: options.inner.port }) };
      }
      return app.listen({ host, port });
    },
    innerUrl: () => inside?.url,
    drain: () => (drained ??= stopAccepting(app, limits.drainIdleMs)),
    close: async () => {
      await registered?.catch(() => undefined);
      await app.close();
      // Until then the inner port reports that the service is ending.
      await inside?.app.close();
    },
    inject: async (request) => {
      await ready();
      return inject(app, request);
    },
  };
}
