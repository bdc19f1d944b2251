/**
 * The token of this tab (in sessionStorage, never in an address), and the one stream from which a page learns of
 * changes.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveEvent, Problem } from './requests';

export function tokenPlace(key: string) {
  return {
    read: (): string | null => sessionStorage.getItem(key),
    keep: (token: string | null): void =>
      token === null ? sessionStorage.removeItem(key) : sessionStorage.setItem(key, token),
  };
}

export interface Person {
  readonly who: string;
  /** The role in the token, which decides what is offered; the API decides what is allowed. */
  readonly role: string;
  readonly workspaces: readonly string[];
  /** The workspaces that the person owns. */
  readonly owned: readonly string[];
  /** Consumer services of whose team the person is; absent: none. */
  readonly consumers?: readonly string[];
}

/** The person that the token names, for display; the API verifies it. */
export function personOf(token: string): Person {
  try {
    const claims: unknown = JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')));
    const { email, sub, role, workspaces, consumers } = claims as Readonly<Record<string, unknown>>;
    const parts = (typeof workspaces === 'object' && workspaces !== null ? workspaces : {}) as Readonly<
      Record<string, unknown>
    >;
    return {
      who: typeof email === 'string' ? email : String(sub ?? ''),
      role: String(role ?? ''),
      workspaces: Object.keys(parts),
      owned: Object.keys(parts).filter((tenantId) => parts[tenantId] === 'owner'),
      ...(Array.isArray(consumers) && consumers.length > 0 && { consumers: consumers.map(String) }),
    };
  } catch {
    return { who: '', role: '', workspaces: [], owned: [] };
  }
}

export type LiveState = 'connecting' | 'live' | 'offline';

export interface Live {
  readonly live: LiveState;
  /** Calls `heard` with every change until the returned function is called. */
  readonly onLive: (heard: (event: LiveEvent) => void) => () => void;
}

type Listen = (heard: (event: LiveEvent) => void, signal: AbortSignal) => Promise<'ended' | 'refused'>;

const againMs = [500, 1_000, 2_000, 5_000, 10_000];

/** One stream for a whole page, opened again when it ends; after a gap all data is read again. */
export function useLive(source: object, listen: Listen): Live {
  const [live, setLive] = useState<LiveState>('connecting');
  const listeners = useRef(new Set<(event: LiveEvent) => void>());
  const opened = useRef(false);
  useEffect(() => {
    const stop = new AbortController();
    const notify = (event: LiveEvent) => listeners.current.forEach((heard) => heard(event));
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = async () => {
      try {
        await listen((event) => {
          if (event.event === 'open') {
            failures = 0;
            setLive('live');
            if (opened.current) notify({ event: 'reset', data: {} });
            opened.current = true;
          } else notify(event);
        }, stop.signal);
      } catch {
        // The stream has ended; it is opened again below.
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
  }, [source]);
  const onLive = useRef((heard: (event: LiveEvent) => void) => {
    listeners.current.add(heard);
    return () => void listeners.current.delete(heard);
  });
  return { live, onLive: onLive.current };
}

const liveWords: Readonly<Record<LiveState, string>> = {
  live: 'Live',
  connecting: 'Connecting',
  offline: 'Not live',
};

export function LiveMark({ live }: { live: LiveState }) {
  return (
    <span class={`live live-${live}`} role="status">
      <span class="mark" aria-hidden="true" />
      {liveWords[live]}
    </span>
  );
}

export interface Reading<T> {
  readonly data: T | null;
  readonly problem: Problem | null;
  readonly reading: boolean;
  readonly again: () => void;
}
