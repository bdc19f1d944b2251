/**
 * The session of a browser after signing in at the organisation's identity provider: a cookie that no script can read.
 * A page asks its service who is signed in, and remembers the screen to which the person returns.
 */
export interface BrowserSession {
  /** The sign-in address; null where people show a token. */
  readonly signInUrl: string | null;
  /** Where the person also signs out of the identity provider, if the service announces the address beforehand. */
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
    // The refusal is handled below.
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

/** The screen from which a person goes to the identity provider, in this tab. */
export function screenPlace(key: string) {
  return {
    keep: (): void => sessionStorage.setItem(key, location.hash),
    /** Restores the screen once after signing in. */
    comeBack: (): void => {
      const place = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      if (place !== null && place.startsWith('#') && location.hash === '') location.hash = place;
    },
  };
}
