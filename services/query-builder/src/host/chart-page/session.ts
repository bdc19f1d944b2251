/**
 * How a person in a browser is signed in: the same token that programs send, kept in a cookie that no script can read.
 * Reading pages changes nothing; signing in and out is for forms of this site alone.
 */
import { pageRoutePrefix } from '@platform/base/page';
import { cookieOf, siteCookie } from '@platform/http-server';

const studioPath = '/dms/studio';

export interface PageCookie {
  readonly name: string;
  /** The header that signs in, or out without a token. `secure` where the browser came by TLS. */
  set(token: string | undefined, secure: boolean): string;
}

/** Of a form in which a token is shown: only the chart pages see it. */
export const formCookie: PageCookie = {
  name: 'page_session',
  set: (token, secure) => {
    const life = token === undefined ? '; Max-Age=0' : '';
    return `page_session=${token ?? ''}; Path=${pageRoutePrefix}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}${life}`;
  },
};

/** Of the sign-in at an identity provider: the studio and its builder see it too. `Lax`, since links lead to pages. */
export function siteSession(origin: string): PageCookie {
  const { name, set } = siteCookie(origin, 'pages_session');
  return {
    name,
    set: (token) => set(token ?? '', { sameSite: 'Lax', ...(token === undefined && { maxAgeSeconds: 0 }) }),
  };
}

const bearer = /^Bearer +(\S+) *$/i;

/** The token of a request: of the header, else of the cookie. */
export function tokenOf(
  { authorization, cookie }: { readonly authorization?: string | undefined; readonly cookie?: string | undefined },
  cookieName: string,
): string | undefined {
  if (authorization !== undefined) return bearer.exec(authorization)?.[1] ?? '';
  return cookieOf(cookie, cookieName);
}

/** Browsers drop a cookie above 4,096 bytes without a word; name and attributes take their share. */
export const sessionTokenCharacters = 3_900;
export const tokenPattern = /^[A-Za-z0-9\-._~+/]{1,8000}=*$/;

export interface OriginHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
}

/**
 * Whether a browser sent this form from a page of another site. A program sends neither header, and carries no cookie
 * that a person did not give it.
 */
export function isFromElsewhere({ host, origin, 'sec-fetch-site': site }: OriginHeaders): boolean {
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}

export interface ForwardedHeaders {
  readonly 'x-forwarded-proto'?: string | undefined;
  readonly forwarded?: string | undefined;
}

/** Whether one of the proxies in front speaks TLS (`X-Forwarded-Proto`, and RFC 7239). */
export function cameByTls({ 'x-forwarded-proto': protocols = '', forwarded = '' }: ForwardedHeaders): boolean {
  const named = protocols.split(',').map((each) => each.trim().toLowerCase());
  return named.includes('https') || /(?:^|[;,\s])proto="?https"?(?:[;,\s]|$)/i.test(forwarded);
}

/** A path of the chart pages or the studio to go to, never another host, whatever the form contains. */
export function returnPath(text: string | null): string {
  const path = text ?? '';
  if (path === studioPath) return path;
  return /^\/dms\/pages(\/[A-Za-z0-9/-]*)?$/.test(path) && !path.includes('//') ? path : pageRoutePrefix;
}
