/**
 * The token and what hangs on it. It lives in this tab alone (sessionStorage), is never put into an address, and is
 * forgotten as soon as the gateway does not take it. Who may see what is decided by the gateway, not here.
 */
import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createGateway, type Answer, type Gateway, type LiveEvent, type Problem } from './gateway';

const tokenKey = 'operator-console.token';

export function storedToken(): string | null {
  return sessionStorage.getItem(tokenKey);
}

export function storeToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(tokenKey);
  else sessionStorage.setItem(tokenKey, token);
}

type LiveState = 'connecting' | 'live' | 'offline';

export interface Session {
  readonly gateway: Gateway;
  readonly who: string;
  /** As the token says, for what is offered; the gateway decides. */
  readonly role: string;
  readonly signOut: () => void;
  readonly live: LiveState;
  /** Hears changes until the returned function is called. */
  readonly onLive: (heard: (event: LiveEvent) => void) => () => void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('there is no session here');
  return session;
}

/** Whom the token names, for the eye; the gateway verifies it. */
export function personOf(token: string): Pick<Session, 'who' | 'role'> {
  try {
    const claims: unknown = JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));
    const { email, sub, role } = claims as { email?: unknown; sub?: unknown; role?: unknown };
    return { who: typeof email === 'string' ? email : String(sub ?? ''), role: String(role ?? '') };
  } catch {
    return { who: '', role: '' };
  }
}

export function useGateway(token: string, signOut: () => void): Gateway {
  return useMemo(() => createGateway(token, (url, init) => fetch(url, init), signOut), [token]);
}

const againMs = [500, 1_000, 2_000, 5_000, 10_000];

/** One stream for the whole console, opened again when it ends; after a gap everything is read anew. */
export function useLive(gateway: Gateway): Pick<Session, 'live' | 'onLive'> {
  const [live, setLive] = useState<LiveState>('connecting');
  const listeners = useRef(new Set<(event: LiveEvent) => void>());
  useEffect(() => {
    const stop = new AbortController();
    const notify = (event: LiveEvent) => listeners.current.forEach((heard) => heard(event));
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let opened = false;
    const open = async () => {
      try {
        await gateway.listen((event) => {
          if (event.event === 'open') {
            failures = 0;
            setLive('live');
            if (opened) notify({ event: 'reset', data: {} });
            opened = true;
          } else notify(event);
        }, stop.signal);
      } catch {
        // Gone; it is opened again below.
      }
      if (stop.signal.aborted) return;
      setLive(failures === 0 ? 'connecting' : 'offline');
      timer = setTimeout(() => void open(), againMs[Math.min(failures, againMs.length - 1)]);
      failures += 1;
    };
    void open();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [gateway]);
  const onLive = useRef((heard: (event: LiveEvent) => void) => {
    listeners.current.add(heard);
    return () => void listeners.current.delete(heard);
  });
  return { live, onLive: onLive.current };
}

export interface Reading<T> {
  readonly data: T | null;
  readonly problem: Problem | null;
  readonly reading: boolean;
  readonly again: () => void;
}

/** Reads a resource; what was read stays on the page while it is read anew, and a failure is shown beside it. */
export function useRead<T>(
  path: string | null,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Reading<T> {
  const { gateway } = useSession();
  const [state, setState] = useState<{ key: string; data: T | null; problem: Problem | null; reading: boolean }>({
    key: '',
    data: null,
    problem: null,
    reading: true,
  });
  const [turn, setTurn] = useState(0);
  const key = path === null ? '' : `${path}?${JSON.stringify(query)}`;
  useEffect(() => {
    if (path === null) return undefined;
    let current = true;
    setState((before) => ({ key, data: before.key === key ? before.data : null, problem: null, reading: true }));
    void gateway.read<T>(path, query).then((answer) => {
      if (current)
        setState((before) => ({
          key,
          data: answer.kind === 'answered' ? answer.body : before.data,
          problem: problemOf(answer),
          reading: false,
        }));
    });
    return () => {
      current = false;
    };
  }, [key, gateway, turn]);
  const fresh = state.key === key;
  return {
    data: fresh ? state.data : null,
    problem: fresh ? state.problem : null,
    reading: !fresh || state.reading,
    again: () => setTurn((before) => before + 1),
  };
}

export function problemOf(answer: Answer<unknown>): Problem | null {
  if (answer.kind === 'answered') return null;
  return answer.kind === 'refused'
    ? answer.problem
    : { code: 'no_answer', title: 'No answer', detail: `The gateway did not answer (${answer.reason}).` };
}

/** Calls back when something changed that `matters`, at most every `everyMs`, and always after a gap. */
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
