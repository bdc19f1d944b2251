/**
 * The accepted bodies: strict UTF-8 JSON, without prototype keys, or, on routes that request it, the bytes as sent. A
 * signature covers bytes, so they must reach its check unchanged.
 */
import type { FastifyInstance } from 'fastify';
import { problem, Refusal } from '../problem';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function malformed(message: string): Refusal {
  return new Refusal(problem('invalid_request', { errors: [{ pointer: '', message }] }));
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
}

/** Accepts any body and reads none: an address without a route is not found, whatever is sent to it. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
}

/** Accepts `application/json` and nothing else. An empty body is no body. */
export function acceptJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const parseJson = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (body.length === 0) return done(null, undefined);
      void parseJson(request, decode(body as Buffer), (error, value) =>
        error ? done(malformed('The body is not acceptable JSON.')) : done(null, value),
      );
    } catch (error) {
      done(error as Refusal);
    }
  });
}

/** Accepts any content type as bytes. */
export function acceptRawBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
