/**
 * How a person in a browser is signed in: the same token that programs send, kept in a cookie that no script can read
 * and that only the chart pages see. Reading pages changes nothing; signing in and out is for forms of this site alone.
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

/** A path of the chart pages to go to, whatever the form says: never another host. */
export function returnPath(text: string | null): string {
  const path = text ?? '';
  return /^\/dms\/pages(\/[A-Za-z0-9/-]*)?$/.test(path) && !path.includes('//') ? path : pageRoutePrefix;
}
