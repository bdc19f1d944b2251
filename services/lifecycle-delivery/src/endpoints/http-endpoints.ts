/**
 * Posts over HTTP. Each POST has a connection of its own, so that each address is judged when it is connected to. One
 * time limit covers resolution, connection, and the whole answer.
 */
import { lookup as resolveByName, type LookupAddress } from 'node:dns';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { hostOf, objectionToAddress, objectionToUrl, type AddressRules } from './address-guard';
import { answerBytesMax, type EndpointPost, type Endpoints, type PostOutcome } from './port';

export interface HttpEndpointsOptions extends AddressRules {
  readonly timeoutMs: number;
  /** All addresses of a name; tests bring their own. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Authorities that are trusted instead of the public ones, for tests. */
  readonly ca?: string;
}

class AddressRefused extends Error {
  override name = 'AddressRefused';
}

const lookupAll = promisify(resolveByName);

async function resolveAll(host: string): Promise<readonly string[]> {
  return (await lookupAll(host, { all: true })).map(({ address }) => address);
}

/**
 * Asks for the addresses of one host once at a time, also for a POST that has given up. A question holds one of the few
 * threads that the process has for names and files: those of a host whose name servers are silent would hold all of them,
 * and with them the deliveries of every other team.
 */
function onceAtATime(resolve: NonNullable<HttpEndpointsOptions['resolve']>): typeof resolve {
  const underWay = new Map<string, ReturnType<typeof resolve>>();
  return (host) => {
    const asked = underWay.get(host) ?? resolve(host).finally(() => underWay.delete(host));
    underWay.set(host, asked);
    return asked;
  };
}

/** Answers the addresses of a host when all of them may be connected to. */
function guardedLookup(options: HttpEndpointsOptions): LookupFunction {
  const resolve = onceAtATime(options.resolve ?? resolveAll);
  return (host, { all }, done) => {
    resolve(host).then(
      (found) => {
        const objection = found
          .map((address) => objectionToAddress(host, address, options))
          .find((one) => one !== null);
        const addresses: LookupAddress[] = found.map((address) => ({ address, family: isIP(address) }));
        const [first] = addresses;
        if (objection !== undefined) done(new AddressRefused(objection), '', 0);
        else if (!first) done(new AddressRefused(`${host} has no address`), '', 0);
        else if (all) done(null, addresses);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, '', 0),
    );
  };
}

/** The real endpoints. */
export function createHttpEndpoints(options: HttpEndpointsOptions): Endpoints {
  const lookup = guardedLookup(options);
  return {
    objectionTo: (url) => objectionToUrl(url, options),
    async post(post) {
      const objection = objectionToUrl(post.url, options);
      return objection === null ? send(post, lookup, options) : { kind: 'not_sent', reason: objection };
    },
  };
}

function send(
  { url, headers, body }: EndpointPost,
  lookup: LookupFunction,
  { timeoutMs, ca }: HttpEndpointsOptions,
): Promise<PostOutcome> {
  const secure = url.startsWith('https:');
  const timeout = AbortSignal.timeout(timeoutMs);
  let connected = false;
  let answered = false;
  return new Promise((settle) => {
    const fail = (error: Error): void => settle(failureOf(error, { connected, timedOut: timeout.aborted, timeoutMs }));
    const request = (secure ? requestSecure : requestPlain)(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: false,
      lookup,
      signal: timeout,
      ...(secure && ca !== undefined && { ca, servername: hostOf(url) }),
    });
    request.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', () => (connected = true)));
    request.on('error', fail);
    // A switch of protocols (101) ends the connection with neither an error nor an answer.
    request.on('close', () => {
      if (!answered) settle({ kind: 'unanswered', reason: 'the connection ended without an answer' });
    });
    request.on('response', (response) => {
      answered = true;
      readAnswer(response).then(settle, fail);
      // A receiver that goes on sending after its answer holds no connection.
      response.once('close', () => request.destroy());
    });
    request.end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<PostOutcome> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) return { kind: 'unanswered', reason: tooLarge };
    chunks.push(chunk);
  }
  const retryAfter = response.headers['retry-after'];
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    body: Buffer.concat(chunks).toString('utf8'),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** In the words of both the real endpoints and the fake ones. */
export const tooLarge = `the answer is larger than ${answerBytesMax} bytes`;

interface Reached {
  readonly connected: boolean;
  readonly timedOut: boolean;
  readonly timeoutMs: number;
}

function failureOf(error: Error, { connected, timedOut, timeoutMs }: Reached): PostOutcome {
  const code = (error as { readonly code?: string }).code ?? error.name;
  const reason = timedOut ? `no answer within ${timeoutMs} ms` : error instanceof AddressRefused ? error.message : code;
  return { kind: connected ? 'unanswered' : 'not_sent', reason };
}
