/**
 * One exchange over the network, from the open request to the last byte of its answer. Each step is written to the
 * observation before the next one begins, so the evidence is correct wherever the exchange ends.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { InvariantError } from '@platform/kernel';
import type { TransportFailure } from '../outcome-taxonomy';
import type { Observation } from './observation';
import type { SdkHttpResponse } from './sdk';

/** Has no `code`, because the SDK repeats requests by that code. */
export class ExchangeFailedError extends Error {}

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

function failureOf({ code }: NodeJS.ErrnoException, inTlsHandshake: boolean): TransportFailure {
  return inTlsHandshake ? 'tls_failed' : (failuresByCode[String(code)] ?? 'other');
}

function sdkResponse(response: IncomingMessage, body: string): SdkHttpResponse {
  const { 'stripe-notice': _notice, ...headers } = response.headers as Record<string, string>;
  return {
    getStatusCode: () => response.statusCode ?? 0,
    getHeaders: () => headers,
    getRawResponse: () => ({ headers }),
    toStream: () => {
      throw new InvariantError('answers are read whole');
    },
    toJSON: async () => JSON.parse(body) as unknown,
  };
}

/**
 * Connections on which a byte can be written. A call that waited for a connection receives it from the call before it,
 * without `reusedSocket` and without another handshake.
 */
const writable = new WeakSet<Socket>();

/** Runs `write` once the first byte of the request can be written, and not before. */
function whenWritable(
  request: ClientRequest,
  secure: boolean,
  observation: Observation,
  onHandshake: (running: boolean) => void,
  write: () => void,
): void {
  request.once('socket', (socket: Socket | TLSSocket) => {
    const ready = () => {
      writable.add(socket);
      onHandshake(false);
      write();
    };
    if (writable.has(socket)) return ready();
    if (!secure) return socket.connecting ? void socket.once('connect', ready) : ready();
    socket.once('connect', () => {
      observation.phase = 'connected';
      onHandshake(true);
    });
    return void socket.once('secureConnect', ready);
  });
}

function readAnswer(
  response: IncomingMessage,
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
    if (size > maxBytes) return lost('other');
    chunks.push(chunk);
  });
  response.once('error', () => lost('connection_lost'));
  response.once('end', () => {
    if (response.complete) done(Buffer.concat(chunks).toString('utf8'));
  });
}

export interface ExchangeBounds {
  readonly observation: Observation;
  readonly maxAnswerBytes: number;
  /** The limit until the first byte is written, and again until the answer is read. */
  readonly timeoutMs: number;
}

/** A timer that is later than this was held up with its whole process. */
const heldUpMs = 250;
/** Within this time a process reads what has arrived while it was held up. */
const readUpMs = 1_000;

/**
 * Calls back when the time for an answer has passed; returns how to prevent it. A process that was frozen finds its
 * timers due before it reads an answer that has arrived meanwhile. Such an answer is not lost, so it is waited for again.
 */
function limitAnswer(milliseconds: number, passed: () => void): () => void {
  let timer: NodeJS.Timeout;
  const begin = (waitMs: number): void => {
    const due = performance.now() + waitMs;
    timer = setTimeout(() => (performance.now() - due > heldUpMs ? begin(readUpMs) : passed()), waitMs);
  };
  begin(milliseconds);
  return () => clearTimeout(timer);
}

/**
 * Writes `body` and returns what was read; rejects with {@link ExchangeFailedError} when the exchange ends early. When
 * the limit has passed and nothing could be written yet, nothing is: a call that was not sent may be repeated. A call
 * that is sent has the whole limit for its answer, however long it waited before.
 */
export function exchange(
  request: ClientRequest,
  secure: boolean,
  body: string,
  { observation, maxAnswerBytes, timeoutMs }: ExchangeBounds,
): Promise<SdkHttpResponse> {
  return new Promise((resolve, reject) => {
    let handshake = false;
    const fail = (failure: TransportFailure) => {
      lift();
      observation.transportFailure ??= failure;
      request.destroy();
      reject(new ExchangeFailedError(`the exchange ended early: ${observation.transportFailure}`));
    };
    const unwritten = setTimeout(() => fail('timeout'), timeoutMs);
    let lift = () => clearTimeout(unwritten);
    request.on('error', (error) => fail(failureOf(error, handshake)));
    request.once('response', (response) =>
      readAnswer(
        response,
        observation,
        maxAnswerBytes,
        (text) => {
          lift();
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
      lift();
      lift = limitAnswer(timeoutMs, () => fail('timeout'));
      observation.phase = 'bytes_written';
      request.end(body);
    });
  });
}
