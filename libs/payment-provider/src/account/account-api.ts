/**
 * Requests of a person or a test to a provider's account, besides those that the platform makes: what the dashboard
 * does.
 */
import { openSdk } from '../stripe/sdk';

export interface AccountAccess {
  readonly secretKey: string;
  /** Origin of another server with the provider's interface; absent for the provider itself. */
  readonly apiBase?: string;
}

export interface AccountApi {
  /** Throws with the provider's message and never with the key. */
  ask<T>(method: 'GET' | 'POST' | 'DELETE', path: string, params?: object): Promise<T>;
  /** All objects of a list, page by page. */
  all<T extends { readonly id: string }>(path: string, params?: object): Promise<readonly T[]>;
}

const requestTimeoutMs = 30_000;
const pageSize = 100;

/** Only test keys are accepted: objects created here are removed again, and a live account is never touched. */
function isTestKey(key: string): boolean {
  return /^(sk|rk)_test_\w+$/.test(key);
}

/** Throws for a key that is not a test key. Opens no connection. */
export function openAccountApi({ secretKey, apiBase }: AccountAccess): AccountApi {
  if (!isTestKey(secretKey)) throw new Error('The key is no test key (sk_test_… or rk_test_…).');
  const sdk = openSdk({ secretKey, ...(apiBase !== undefined && { apiBase }), timeoutMs: requestTimeoutMs });
  const ask = async <T>(method: 'GET' | 'POST' | 'DELETE', path: string, params: object = {}): Promise<T> => {
    const query = method === 'GET' && Object.keys(params).length > 0 ? `?${queryOf(params)}` : '';
    try {
      return (await sdk.rawRequest(method, `${path}${query}`, method === 'GET' ? undefined : params)) as T;
    } catch (error) {
      throw new Error(`${method} ${path}: ${error instanceof Error ? error.message : 'no answer'}`);
    }
  };
  return {
    ask,
    async all<T extends { readonly id: string }>(path: string, params: object = {}) {
      const found: T[] = [];
      for (;;) {
        const last = found.at(-1);
        const { data, has_more: more } = await ask<{ readonly data: readonly T[]; readonly has_more: boolean }>(
          'GET',
          path,
          { ...params, limit: pageSize, ...(last && { starting_after: last.id }) },
        );
        found.push(...data);
        if (!more) return found;
      }
    },
  };
}

/** One level of nesting, which is all that the lists here need. */
function queryOf(params: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (typeof value === 'object' && value !== null)
      for (const [member, inner] of Object.entries(value)) query.append(`${name}[${member}]`, String(inner));
    else query.append(name, String(value));
  return query.toString();
}
