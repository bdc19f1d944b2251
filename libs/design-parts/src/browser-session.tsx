/**
 * The session of a browser after signing in at the organisation's identity provider: a cookie that no script can read.
 * A page asks its service who is signed in, and remembers the screen to which the person returns.
 */
export interface BrowserSession {
  /** The service did not say how people sign in; it can be asked again. */
  readonly unreachable?: true;
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

/** A page waits no longer for it. */
const patienceMs = 10_000;

/** If the service does not answer, the person may ask again, or sign in with a token. */
export async function readBrowserSession(url: string): Promise<BrowserSession> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
    const session = (await answer.json()) as BrowserSession;
    if (answer.ok && 'person' in session) return session;
  } catch {
    // The refusal is handled below.
  }
  return { unreachable: true, signInUrl: null, person: null };
}

/**
 * Ends the session; answers where the person also leaves the identity provider, or null. Undefined: the session may still
 * be there.
 */
export async function leaveSession(url: string): Promise<string | null | undefined> {
  try {
    const answer = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(patienceMs) });
    if (answer.ok) return ((await answer.json()) as { readonly leaveUrl: string | null }).leaveUrl;
  } catch {
    // The caller says so.
  }
  return undefined;
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
