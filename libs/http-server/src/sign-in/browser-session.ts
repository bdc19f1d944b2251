/**
 * A browser's substitute for a token: a cookie that no script can read. A browser sends it automatically, so a request
 * that changes anything must also come from a page of the same site.
 */
import type { Caller } from '../auth/claims';
import type { Policy } from '../policy';

export interface BrowserSessions {
  readonly cookieName: string;
  /** Of the site whose pages may change something, for example `https://console.example`. */
  readonly origin: string;
  /** Routes at which this session counts before the others of the browser; absent: none. */
  readonly firstAt?: (policy: Policy) => boolean;
  /** Who is signed in with this value of the cookie; undefined when no person is. Throws when it cannot be known. */
  callerOf(value: string): Promise<Caller | undefined>;
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
 * Whether a page of `origin` sent it. A browser says where a request comes from with everything that may change
 * something (Fetch Metadata, Origin), so silence is no proof.
 */
export function isSameOrigin({ origin, 'sec-fetch-site': site }: Headers, own: string): boolean {
  return site === undefined ? origin === own : site === 'same-origin';
}

export interface CookieOptions {
  /** `Lax` where the browser comes back from another site. */
  readonly sameSite: 'Strict' | 'Lax';
  /** 0 makes the browser forget it. Absent: until the browser ends. */
  readonly maxAgeSeconds?: number;
}

/** The cookie for a site: by TLS with the prefix that no other host and no plain connection can set (RFC 6265bis). */
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
