/**
 * A page reads data only through an API with the caller's token. The result is one of three kinds, and a missing answer
 * is never treated as a refusal.
 */

export interface Problem {
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  /** What the reader can do about it. */
  readonly nextStep?: string;
  readonly operationId?: string;
  readonly operation?: string;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}

/** What happened and what to do, in one text. */
export const problemText = ({
  detail,
  title,
  nextStep,
}: Pick<Problem, 'detail' | 'nextStep'> & { readonly title?: string }): string =>
  [detail ?? title, nextStep].filter((sentence) => sentence !== undefined).join(' ');

/** The same; where fields were refused, what to do is to correct each of them, for its reason. */
export const refusalText = ({ nextStep, errors = [], ...problem }: Problem): string =>
  [
    problemText(errors.length === 0 ? { ...problem, nextStep } : problem),
    ...errors.map(({ pointer, message }) => `${pointer.replace(/^\/(body\/)?/, '')} ${message}.`),
  ].join(' ');

export type Answer<T> =
  | { readonly kind: 'answered'; readonly status: number; readonly body: T }
  | { readonly kind: 'refused'; readonly status: number; readonly problem: Problem }
  /** No answer arrived: the request may or may not have been executed. */
  | { readonly kind: 'no_answer'; readonly reason: string };

/** Refusals after which the request may have been carried out, or be carried out later. */
const openCodes = new Set(['outcome_unknown', 'reconciliation_required', 'store_unavailable', 'internal_error']);

/** The answer to an action, if it is about this operation. What another program says proves nothing of it. */
export const ofOperation = <T extends { readonly operationId: string }>(
  answer: Answer<T>,
  operationId: string,
): Answer<T> =>
  answer.kind === 'answered' && answer.body.operationId !== operationId
    ? { kind: 'no_answer', reason: 'what came is not about this operation' }
    : answer;

/** Whether the request may have had its effect although no success was read: it must not be sent as a new one. */
export const leavesOutcomeOpen = (answer: Answer<unknown>): boolean =>
  answer.kind === 'no_answer' || (answer.kind === 'refused' && openCodes.has(answer.problem.code));

export interface LiveEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type Values = Readonly<Record<string, string | number | undefined>>;

export interface Requests {
  read<T>(path: string, query?: Values): Promise<Answer<T>>;
  send<T>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body: unknown,
    options?: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
  ): Promise<Answer<T>>;
  /** Reads the events of a stream until it ends or the signal is aborted; the result says how it ended. */
  listen(path: string, heard: (event: LiveEvent) => void, signal: AbortSignal): Promise<'ended' | 'refused'>;
}

export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<Response>;

/** The header of a token; without one the browser sends the cookie of its session. */
export const authorizationOf = (token: string | null): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` };

/** Longer than any service takes for a request: it answers, or nothing will come. */
const patience = 120_000;

/** Three times the pause between the signs of life that services send on a stream. */
const silence = 45_000;

/**
 * Sends requests with a token, or with the browser's session; `onUnauthenticated` is called when the API does not
 * accept it. A request that is not answered within `patienceMs` has no answer, and a stream without a sign of life for
 * `silenceMs` has ended.
 */
export function createRequests(
  token: string | null,
  fetchIt: Fetch,
  onUnauthenticated: () => void,
  { patienceMs = patience, silenceMs = silence } = {},
): Requests {
  const authorization = authorizationOf(token);
  const ask = async <T>(
    method: string,
    path: string,
    init: { headers?: Readonly<Record<string, string>>; body?: string; signal?: AbortSignal } = {},
  ): Promise<Answer<T>> => {
    const { headers, signal, ...others } = init;
    const limit = AbortSignal.timeout(patienceMs);
    let response: Response;
    let text: string;
    try {
      response = await fetchIt(path, {
        method,
        headers: { ...authorization, accept: 'application/json', ...headers },
        ...others,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      text = await response.text();
    } catch (error) {
      const late = limit.aborted && `nothing came within ${patienceMs / 1_000} s`;
      return { kind: 'no_answer', reason: late || (error instanceof Error ? error.message : String(error)) };
    }
    if (response.status === 401) onUnauthenticated();
    const body = parse(text);
    if (response.ok && isObject(body)) return { kind: 'answered', status: response.status, body: body as T };
    // Only the API's own refusals have a code. What a proxy says of it is no proof that nothing was done.
    return isProblem(body)
      ? { kind: 'refused', status: response.status, problem: body }
      : { kind: 'no_answer', reason: `the answer (HTTP ${response.status}) could not be read` };
  };
  return {
    read: (path, query) => ask('GET', withQuery(path, query)),
    send: (method, path, body, { headers, signal } = {}) =>
      ask(method, path, {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    listen: async (path, heard, signal) => {
      const response = await fetchIt(path, {
        method: 'GET',
        headers: { ...authorization, accept: 'text/event-stream' },
        signal,
      });
      if (response.status === 401) onUnauthenticated();
      if (!response.ok || !response.body) return 'refused';
      return readEvents(response.body.getReader(), heard, silenceMs);
    },
  };
}

async function readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  heard: (event: LiveEvent) => void,
  silenceMs: number,
): Promise<'ended'> {
  const read = createEventReader(heard);
  const decoder = new TextDecoder();
  // A connection that was lost on the way stays open here, and nothing comes.
  const silent = () => void reader.cancel().catch(() => undefined);
  for (;;) {
    const timer = setTimeout(silent, silenceMs);
    const part = await reader.read().finally(() => clearTimeout(timer));
    if (part.done) return 'ended';
    read(decoder.decode(part.value, { stream: true }));
  }
}

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null;

const isProblem = (body: unknown): body is Problem => isObject(body) && 'code' in body && typeof body.code === 'string';

/** The refusal that a text holds, if the API wrote it. */
export function problemIn(text: string): Problem | undefined {
  const body = parse(text);
  return isProblem(body) ? body : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A path with the query values that are set. */
export function withQuery(path: string, query: Values = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return pairs.length === 0
    ? path
    : `${path}?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/** Accepts the text of an event stream in pieces of any size. Comments and unused fields are skipped. */
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
