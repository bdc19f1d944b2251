/**
 * The HTTP client under the SDK. It keeps the evidence of law 2: whether a byte of the request was written and whether
 * the answer was read to its end. The SDK repeats a request after a closed connection even with retries off, so this
 * client puts one request per call on the network and hides the error codes by which the SDK would decide to repeat.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { InvariantError, sha256 } from '@platform/kernel';
import type { TransportFailure } from '../outcome-taxonomy';
import { observationOf, type Observation } from './observation';
import type { SdkHttpClient, SdkHttpResponse } from './sdk';

/** Carries no `code`, on purpose: the SDK repeats requests by that code. */
class ExchangeFailedError extends Error {
  override name = 'ExchangeFailedError';
}

export interface ObservingHttpClientOptions {
  /** Largest answer that is read, in bytes; default 4 MiB. */
  readonly maxAnswerBytes?: number;
  /** Certificate authorities to trust (PEM) instead of those of Node. */
  readonly trustedAuthorities?: string;
  readonly userAgent?: string;
  /**
   * How long an idle connection waits for reuse; default 1,000. Brief, because a connection that the server closes at
   * the moment of reuse costs an unknown outcome.
   */
  readonly idleConnectionMs?: number;
}

export interface ObservingHttpClient extends SdkHttpClient {
  /** Closes idle connections. */
  close(): void;
}

const requestHeadersLeftOut = new Set(['x-stripe-client-user-agent', 'x-stripe-client-telemetry', 'user-agent']);

const failuresByCode: Readonly<Record<string, TransportFailure>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  ECONNABORTED: 'connection_lost',
  ETIMEDOUT: 'timeout',
};

function failureOf(error: unknown, inTlsHandshake: boolean): TransportFailure {
  if (inTlsHandshake) return 'tls_failed';
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return failuresByCode[code] ?? 'other';
}

/** Throws before anything is connected when the bytes are not those of the persisted intent, or were sent before. */
function permit(observation: Observation, method: string, path: string, body: string): void {
  if (observation.attempts > 0) throw new ExchangeFailedError('a call puts one request on the network');
  const intended = observation.permit;
  if (intended && (intended.method !== method || intended.path !== path || intended.payloadDigest !== sha256(body))) {
    observation.broken = new InvariantError('the request about to be sent is not the one whose digest was recorded');
    throw observation.broken;
  }
  observation.attempts += 1;
}

function outgoingHeaders(headers: object, userAgent: string): http.OutgoingHttpHeaders {
  const kept = Object.entries(headers as http.OutgoingHttpHeaders).filter(
    ([name]) => !requestHeadersLeftOut.has(name.toLowerCase()),
  );
  return { ...Object.fromEntries(kept), 'User-Agent': userAgent };
}

function sdkResponse(response: http.IncomingMessage, body: string): SdkHttpResponse {
  const { 'stripe-notice': _notice, ...headers } = response.headers as Record<string, string>;
  return {
    getStatusCode: () => response.statusCode ?? 0,
    getHeaders: () => headers,
    getRawResponse: () => ({ headers, statusCode: response.statusCode }),
    toStream: () => {
      throw new InvariantError('answers are read whole');
    },
    toJSON: async () => JSON.parse(body) as unknown,
  };
}

/** Runs `write` when the first byte of the request could be written, and not before. */
function whenWritable(
  request: http.ClientRequest,
  secure: boolean,
  observation: Observation,
  onHandshake: (running: boolean) => void,
  write: () => void,
): void {
  request.once('socket', (socket: Socket | TLSSocket) => {
    const ready = () => {
      onHandshake(false);
      observation.phase = 'connected';
      write();
    };
    if (request.reusedSocket) return ready();
    if (!secure) return socket.connecting ? void socket.once('connect', ready) : ready();
    socket.once('connect', () => {
      observation.phase = 'connected';
      onHandshake(true);
    });
    return void socket.once('secureConnect', ready);
  });
}

function readAnswer(
  response: http.IncomingMessage,
  observation: Observation,
  maxBytes: number,
  done: (body: string) => void,
  lost: (failure: TransportFailure) => void,
): void {
  observation.httpStatus = response.statusCode ?? 0;
  const requestId = response.headers['request-id'];
  if (typeof requestId === 'string' && /^[\w-]{1,128}$/.test(requestId)) observation.requestId = requestId;
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) return void response.destroy(new ExchangeFailedError('the answer is too large'));
    chunks.push(chunk);
  });
  response.once('error', () => lost(size > maxBytes ? 'other' : 'connection_lost'));
  response.once('close', () => {
    if (!response.complete) lost('connection_lost');
  });
  response.once('end', () => {
    if (response.complete) done(Buffer.concat(chunks).toString('utf8'));
  });
}

/** The headers of every request must have been given to `observeRequest`; `timeoutMs` of the SDK bounds the whole exchange. */
export function createObservingHttpClient(options: ObservingHttpClientOptions = {}): ObservingHttpClient {
  const {
    maxAnswerBytes = 4 * 1024 * 1024,
    userAgent = 'workspace-platform',
    idleConnectionMs = 1_000,
    trustedAuthorities,
  } = options;
  const agents = {
    http: new http.Agent({ keepAlive: true, timeout: idleConnectionMs }),
    https: new https.Agent({
      keepAlive: true,
      timeout: idleConnectionMs,
      ...(trustedAuthorities !== undefined && { ca: trustedAuthorities }),
    }),
  };

  function exchange(
    observation: Observation,
    target: https.RequestOptions,
    secure: boolean,
    body: string,
    timeoutMs: number,
  ): Promise<SdkHttpResponse> {
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request({ ...target, agent: secure ? agents.https : agents.http });
      let handshake = false;
      const fail = (failure: TransportFailure) => {
        clearTimeout(timer);
        observation.transportFailure ??= failure;
        request.destroy();
        reject(new ExchangeFailedError(`the exchange ended early: ${observation.transportFailure}`));
      };
      const timer = setTimeout(() => fail('timeout'), timeoutMs);
      request.on('error', (error) => fail(failureOf(error, handshake)));
      request.once('response', (response) =>
        readAnswer(
          response,
          observation,
          maxAnswerBytes,
          (text) => {
            clearTimeout(timer);
            if (observation.transportFailure) return;
            observation.phase = 'response_read';
            observation.body = text;
            resolve(sdkResponse(response, text));
          },
          fail,
        ),
      );
      const onHandshake = (running: boolean) => {
        handshake = running;
      };
      whenWritable(request, secure, observation, onHandshake, () => {
        observation.phase = 'bytes_written';
        request.end(body);
      });
    });
  }

  return {
    getClientName: () => 'observing',
    makeRequest: async (host, port, path, method, headers, requestData, protocol, timeout) => {
      const observation = observationOf(headers);
      if (!observation) throw new InvariantError('a provider request outside of a call');
      const body = method === 'POST' ? requestData : '';
      permit(observation, method, path, body);
      const target = { host, port, path, method, headers: outgoingHeaders(headers, userAgent) };
      return exchange(observation, target, protocol !== 'http', body, timeout);
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}
