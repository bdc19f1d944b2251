/**
 * The framework with the platform's limits and its own answer to every failure: the framework's texts, timeouts and
 * defaults never reach a client.
 */
import fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { CodeTable } from '../codes';
import { problem } from '../problem';
import { createAllowedMethods } from './allowed-methods';
import { ignoreBodies } from './body-parsers';
import { shareConnections } from './connections';
import type { HttpLimits } from './limits';
import type { HttpServerOptions } from './options';
import { createErrorHandler, createSocketErrorHandler, sendProblem } from './refusals';
import { requestIdOf } from './request-log';
import { securityHeaders } from './security-headers';
import './request-members';

/** A framework instance without routes. */
export function createFramework(options: HttpServerOptions, codes: CodeTable, limits: HttpLimits): FastifyInstance {
  const refusals = { codes, log: options.log, mapError: options.mapError };
  const onError = createErrorHandler(refusals);
  const app = fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    connectionTimeout: limits.unreadTimeoutMs,
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
    clientErrorHandler: createSocketErrorHandler(refusals, (socket) => isAwaited(socket)),
  });
  const isAwaited = shareConnections(app, {
    connections: limits.connections,
    perAddress: (options.proxies ?? 0) > 0 ? null : Math.min(limits.connectionsPerAddress, limits.connections),
  });
  // Their bytes are bounded. By its own bound of their number the runtime drops the last ones without an error, and those
  // are what a proxy has added.
  app.server.maxHeadersCount = 0;
  ignoreBodies(app);
  app.decorateRequest('caller', null);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('trace', null);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(onError);
  return app;
}

/** 404 for an address without a route, 405 with `Allow` for a wrong method. */
export function answerUnknownAddresses(
  app: FastifyInstance,
  addresses: Parameters<typeof createAllowedMethods>[0],
  codes: CodeTable,
): void {
  const allowedMethods = createAllowedMethods(addresses);
  app.setNotFoundHandler(async (request, response) => {
    const allow = allowedMethods(request.url.split('?', 1)[0]!);
    if (allow.length === 0) return sendProblem(response, codes, problem('not_found'));
    return sendProblem(response, codes, problem('method_not_allowed', { headers: { allow: allow.join(', ') } }));
  });
}
