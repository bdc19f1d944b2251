/**
 * The console's only way to data: the gateway's API with the operator's token. An answer is one of three things, and
 * "no answer" is never mistaken for a refusal.
 */

import type { TextAnswer } from './csv-pages';

export interface Problem {
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  readonly operationId?: string;
  readonly operation?: string;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}

export type Answer<T> =
  | { readonly kind: 'answered'; readonly status: number; readonly body: T }
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem }
  /** Nothing came back: it may or may not have arrived. */
  | { readonly kind: 'no_answer'; readonly reason: string };

export interface LiveEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Gateway {
  read<T>(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<Answer<T>>;
  /** An answer in text, with the header that names its next page. */
  readText(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<TextAnswer>;
  send<T>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<T>>;
  /** Reads events until the stream ends or the signal is given; the answer says how it ended. */
  listen(heard: (event: LiveEvent) => void, signal: AbortSignal): Promise<'ended' | 'refused'>;
}

type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<Response>;

export function createGateway(token: string, fetchIt: Fetch, onUnauthenticated: () => void): Gateway {
  const authorization = `Bearer ${token}`;
  const sendRequest = async <T>(
    method: string,
    path: string,
    init: { headers?: Readonly<Record<string, string>>; body?: string } = {},
  ): Promise<Answer<T>> => {
    let response: Response;
    let text: string;
    try {
      response = await fetchIt(path, {
        method,
        headers: { authorization, accept: 'application/json', ...init.headers },
        ...(init.body !== undefined && { body: init.body }),
      });
      text = await response.text();
    } catch (error) {
      return { kind: 'no_answer', reason: error instanceof Error ? error.message : String(error) };
    }
    if (response.status === 401) onUnauthenticated();
    const body = parse(text);
    if (response.ok && body !== undefined) return { kind: 'answered', status: response.status, body: body as T };
    return body === undefined
      ? { kind: 'no_answer', reason: `the answer (HTTP ${response.status}) could not be read` }
      : { kind: 'refused', status: response.status, problem: body as Problem };
  };
  return {
    read: (path, query) => sendRequest('GET', withQuery(path, query)),
    readText: async (path, query) => {
      try {
        const response = await fetchIt(withQuery(path, query), { method: 'GET', headers: { authorization } });
        if (response.status === 401) onUnauthenticated();
        if (!response.ok) return { problem: `The gateway refused (HTTP ${response.status}).` };
        return { text: await response.text(), link: response.headers.get('link') };
      } catch (error) {
        return { problem: `The gateway did not answer (${error instanceof Error ? error.message : String(error)}).` };
      }
    },
    send: (method, path, body, headers) =>
      sendRequest(method, path, {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    listen: async (heard, signal) => {
      const response = await fetchIt('/api/saas/live', {
        method: 'GET',
        headers: { authorization, accept: 'text/event-stream' },
        signal,
      });
      if (response.status === 401) onUnauthenticated();
      if (!response.ok || !response.body) return 'refused';
      const read = createEventReader(heard);
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read())
        read(decoder.decode(part.value, { stream: true }));
      return 'ended';
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return pairs.length === 0
    ? path
    : `${path}?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/** Takes the text of an event stream in pieces of any size. Comments and fields of no interest are passed over. */
export function createEventReader(heard: (event: LiveEvent) => void): (piece: string) => void {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join('\n');
      const event = field('event');
      const data = parse(field('data'));
      if (event && typeof data === 'object' && data !== null) heard({ event, data: data as Record<string, unknown> });
    }
  };
}

/** A new operation's id: made once when a form is opened, the same for every repeat. */
export function newOperationId(action: string, now: Date, random: () => number): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const tail = Array.from({ length: 10 }, () => 'abcdefghjkmnpqrstuvwxyz23456789'[Math.floor(random() * 31)]).join('');
  return `${action.replaceAll('_', '-')}-${day}-${tail}`.slice(0, 64);
}
