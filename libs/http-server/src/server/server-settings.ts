/** The variables of every server that outside clients reach: which proxies are trusted, and where the inner port is. */
import { z } from 'zod';

export const serverVariables = {
  /** The trusted entries of `X-Forwarded-For`: budgets are counted by the address in them. */
  TRUSTED_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe('how many proxies are in front of this service; 0: none, callers connect to it'),
  INNER_PORT: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('port of probes, figures and the description of the API, to which no proxy leads'),
};

type Mode = { readonly PLATFORM_MODE: string };
type Rule<C> = readonly [(config: C) => boolean, { readonly path: string[]; readonly message: string }];

/**
 * Arguments of `refine`. With 0, all callers behind a proxy share one budget; with too many, a caller can choose its
 * address.
 */
export const proxiesInProduction: Rule<Mode & { readonly TRUSTED_PROXIES?: number }> = [
  (config) => config.PLATFORM_MODE === 'local' || config.TRUSTED_PROXIES !== undefined,
  { path: ['TRUSTED_PROXIES'], message: 'must be set in production; 0 where callers connect without a proxy' },
];

/**
 * Arguments of `refine`. Addresses that outside clients can call anonymously can also be overloaded by them (SEC-05).
 */
export const innerPortInProduction: Rule<Mode & { readonly PORT: number; readonly INNER_PORT?: number }> = [
  ({ PORT: port, INNER_PORT: inner, PLATFORM_MODE: mode }) => (inner === undefined ? mode === 'local' : inner !== port),
  { path: ['INNER_PORT'], message: 'must be set in production, and differ from PORT' },
];

interface ServerSettings {
  readonly TRUSTED_PROXIES?: number | undefined;
  readonly INNER_PORT?: number | undefined;
  readonly PLATFORM_MODE?: string | undefined;
}

/**
 * The options of a server that follow from its variables. On a local platform both ports answer the machines' requests.
 */
export function serverSettings({
  TRUSTED_PROXIES: proxies = 0,
  INNER_PORT: port,
  PLATFORM_MODE: mode,
}: ServerSettings) {
  return { proxies, ...(port !== undefined && { inner: { port, alsoOutside: mode === 'local' } }) };
}
