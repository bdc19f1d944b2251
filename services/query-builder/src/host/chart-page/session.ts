/**
 * How a person in a browser is signed in: with the same token that programs send, in a cookie that no script can read.
 * Reading pages changes nothing; only forms of this site can sign in or out.
 */
import { pageRoutePrefix } from '@platform/base/page';
import { cookieOf, siteCookie } from '@platform/http-server';

const studioPath = '/dms/studio';

export interface PageCookie {
  readonly name: string;
  /** The header that signs in, or signs out without a token. `secure` when the browser used TLS. */
  set(token: string | undefined, secure: boolean): string;
}

/** The cookie of the form that takes a token; only the chart pages receive it. */
export const formCookie: PageCookie = {
  name: 'page_session',
  set: (token, secure) => {
    const life = token === undefined ? '; Max-Age=0' : '';
    return `page_session=${token ?? ''}; Path=${pageRoutePrefix}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}${life}`;
  },
};

/**
 * The cookie of the sign-in at an identity provider; the studio and its builder receive it too. `Lax`, because links
 * from elsewhere lead to pages.
 */
export function siteSession(origin: string): PageCookie {
  const { name, set } = siteCookie(origin, 'pages_session');
  return {
    name,
    set: (token) => set(token ?? '', { sameSite: 'Lax', ...(token === undefined && { maxAgeSeconds: 0 }) }),
  };
}

const bearer = /^Bearer +(\S+) *$/i;

/** The token of a request: from the header, or else from the cookie. */
export function tokenOf(
  { authorization, cookie }: { readonly authorization?: string | undefined; readonly cookie?: string | undefined },
  cookieName: string,
): string | undefined {
  if (authorization !== undefined) return bearer.exec(authorization)?.[1] ?? '';
  return cookieOf(cookie, cookieName);
}

/** Browsers silently drop a cookie above 4,096 bytes; name and attributes need some of them. */
export const sessionTokenCharacters = 3_900;
export const tokenPattern = /^[A-Za-z0-9\-._~+/]{1,8000}=*$/;

export interface OriginHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
}

/**
 * Whether a browser sent this form from a page of another site. A program sends neither header, and has no cookie
 * unless a person gave it one.
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

/** A path of the chart pages or the studio to go to; never another host, whatever the form contains. */
export function returnPath(text: string | null): string {
  const path = text ?? '';
  if (path === studioPath) return path;
  return /^\/dms\/pages(\/[A-Za-z0-9/-]*)?$/.test(path) && !path.includes('//') ? path : pageRoutePrefix;
}
