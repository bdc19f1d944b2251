/**
 * The gateway's interface as typed functions: an operation by its name, with its input and answers. The types are
 * generated from the gateway's OpenAPI document. Answers and refusals are values; only a failed connection throws.
 */
import { gatewayOperations, type GatewayOperations, type Problem } from './operations';

export * from './operations';

export interface GatewayOptions {
  /** Base address of the gateway, for example `https://gateway.example`. */
  readonly url: string;
  /** The bearer token, read for each request. */
  readonly token: () => string | Promise<string>;
  readonly fetch?: typeof fetch;
}

/** An answer of an operation; `ok` is false for a refusal, and for a status that no document describes. */
export type GatewayAnswer<Name extends keyof GatewayOperations> =
  | (GatewayOperations[Name]['answer'] & { readonly ok: true; readonly headers: Headers })
  | { readonly ok: false; readonly status: number; readonly problem: Problem; readonly headers: Headers };

/** Calls an operation by its name. A write is never sent again automatically: repeat it with the same operation id. */
export type Gateway = <Name extends keyof GatewayOperations>(
  name: Name,
  input: GatewayOperations[Name]['input'],
  signal?: AbortSignal,
) => Promise<GatewayAnswer<Name>>;

interface Input {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/**
 * A client of the gateway. It throws what `fetch` throws when no answer comes: the outcome of a write is then unknown.
 */
export function createGatewayClient({ url, token, fetch: send = fetch }: GatewayOptions): Gateway {
  return async (name, input, signal) => {
    const [method] = gatewayOperations[name];
    const { body, headers } = input as Input;
    const response = await send(`${url.replace(/\/+$/, '')}${addressOf(name, input as Input)}`, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${await token()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...texts(headers),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    return answerOf(response) as Promise<GatewayAnswer<typeof name>>;
  };
}

/** Path and query of a request; undefined members of the query are left out. */
function addressOf(name: keyof GatewayOperations, { path = {}, query }: Input): string {
  const address = gatewayOperations[name][1].replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(path[key] ?? ''),
  );
  const asked = new URLSearchParams(texts(query)).toString();
  return asked === '' ? address : `${address}?${asked}`;
}

function texts(members: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}

async function answerOf(response: Response): Promise<unknown> {
  const { status, headers } = response;
  const text = await response.text();
  const body = parsed(text);
  if (response.ok && body !== undefined) return { ok: true, status, body, headers };
  const problem: Problem = isProblem(body)
    ? body
    : {
        type: 'about:blank',
        title: 'Unreadable',
        status,
        code: 'unreadable_answer',
        detail: text.slice(0, 200),
        nextStep: 'Look at what answers at this address.',
      };
  return { ok: false, status, problem, headers };
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;
}
