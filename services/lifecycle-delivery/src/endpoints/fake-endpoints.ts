/** Endpoints of teams in this process: each answers as its test says, behind the guard of the real ones. */
import { hostOf, objectionToAddress, objectionToUrl, type AddressRules } from './address-guard';
import { tooLarge } from './http-endpoints';
import { answerBytesMax, type EndpointPost, type Endpoints, type PostOutcome } from './port';

export interface FakeAnswer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `silence`: no answer within the time limit. `reset`: the connection ends without one. */
export type FakeReceiver = (post: EndpointPost) => Promise<FakeAnswer | 'silence' | 'reset'>;

export interface FakeEndpointsOptions extends AddressRules {
  readonly timeoutMs: number;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Receivers by `address:port`; nothing listens at other addresses. */
  readonly receivers: ReadonlyMap<string, FakeReceiver>;
}

/** The fake of the real endpoints; it passes their suite. */
export function createFakeEndpoints(options: FakeEndpointsOptions): Endpoints {
  const { receivers, resolve, timeoutMs } = options;
  return {
    objectionTo: (url) => objectionToUrl(url, options),
    async post(post): Promise<PostOutcome> {
      const objection = objectionToUrl(post.url, options);
      if (objection !== null) return { kind: 'not_sent', reason: objection };
      const host = hostOf(post.url);
      const addresses = await resolve(host);
      const refused = addresses.map((address) => objectionToAddress(host, address, options));
      const reason = refused.find((one) => one !== null);
      if (reason !== undefined) return { kind: 'not_sent', reason };
      const receive = receivers.get(`${addresses[0]}:${new URL(post.url).port || '443'}`);
      if (!receive) return { kind: 'not_sent', reason: 'ECONNREFUSED' };
      return outcomeOf(await receive(post), timeoutMs);
    },
  };
}

function outcomeOf(answer: FakeAnswer | 'silence' | 'reset', timeoutMs: number): PostOutcome {
  if (answer === 'silence') return { kind: 'unanswered', reason: `no answer within ${timeoutMs} ms` };
  if (answer === 'reset') return { kind: 'unanswered', reason: 'ECONNRESET' };
  const { status, body = '', headers = {} } = answer;
  if (Buffer.byteLength(body) > answerBytesMax) return { kind: 'unanswered', reason: tooLarge };
  const retryAfter = headers['retry-after'];
  return { kind: 'answered', status, body, ...(retryAfter !== undefined && { retryAfter }) };
}
