/**
 * The HTTP client under the SDK. It records the evidence of law 2: whether a byte of the request was written and
 * whether the answer was read to its end. The SDK repeats a request after a closed connection even with retries off, so
 * this client puts one request per call on the network and hides the error codes by which the SDK would decide to
 * repeat.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { InvariantError, sha256 } from '@platform/kernel';
import { exchange, ExchangeFailedError } from './exchange';
import { observationOf, type Observation } from './observation';
import type { SdkHttpClient } from './sdk';

export interface ObservingHttpClientOptions {
  /** Largest answer that is read, in bytes; default 4 MiB. */
  readonly maxAnswerBytes?: number;
  /** Certificate authorities to trust (PEM) instead of Node's own. */
  readonly trustedAuthorities?: string;
  readonly userAgent?: string;
  /**
   * How long an idle connection waits for reuse; default 1,000. It is short, because a connection that the server
   * closes at the moment of reuse causes an unknown outcome.
   */
  readonly idleConnectionMs?: number;
  /**
   * Most connections; default 64. Further calls wait for one before they are sent, in their order: waiting there is safe,
   * while a call that waits at a busy provider may end without a known outcome.
   */
  readonly connections?: number;
}

export interface ObservingHttpClient extends SdkHttpClient {
  /** Closes idle connections. */
  close(): void;
}

const requestHeadersLeftOut = new Set(['x-stripe-client-user-agent', 'x-stripe-client-telemetry', 'user-agent']);

/** Throws before anything is connected when the bytes are not those of the stored intent, or were sent before. */
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

/**
 * The headers of every request must have been passed to `observeRequest`; `timeoutMs` of the SDK limits the time until
 * the request is written, and again the time until its answer is read.
 */
export function createObservingHttpClient(options: ObservingHttpClientOptions = {}): ObservingHttpClient {
  const {
    maxAnswerBytes = 4 * 1024 * 1024,
    userAgent = 'workspace-platform',
    idleConnectionMs = 1_000,
    connections = 64,
    trustedAuthorities,
  } = options;
  const connected = { keepAlive: true, timeout: idleConnectionMs, maxSockets: connections };
  const agents = {
    http: new http.Agent(connected),
    https: new https.Agent({ ...connected, ca: trustedAuthorities }),
  };

  return {
    getClientName: () => 'observing',
    makeRequest: async (host, port, path, method, headers, requestData, protocol, timeout) => {
      const observation = observationOf(headers);
      if (!observation) throw new InvariantError('a provider request outside of a call');
      permit(observation, method, path, requestData);
      const target = { host, port, path, method, headers: outgoingHeaders(headers, userAgent) };
      const secure = protocol !== 'http';
      const request = (secure ? https : http).request({ ...target, agent: secure ? agents.https : agents.http });
      return exchange(request, secure, requestData, { observation, maxAnswerBytes, timeoutMs: timeout });
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}
