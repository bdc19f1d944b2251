/** The console's access to the gateway: the requests that all pages share, and texts with a next page. */
import {
  authorizationOf,
  createRequests,
  problemIn,
  problemText,
  withQuery,
  type Answer,
  type Fetch,
  type LiveEvent,
  type Requests,
} from '@platform/design-parts/requests';
import type { TextAnswer } from './csv-pages';

export interface Gateway extends Pick<Requests, 'read'> {
  /** An answer as text, with the header that names its next page. */
  readText(path: string, query?: Readonly<Record<string, string | number | undefined>>): Promise<TextAnswer>;
  send<T>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<T>>;
  /** Reads events until the stream ends or the signal is aborted; the result says how it ended. */
  listen(heard: (event: LiveEvent) => void, signal: AbortSignal): Promise<'ended' | 'refused'>;
}

/** `token`: null where the browser has a session. */
export function createGateway(token: string | null, fetchIt: Fetch, onUnauthenticated: () => void): Gateway {
  const requests = createRequests(token, fetchIt, onUnauthenticated);
  return {
    read: requests.read,
    send: (method, path, body, headers) => requests.send(method, path, body, { ...(headers && { headers }) }),
    readText: async (path, query) => {
      try {
        const response = await fetchIt(withQuery(path, query), { method: 'GET', headers: authorizationOf(token) });
        if (response.status === 401) onUnauthenticated();
        const text = await response.text();
        const problem = problemIn(text);
        if (!response.ok && problem) return { problem: problemText(problem) };
        // The page of a proxy is no list.
        if (!response.ok || !response.headers.get('content-type')?.startsWith('text/csv'))
          return { problem: `The answer (HTTP ${response.status}) could not be read.` };
        return { text, link: response.headers.get('link') };
      } catch (error) {
        return { problem: `The gateway did not answer (${error instanceof Error ? error.message : String(error)}).` };
      }
    },
    listen: (heard, signal) => requests.listen('/api/saas/live', heard, signal),
  };
}

/** The id of an entry that a person writes; created once, so that a repeat adds nothing. */
export function newEntryId(what: string): string {
  return newOperationId(what, new Date(), () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32);
}

/** A new operation id: created once when a form opens, and the same for every repeat. */
export function newOperationId(action: string, now: Date, random: () => number): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const tail = Array.from({ length: 10 }, () => 'abcdefghjkmnpqrstuvwxyz23456789'[Math.floor(random() * 31)]).join('');
  return `${action.replaceAll('_', '-')}-${day}-${tail}`.slice(0, 64);
}
