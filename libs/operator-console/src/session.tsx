/**
 * The token and the state that depends on it. It is kept only in this tab (sessionStorage), is never put into an
 * address, and is deleted as soon as the gateway rejects it. The gateway, not this page, decides who may see what.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createSession, tokenPlace, type Live, type Reading, type SignOut } from '@platform/design-parts';
import type { Problem } from '@platform/design-parts/requests';
import { createGateway, type Gateway } from './gateway';
import { createOneRead } from './one-read';
import { problemOf } from './problem-of';

export { problemOf } from './problem-of';

export const place = tokenPlace('operator-console.token');

export interface Session extends Live {
  readonly gateway: Gateway;
  readonly who: string;
  /** From the token, for what the page offers; the gateway decides. */
  readonly role: string;
  /** Of a person of consumer teams: the consumers, and nothing else is shown. Absent for the platform's people. */
  readonly consumers?: readonly string[];
  readonly signOut: SignOut;
}

export const { SessionContext, useSession } = createSession<Session>();

/** Whether a consumer team reads this page: it sees its own consumers, and no screen of the platform is linked. */
export function useIsTeam(): boolean {
  return useSession().consumers !== undefined;
}

export function useGateway(token: string | null, signOut: () => void, renewals: number): Gateway {
  return useMemo(() => createGateway(token, (url, init) => fetch(url, init), signOut), [token, renewals]);
}

/**
 * Reads a resource, and again when `after` changes; the old data stays on the page meanwhile, and a failure is shown beside
 * it.
 */
export function useRead<T>(
  path: string | null,
  query: Readonly<Record<string, string | number | undefined>> = {},
  after: unknown = undefined,
): Reading<T> {
  const { gateway } = useSession();
  const [state, setState] = useState<{ key: string; data: T | null; problem: Problem | null; reading: boolean }>({
    key: '',
    data: null,
    problem: null,
    reading: true,
  });
  const [turn, setTurn] = useState(0);
  const one = useRef(createOneRead()).current;
  const key = path === null ? '' : `${path}?${JSON.stringify(query)}`;
  useEffect(() => {
    if (path === null) return undefined;
    let current = true;
    one.begin();
    setState((before) => ({ key, data: before.key === key ? before.data : null, problem: null, reading: true }));
    void gateway.read<T>(path, query).then((answer) => {
      if (!current) return;
      setState((before) => ({
        key,
        data: answer.kind === 'answered' ? answer.body : before.data,
        problem: problemOf(answer),
        reading: false,
      }));
      if (one.end()) setTurn((before) => before + 1);
    });
    return () => {
      current = false;
    };
  }, [key, gateway, turn, after]);
  const fresh = state.key === key;
  return {
    data: fresh ? state.data : null,
    problem: fresh ? state.problem : null,
    reading: !fresh || state.reading,
    again: () => one.ask(() => setTurn((before) => before + 1)),
  };
}

/**
 * Reads again while the data shows running work, after 1 s and then with pauses that double up to half a minute: work
 * that ends within seconds may not appear in the lists whose changes are announced. A hidden tab waits.
 */
export function useReadAgain<T>({ data, reading, again }: Reading<T>, underWay: (data: T) => boolean): void {
  const tries = useRef(0);
  const waits = data !== null && !reading && underWay(data);
  useEffect(() => {
    if (!waits) {
      if (data !== null && !underWay(data)) tries.current = 0;
      return undefined;
    }
    const pauseMs = Math.min(30_000, 1_000 * 2 ** tries.current);
    const timer = setInterval(() => {
      if (document.hidden) return;
      tries.current += 1;
      again();
    }, pauseMs);
    return () => clearInterval(timer);
  }, [waits]);
}

/** Calls back when a change that `matters` was announced, at most every `everyMs`, and always after a gap. */
export function useChanges(
  matters: (data: Readonly<Record<string, unknown>>) => boolean,
  changed: () => void,
  everyMs = 400,
): void {
  const { onLive } = useSession();
  const latest = useRef({ matters, changed });
  latest.current = { matters, changed };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const forget = onLive(({ event, data }) => {
      if (event !== 'reset' && !latest.current.matters(data)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current.changed();
      }, everyMs);
    });
    return () => {
      forget();
      clearTimeout(timer);
    };
  }, [onLive, everyMs]);
}
