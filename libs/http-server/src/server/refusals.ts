/**
 * Every refusal of a request ends here and is sent as a problem document. An unexpected error is a 500 with only the
 * request id; the log has the rest.
 */
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '@platform/kernel';
import type { CodeTable } from '../codes';
import { problem, problemContentType, problemDocument, problemHeaders, Refusal, type Problem } from '../problem';
import { withFields } from './request-log';
import { securityHeaders } from './security-headers';

/** Turns a service's own errors (its store is unreachable, …) into problems; undefined leaves an error as a 500. */
export type MapError = (error: unknown) => Problem | undefined;

const frameworkProblems: Readonly<Record<string, (error: FastifyError) => Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => problem('payload_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => problem('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    problem('invalid_request', { detail: 'The body is not as long as Content-Length says.' }),
  FST_ERR_BAD_URL: () => problem('invalid_request', { detail: 'The path is not a valid URL path.' }),
  FST_ERR_MAX_PARAM_LENGTH: () => problem('not_found'),
};

/** The problem of an error, or undefined when the error is unexpected. */
function expected(error: unknown, mapError: MapError | undefined): Problem | undefined {
  if (error instanceof Refusal) return error.problem;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = Object.hasOwn(frameworkProblems, code) ? frameworkProblems[code] : undefined;
  return known ? known(error as FastifyError) : mapError?.(error);
}

/** A client that left, or a connection that was ended for it, before the body had arrived: no fault of the server. */
const isBodyCutOff = (error: unknown, { raw }: FastifyRequest): boolean =>
  !raw.complete && raw.readableAborted && (error as NodeJS.ErrnoException | null)?.code === 'ECONNRESET';
const cutOffBody = problem('invalid_request', {
  detail: 'The connection ended before the body had arrived. Nothing was done.',
});

/** Sends a problem. Throws InvariantError when its code is not in the table. */
export function sendProblem(response: FastifyReply, codes: CodeTable, refusal: Problem): FastifyReply {
  const document = problemDocument(codes, refusal);
  response.request.problemCode = refusal.code;
  return response
    .code(document.status)
    .headers(problemHeaders(refusal))
    .type(problemContentType)
    .serializer((value: unknown) => JSON.stringify(value))
    .send(document);
}

export interface RefusalOptions {
  readonly codes: CodeTable;
  readonly log: Log;
  readonly mapError?: MapError | undefined;
}

/** The error handler of the server. */
export function createErrorHandler({ codes, log, mapError }: RefusalOptions) {
  return (error: unknown, request: FastifyRequest, response: FastifyReply): void => {
    const requestLog = withFields(log, { requestId: request.id });
    try {
      const refusal = expected(error, mapError) ?? (isBodyCutOff(error, request) ? cutOffBody : undefined);
      if (refusal) {
        sendProblem(response, codes, refusal);
        return;
      }
    } catch (unmapped) {
      requestLog.error({ error: unmapped }, 'a refusal could not be answered');
    }
    requestLog.error({ error, method: request.method, route: request.routeOptions.url ?? null }, 'a request broke');
    sendProblem(response, codes, problem('internal_error', { extras: { requestId: request.id } }));
  };
}

const socketCodes: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/**
 * Answers bytes that never became a request (malformed, too slow, headers too large), then closes the connection. Where
 * a request before these bytes still waits for its answer, its client would take the refusal for that answer, and
 * believe that nothing was done: such a connection is closed without an answer.
 */
export function createSocketErrorHandler({ codes, log }: RefusalOptions, isAwaited: (socket: Socket) => boolean) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || isAwaited(socket)) {
      socket.destroy();
      return;
    }
    const document = problemDocument(codes, problem(socketCodes[error.code ?? ''] ?? 'invalid_request'));
    const body = JSON.stringify(document);
    log.debug({ code: document.code, reason: error.code }, 'refused bytes that are no request');
    const headers = { ...securityHeaders, 'content-type': problemContentType, connection: 'close' };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${document.status} ${document.title}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}
