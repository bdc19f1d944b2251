/**
 * How a person in a browser is signed in: the same token that programs send, kept in a cookie that no script can read
 * and that only the chart pages see. Reading pages changes nothing, so a request from elsewhere can do no harm.
 */
import { pageRoutePrefix } from '@platform/base/page';

const cookieName = 'page_session';
const bearer = /^Bearer +(\S+) *$/i;

/** The token of a request: of the header, else of the cookie. */
export function tokenOf({
  authorization,
  cookie,
}: {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}): string | undefined {
  if (authorization !== undefined) return bearer.exec(authorization)?.[1] ?? '';
  const pair = cookie
    ?.split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${cookieName}=`));
  return pair?.slice(cookieName.length + 1) || undefined;
}

/** The header that signs in, or out without a token. `secure` where the browser came by TLS. */
export function sessionCookie(token: string | undefined, secure: boolean): string {
  const life = token === undefined ? '; Max-Age=0' : '';
  return `${cookieName}=${token ?? ''}; Path=${pageRoutePrefix}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}${life}`;
}

export const tokenPattern = /^[A-Za-z0-9\-._~+/]{1,8000}=*$/;

/** A path of the chart pages to go to, whatever the form says: never another host. */
export function returnPath(text: string | null): string {
  const path = text ?? '';
  return /^\/dms\/pages(\/[A-Za-z0-9/-]*)?$/.test(path) && !path.includes('//') ? path : pageRoutePrefix;
}
