/**
 * The session that a browser has after signing in at the organisation's identity provider: a cookie that no script reads.
 * The console asks the gateway who is signed in, and remembers the screen to which the person comes back.
 */
export interface BrowserSession {
  /** Where to sign in; null where people show a token. */
  readonly signInUrl: string | null;
  readonly person: { readonly who: string; readonly role: string } | null;
}

type Ask = (url: string) => Promise<Pick<Response, 'ok' | 'json'>>;
type Send = (url: string, init: { readonly method: 'POST' }) => Promise<Pick<Response, 'ok' | 'json'>>;

const placeKey = 'operator-console.place';

/** A gateway that does not answer leaves the way with a token. */
export async function readBrowserSession(ask: Ask): Promise<BrowserSession> {
  try {
    const answer = await ask('/console/session');
    if (answer.ok) return (await answer.json()) as BrowserSession;
  } catch {
    // Said below.
  }
  return { signInUrl: null, person: null };
}

/** Ends the session; answers where the person also leaves the identity provider, or null. */
export async function leaveBrowserSession(send: Send): Promise<string | null> {
  try {
    const answer = await send('/console/sign-out', { method: 'POST' });
    if (answer.ok) return ((await answer.json()) as { readonly leaveUrl: string | null }).leaveUrl;
  } catch {
    // The session may still be there; the next request tells.
  }
  return null;
}

export const keepPlace = (): void => sessionStorage.setItem(placeKey, location.hash);

/** Once, after signing in. */
export function returnToPlace(): void {
  const place = sessionStorage.getItem(placeKey);
  sessionStorage.removeItem(placeKey);
  if (place !== null && place.startsWith('#') && location.hash === '') location.hash = place;
}
