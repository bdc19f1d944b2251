/** The variables of every service that verifies tokens, and the one function that creates a verifier from them. */
import { z } from 'zod';
import { createAuthenticator, type Authenticator } from './authenticator';
import { openRevokedTokens } from './revoked-tokens';
import { readKeySet } from './token-keys';

const keySet = z.string().superRefine((text, context) => {
  try {
    readKeySet(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is no key set' });
  }
});

/** `audience`: the name of this service in tokens, unless the environment sets another. */
export function tokenVariables(audience: string) {
  return {
    JWT_PUBLIC_KEYS: keySet
      .optional()
      .describe("the token issuer's public keys as a JSON Web Key Set; several while one is rotated out"),
    JWKS_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('where the token issuer publishes its keys, instead of JWT_PUBLIC_KEYS'),
    JWT_ISSUER: z.string().min(1).default('workspace-platform').describe('issuer that tokens must name'),
    JWT_AUDIENCE: z.string().min(1).default(audience).describe('audience that tokens for this service must name'),
    TOKENS_REVOKED_FILE: z
      .string()
      .min(1)
      .optional()
      .describe('file with the ids of revoked tokens, or sub: and a subject, one a line; read again when it changes'),
  };
}

export interface TokenSettings {
  readonly JWT_PUBLIC_KEYS?: string | undefined;
  readonly JWKS_URL?: string | undefined;
  readonly JWT_ISSUER: string;
  readonly JWT_AUDIENCE: string;
  readonly TOKENS_REVOKED_FILE?: string | undefined;
}

/** Arguments of a schema's `refine`: the keys come from exactly one source. */
export const tokenKeysAreOne: readonly [
  (config: Pick<TokenSettings, 'JWT_PUBLIC_KEYS' | 'JWKS_URL'>) => boolean,
  { readonly path: string[]; readonly message: string },
] = [
  (config) => (config.JWT_PUBLIC_KEYS === undefined) !== (config.JWKS_URL === undefined),
  { path: ['JWT_PUBLIC_KEYS'], message: 'set either JWT_PUBLIC_KEYS or JWKS_URL' },
];

/**
 * Arguments of a schema's `refine`: a key that was put in the place of the issuer's on the way here would sign tokens for
 * each person and role.
 */
export const tokenKeysByTls: readonly [
  (config: Pick<TokenSettings, 'JWKS_URL'> & { readonly PLATFORM_MODE: string }) => boolean,
  { readonly path: string[]; readonly message: string },
] = [
  ({ JWKS_URL: url, PLATFORM_MODE: mode }) => mode === 'local' || url === undefined || url.startsWith('https:'),
  { path: ['JWKS_URL'], message: 'production reads the keys of tokens over https only' },
];

/** Throws RangeError for invalid keys, and when the list of revoked tokens cannot be read. */
export function authenticatorOf(settings: TokenSettings): Authenticator {
  const { JWT_PUBLIC_KEYS, JWKS_URL, JWT_ISSUER: issuer, JWT_AUDIENCE: audience, TOKENS_REVOKED_FILE } = settings;
  return createAuthenticator({
    keys: JWKS_URL === undefined ? { kind: 'keys', keySet: JWT_PUBLIC_KEYS ?? '' } : { kind: 'jwks', url: JWKS_URL },
    issuer,
    audience,
    ...(TOKENS_REVOKED_FILE !== undefined && { revoked: openRevokedTokens(TOKENS_REVOKED_FILE) }),
  });
}
