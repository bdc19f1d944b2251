/**
 * Headers about the interface itself in every answer: its version, the deprecation of a route, and the entity tag of its
 * content, so that a client with the current content gets 304.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem, Refusal } from '../problem';
import type { Deprecation, Route } from '../route';

/** Contains the version of the interface, in requests (optional) and in every answer. */
const versionHeader = 'api-version';

/** Adds the version of the interface to each answer, and refuses a request that names another one. */
export function keepVersion(app: FastifyInstance, version: string | undefined, routes: readonly Route[]): void {
  const deprecated: ReadonlyMap<string, Deprecation> = new Map(
    routes.flatMap(({ method, path, deprecated: out }) => (out ? [[`${method} ${path}`, out] as const] : [])),
  );
  if (version === undefined && deprecated.size === 0) return;
  app.addHook('onRequest', async (request, response) => {
    const out = deprecated.get(`${request.method} ${request.routeOptions.url}`);
    if (out) void response.headers(deprecationHeaders(out));
    if (version === undefined) return;
    void response.header(versionHeader, version);
    const asked = request.headers[versionHeader];
    if (asked !== undefined && asked !== version)
      throw new Refusal(
        problem('invalid_request', {
          errors: [{ pointer: `/header/${versionHeader}`, message: `is ${version}, the only version that is served` }],
        }),
      );
  });
}

/**
 * RFC 9745 and RFC 8594: since when a route is deprecated, when it is removed, and where its replacement is described.
 */
function deprecationHeaders({ since, goes, instead }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${Math.floor(Date.parse(since) / 1_000)}`,
    ...(goes !== undefined && { sunset: new Date(goes).toUTCString() }),
    ...(instead !== undefined && { link: `<${instead}>; rel="successor-version"` }),
  };
}

/**
 * Gives each JSON document an entity tag, and answers 304 without the content to a client that sends this tag, or the one
 * that a route has given to its answer (RFC 9110 §13).
 */
export function answerConditionally(app: FastifyInstance): void {
  app.addHook('onSend', async (request, response, payload) => {
    const tag = isRead(request, response) ? entityTagOf(response, payload) : undefined;
    if (tag === undefined) return payload;
    void response.header('etag', tag);
    if (!namesTag(request.headers['if-none-match'], tag)) return payload;
    void response.code(304);
    for (const header of ['content-length', 'content-type', 'content-encoding']) void response.removeHeader(header);
    return '';
  });
}

function isRead({ method }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return (method === 'GET' || method === 'HEAD') && statusCode === 200;
}

/** A weak tag, because it identifies the content and not the bytes: a document may be sent compressed. */
function entityTagOf(response: FastifyReply, payload: unknown): string | undefined {
  const own = response.getHeader('etag');
  if (typeof own === 'string') return own;
  const isDocument = String(response.getHeader('content-type') ?? '').startsWith('application/json');
  if (!isDocument || typeof payload !== 'string') return undefined;
  return `W/"${createHash('sha256').update(payload).digest('base64url').slice(0, 27)}"`;
}

/** Weak comparison: the tags are the same whatever their strength. */
export function namesTag(header: string | undefined, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return (
    header !== undefined && (header.trim() === '*' || header.split(',').some((each) => opaque(each) === opaque(tag)))
  );
}
