/**
 * The HTTP server: the provider's endpoints under /v1 (form bodies, strict), the control plane and the pages for people
 * under /_twin (JSON and HTML). Bodies, headers and waiting clients have limits, so no client can block the twin.
 */
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Endpoint } from './endpoint';
import { errors, ProviderError } from './errors';
import { errorText, serve, type Host } from './pipeline';

export interface Limits {
  bodyBytes: number;
  /** How long a client may take to send its whole request. */
  requestMs: number;
}

export const defaultLimits: Limits = { bodyBytes: 1024 * 1024, requestMs: 30_000 };

function readBody(request: FastifyRequest, body: Buffer): string {
  if (body.length === 0) return '';
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw errors.invalid(
      'Invalid request (check that your POST content type is application/x-www-form-urlencoded). If you have questions, we can help at https://support.stripe.com/.',
    );
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw errors.invalid('Invalid request: the body is not valid UTF-8.');
  }
}

function asRefusal(error: unknown): ProviderError | undefined {
  if (error instanceof ProviderError) return error;
  const status = (error as { statusCode?: number }).statusCode;
  if (status === 413) return errors.invalid('Request body is too large.', undefined, undefined, 413);
  if (status !== undefined && status >= 400 && status < 500)
    return errors.invalid('Invalid request.', undefined, undefined, status);
  return undefined;
}

function openEndpoints(app: FastifyInstance, host: Host, endpoints: Endpoint[]): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, readBody(request, Buffer.from(body)));
    } catch (error) {
      done(error as Error);
    }
  });
  app.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error);
    if (!refusal) host.reportBug(error);
    return serve(
      host,
      undefined,
      request,
      reply,
      refusal ?? errors.api('The provider twin failed inside; see its log.'),
    );
  });
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        await serve(host, endpoint, request, reply);
        return reply;
      },
    });
  }
  app.all('/v1/*', async (request, reply) => {
    await serve(host, undefined, request, reply);
    return reply;
  });
}

const parseFailures: Record<string, [status: string, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
};

/** Answers a connection whose bytes never became a request. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = parseFailures[error.code ?? ''] ?? [
    '400 Bad Request',
    'Invalid request: this is not HTTP.',
  ];
  const body = errorText(errors.invalid(message));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Builds the server; `openControl` registers everything under /_twin. */
export function createServer(
  host: Host,
  endpoints: Endpoint[],
  openControl: (app: FastifyInstance) => void,
  limits: Limits,
): FastifyInstance {
  const app = fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 300 },
    clientErrorHandler: refuseConnection,
    frameworkErrors: (_error, _request, reply) => {
      const body = errorText(errors.invalid('Invalid request: the url cannot be read.'));
      reply.hijack();
      reply.raw
        .writeHead(400, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
        .end(body);
    },
    http: {
      headersTimeout: Math.min(limits.requestMs, 15_000),
      connectionsCheckingInterval: Math.max(50, Math.min(limits.requestMs / 4, 5_000)),
    },
  });
  app.register((scope, _options, done) => {
    openEndpoints(scope, host, endpoints);
    done();
  });
  app.register((scope, _options, done) => {
    openControl(scope);
    done();
  });
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({
      error: {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${request.method}: ${request.url.split('?')[0]}).`,
      },
    }),
  );
  return app;
}
