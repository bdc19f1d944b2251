/**
 * The session that a browser has after signing in at the organisation's identity provider: a cookie that no script reads.
 * A page asks its service who is signed in, and remembers the screen to which the person comes back.
 */
export interface BrowserSession {
  /** Where to sign in; null where people show a token. */
  readonly signInUrl: string | null;
  /** Where the person also leaves the identity provider, where the service says so beforehand. */
  readonly leaveUrl?: string | null;
  readonly person: {
    readonly who: string;
    readonly role: string;
    readonly workspaces?: readonly string[];
    /** Of whose team the person is. */
    readonly consumers?: readonly string[];
  } | null;
}

type Ask = (url: string) => Promise<Pick<Response, 'ok' | 'json'>>;

/** If the service does not answer, the person signs in with a token. */
export async function readBrowserSession(ask: Ask, url: string): Promise<BrowserSession> {
  try {
    const answer = await ask(url);
    if (answer.ok) return (await answer.json()) as BrowserSession;
  } catch {
    // Handled below.
  }
  return { signInUrl: null, person: null };
}

/** Ends the session; answers where the person also leaves the identity provider, or null. */
export async function leaveSession(url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, { method: 'POST' });
    if (answer.ok) return ((await answer.json()) as { readonly leaveUrl: string | null }).leaveUrl;
  } catch {
    // The session may still be there; the next request tells.
  }
  return null;
}

/** The screen that a person leaves for the identity provider, in this tab. */
export function screenPlace(key: string) {
  return {
    keep: (): void => sessionStorage.setItem(key, location.hash),
    /** Once, after signing in. */
    comeBack: (): void => {
      const place = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      if (place !== null && place.startsWith('#') && location.hash === '') location.hash = place;
    },
  };
}
