/** How a person is signed in to a page: by a token of this tab, or by the session of the browser. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { leaveSession, readBrowserSession, type BrowserSession, type screenPlace } from './browser-session';
import type { tokenPlace } from './session';

interface Page {
  readonly sessionUrl: string;
  readonly place: ReturnType<typeof tokenPlace>;
  readonly screen: ReturnType<typeof screenPlace>;
}

export interface SignIn {
  /** Null: the session of the browser counts. */
  readonly token: string | null;
  /** Null while it is not known. */
  readonly browser: BrowserSession | null;
  /** The API takes the token or the session no more. What the person has begun waits behind the login. */
  readonly ended: boolean;
  /** How often the session was renewed: what was refused before is asked again. */
  readonly renewals: number;
  /** Whether the token was entered on this page. */
  readonly afterLogin: boolean;
  /** Keeps a token from the login; null signs the person of a token out. */
  readonly keep: (token: string | null) => void;
  readonly onRefused: () => void;
  /** Asks the service once more how people sign in; undefined where that is known. */
  readonly askAgain: (() => void) | undefined;
  /** Ends the session of the browser; false: it may still be there. */
  readonly leave: (signOutUrl: string) => Promise<boolean>;
}

export function useSignIn({ sessionUrl, place, screen }: Page): SignIn {
  const [token, setToken] = useState(place.read());
  const [browser, setBrowser] = useState<BrowserSession | null>(null);
  const [afterLogin, setAfterLogin] = useState(false);
  const [{ ended, renewals }, setSession] = useState({ ended: false, renewals: 0 });
  // A late refusal is about the session that asked, and ends no later one.
  const session = `${renewals} ${token}`;
  const latest = useRef(session);
  latest.current = session;
  const renew = () => setSession((before) => (before.ended ? { ended: false, renewals: before.renewals + 1 } : before));
  useEffect(() => {
    if ((token === null || ended) && browser === null) void readBrowserSession(sessionUrl).then(setBrowser);
  }, [token, ended, browser]);
  useEffect(() => {
    if (browser?.person) screen.comeBack();
  }, [browser]);
  useRenewed(ended, sessionUrl, (session) => {
    setToken(null);
    setBrowser(session);
    renew();
  });
  return {
    ...{ token, browser, ended, renewals, afterLogin },
    keep: (next) => {
      setAfterLogin(next !== null);
      place.keep(next);
      setToken(next);
      renew();
    },
    onRefused: () => {
      if (latest.current !== session) return;
      place.keep(null);
      setSession((before) => ({ ...before, ended: true }));
    },
    askAgain: browser?.unreachable && (() => void readBrowserSession(sessionUrl).then(setBrowser)),
    leave: async (signOutUrl) => {
      const url = await leaveSession(signOutUrl);
      if (url === null) setBrowser(null);
      else if (url !== undefined) location.assign(url);
      return url !== undefined;
    },
  };
}

/** While `ended`, reads the browser's session whenever the person comes back to this tab: it may be renewed in another one. */
function useRenewed(ended: boolean, url: string, renewed: (session: BrowserSession) => void): void {
  useEffect(() => {
    if (!ended) return undefined;
    const look = async () => {
      if (document.hidden) return;
      const session = await readBrowserSession(url);
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
