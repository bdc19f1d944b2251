/** The variables of a service that signs people in at an identity provider, and the mapping of claims to roles. */
import { z } from 'zod';
import { staffRoles, type StaffRole } from '../auth/roles';
import { createIdentityProvider, type IdentityProvider } from './identity-provider';

/** The value of a claim and the role that it gives; the first match of a person counts. */
export type RoleRules = readonly (readonly [value: string, role: StaffRole])[];

const rules = z
  .string()
  .max(10_000)
  .transform((text, context): RoleRules => {
    const parsed = z.record(z.string().min(1).max(200), z.enum(staffRoles)).safeParse(parse(text));
    if (parsed.success && Object.keys(parsed.data).length > 0) return Object.entries(parsed.data);
    context.addIssue({
      code: 'custom',
      message: `must be a JSON object of values of the claim and roles (${staffRoles.join(', ')})`,
    });
    return z.NEVER;
  });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const minutes = z.coerce
  .number()
  .int()
  .min(5)
  .max(24 * 60);

/** `what` people sign in to, in words, and the path to which the identity provider redirects their browsers. */
export function providerVariables(what: string, redirectPath: string) {
  return {
    OIDC_ISSUER: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe(`identity provider at which people sign in to ${what}; absent: they show a token`),
    OIDC_CLIENT_ID: z.string().min(1).max(200).optional().describe(`${what} as the identity provider knows it`),
    OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('its secret; absent: a public client, with PKCE alone'),
    OIDC_REDIRECT_URL: z
      .url({ protocol: /^https?$/ })
      .refine((url) => new URL(url).pathname === redirectPath, `must end in ${redirectPath}`)
      .optional()
      .describe(`address of this service for browsers, and ${redirectPath}`),
    OIDC_SCOPES: z
      .string()
      .regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/)
      .refine((scopes) => scopes.split(' ').includes('openid'), 'openid must be among them')
      .default('openid email')
      .describe('scopes that are asked for, separated by spaces'),
  };
}

export const signInVariables = {
  ...providerVariables('the console', '/console/signed-in'),
  OIDC_ROLES_CLAIM: z.string().min(1).max(100).default('groups').describe('claim that names what a person belongs to'),
  OIDC_ROLES: rules
    .optional()
    .describe('JSON object: value of that claim to role; of several that a person has, the first named here counts'),
  SESSION_MINUTES: minutes.default(480).describe('longest life of a session in the console, from signing in'),
  SESSION_IDLE_MINUTES: minutes.default(60).describe('a session that is not used for so long has ended'),
};

export interface ProviderSettings {
  readonly OIDC_ISSUER?: string | undefined;
  readonly OIDC_CLIENT_ID?: string | undefined;
  readonly OIDC_CLIENT_SECRET?: string | undefined;
  readonly OIDC_REDIRECT_URL?: string | undefined;
  readonly OIDC_SCOPES: string;
  readonly PLATFORM_MODE: 'local' | 'production';
}

interface SignInSettings extends ProviderSettings {
  readonly OIDC_ROLES?: RoleRules | undefined;
}

type Rule<Settings> = readonly [(config: Settings) => boolean, { readonly path: string[]; readonly message: string }];

function together<Settings extends object>(names: readonly (keyof Settings & string)[]): Rule<Settings> {
  return [
    (config) => new Set(names.map((name) => config[name] === undefined)).size === 1,
    { path: ['OIDC_ISSUER'], message: `set all of ${names.join(', ')}, or none` },
  ];
}

const ofProvider = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_REDIRECT_URL'] as const;
/** Arguments of a schema's `refine`. */
export const providerIsWhole = together<ProviderSettings>(ofProvider);
/** The same rule for a service that takes roles from a claim. */
export const signInIsWhole = together<SignInSettings>([...ofProvider, 'OIDC_ROLES']);

/**
 * A rule for a schema's `refine`. Addresses must use https, because a code or a cookie that is sent in plain text can
 * be read by others.
 */
export const signInByTls: Rule<ProviderSettings> = [
  ({ OIDC_ISSUER: issuer, OIDC_REDIRECT_URL: redirect, PLATFORM_MODE: mode }) =>
    mode === 'local' || [issuer, redirect].every((url) => url === undefined || url.startsWith('https:')),
  { path: ['OIDC_REDIRECT_URL'], message: 'production signs people in over https only' },
];

/**
 * Undefined where people show a token. `leftPath` is where a person returns after signing out of the identity provider.
 */
export function identityProviderOf(settings: ProviderSettings, leftPath: string): IdentityProvider | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_REDIRECT_URL: redirectUrl } = settings;
  if (issuer === undefined || clientId === undefined || redirectUrl === undefined) return undefined;
  return createIdentityProvider({
    issuer,
    clientId,
    clientSecret: settings.OIDC_CLIENT_SECRET,
    redirectUrl,
    leftPath,
    scopes: settings.OIDC_SCOPES,
    insecure: settings.PLATFORM_MODE === 'local',
  });
}

const nameClaims = z.object({
  sub: z.string().min(1).max(255),
  email: z.email().max(320),
  email_verified: z.boolean().default(true),
});

/** A member of the platform's staff, by the claims of the identity provider. */
export interface StaffMember {
  readonly subject: string;
  readonly email: string;
  readonly role: StaffRole;
}

/**
 * The person of the claims. `no_identity`: no subject, or no address that the provider considers verified. `no_role`:
 * no rule matches the claim `name`, which is a text or a list of texts.
 */
export function staffOf(
  claims: Readonly<Record<string, unknown>>,
  name: string,
  roleRules: RoleRules,
): StaffMember | 'no_identity' | 'no_role' {
  const known = nameClaims.safeParse(claims);
  if (!known.success || !known.data.email_verified) return 'no_identity';
  const held = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const values = Array.isArray(held) ? held : [held];
  const role = roleRules.find(([value]) => values.includes(value))?.[1];
  return role === undefined ? 'no_role' : { subject: known.data.sub, email: known.data.email, role };
}
