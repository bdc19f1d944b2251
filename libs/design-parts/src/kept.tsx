/**
 * A page whose session has ended is hidden, not taken down: what was typed, the ids of what was asked for and answers that
 * are still on their way are there again when the same person has signed in.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { readBrowserSession, type BrowserSession } from './browser-session';

export function Kept({ hidden, children }: { hidden: boolean; children: ComponentChildren }) {
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (hidden) before.current = document.activeElement;
    else if (before.current instanceof HTMLElement) before.current.focus();
  }, [hidden]);
  return (
    <div class="kept" hidden={hidden}>
      {children}
    </div>
  );
}

export interface SessionEnd {
  readonly ended: boolean;
  /** How often the session was renewed: what was refused before is asked again. */
  readonly renewals: number;
  readonly end: () => void;
  readonly renew: () => void;
}

/** Whether the session of a page has ended while the page goes on behind the login. */
export function useSessionEnd(): SessionEnd {
  const [{ ended, renewals }, set] = useState({ ended: false, renewals: 0 });
  return {
    ended,
    renewals,
    end: () => set((before) => ({ ...before, ended: true })),
    renew: () => set((before) => (before.ended ? { ended: false, renewals: before.renewals + 1 } : before)),
  };
}

/** While `ended`, reads the browser's session whenever the person comes back to this tab: it may be renewed in another one. */
export function useRenewed(ended: boolean, url: string, renewed: (session: BrowserSession) => void): void {
  useEffect(() => {
    if (!ended) return undefined;
    const look = async () => {
      if (document.hidden) return;
      const session = await readBrowserSession((from) => fetch(from), url);
      if (session.person) renewed(session);
    };
    const back = () => void look();
    addEventListener('focus', back);
    document.addEventListener('visibilitychange', back);
    return () => {
      removeEventListener('focus', back);
      document.removeEventListener('visibilitychange', back);
    };
  }, [ended]);
}
