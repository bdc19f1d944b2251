/**
 * A browser's substitute for a token: a cookie that no script can read. A browser sends it automatically, so a request
 * that changes anything must also come from a page of the same site.
 */
import type { Caller } from '../auth/claims';
import type { Policy } from '../policy';

export interface BrowserSessions {
  readonly cookieName: string;
  /** The site whose pages may change something, for example `https://console.example`. */
  readonly origin: string;
  /** Routes at which this session counts before the others of the browser; absent: none. */
  readonly firstAt?: (policy: Policy) => boolean;
  /**
   * The person with this value of the cookie; undefined when it belongs to no session, `not_yet_valid` when it belongs to
   * one of a later time than the clock of this service shows. Throws when it cannot be determined.
   */
  callerOf(value: string): Promise<Caller | 'not_yet_valid' | undefined>;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The value of the cookie of this name, or undefined. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const pair = header
    ?.split(';')
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) || undefined;
}

/**
 * Whether a page of `origin` sent the request. With every request that may change something, a browser states its
 * origin (Fetch Metadata, Origin), so a missing header is no proof.
 */
export function isSameOrigin({ origin, 'sec-fetch-site': site }: Headers, own: string): boolean {
  return site === undefined ? origin === own : site === 'same-origin';
}

export interface CookieOptions {
  /** `Lax` when the browser returns from another site. */
  readonly sameSite: 'Strict' | 'Lax';
  /** 0 makes the browser delete it. Absent: until the browser ends. */
  readonly maxAgeSeconds?: number;
}

/** The cookie for a site: over TLS with the prefix that no other host and no plain connection can set (RFC 6265bis). */
export function siteCookie(origin: string, name: string) {
  const secure = origin.startsWith('https:');
  const fullName = secure ? `__Host-${name}` : name;
  return {
    name: fullName,
    /** The header `Set-Cookie`. */
    set: (value: string, { sameSite, maxAgeSeconds }: CookieOptions): string => {
      const life = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
      return `${fullName}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${life}${secure ? '; Secure' : ''}`;
    },
  };
}
