/** The variables of a service that signs people in at an identity provider, and who they become by their claims. */
import { z } from 'zod';
import { staffRoles, type StaffRole } from '../auth/roles';
import { createIdentityProvider, type IdentityProvider } from './identity-provider';

/** The value of a claim and the role that it stands for; the first that a person has counts. */
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

export const signInVariables = {
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('identity provider at which people sign in to the console; absent: they show a token'),
  OIDC_CLIENT_ID: z.string().min(1).max(200).optional().describe('the console as the identity provider knows it'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('its secret; absent: a public client, with PKCE alone'),
  OIDC_REDIRECT_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).pathname === '/console/signed-in', 'must end in /console/signed-in')
    .optional()
    .describe('address of this gateway for browsers, and /console/signed-in'),
  OIDC_SCOPES: z
    .string()
    .regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/)
    .refine((scopes) => scopes.split(' ').includes('openid'), 'openid must be among them')
    .default('openid email')
    .describe('scopes that are asked for, separated by spaces'),
  OIDC_ROLES_CLAIM: z.string().min(1).max(100).default('groups').describe('claim that names what a person belongs to'),
  OIDC_ROLES: rules
    .optional()
    .describe('JSON object: value of that claim to role; of several that a person has, the first named here counts'),
  SESSION_MINUTES: minutes.default(480).describe('longest life of a session in the console, from signing in'),
  SESSION_IDLE_MINUTES: minutes.default(60).describe('a session that is not used for so long has ended'),
};

export interface SignInSettings {
  readonly OIDC_ISSUER?: string | undefined;
  readonly OIDC_CLIENT_ID?: string | undefined;
  readonly OIDC_CLIENT_SECRET?: string | undefined;
  readonly OIDC_REDIRECT_URL?: string | undefined;
  readonly OIDC_SCOPES: string;
  readonly OIDC_ROLES?: RoleRules | undefined;
  readonly PLATFORM_MODE: 'local' | 'production';
}

const together = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_REDIRECT_URL', 'OIDC_ROLES'] as const;
type Rule = readonly [(config: SignInSettings) => boolean, { readonly path: string[]; readonly message: string }];

/** Arguments of a schema's `refine`. */
export const signInIsWhole: Rule = [
  (config) => new Set(together.map((name) => config[name] === undefined)).size === 1,
  { path: ['OIDC_ISSUER'], message: `set all of ${together.join(', ')}, or none` },
];

/** Arguments of a schema's `refine`: a code or a cookie that travels in plain text can be read by others. */
export const signInByTls: Rule = [
  ({ OIDC_ISSUER: issuer, OIDC_REDIRECT_URL: redirect, PLATFORM_MODE: mode }) =>
    mode === 'local' || [issuer, redirect].every((url) => url === undefined || url.startsWith('https:')),
  { path: ['OIDC_REDIRECT_URL'], message: 'production signs people in over https only' },
];

/** Undefined where people show a token. */
export function identityProviderOf(settings: SignInSettings): IdentityProvider | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_REDIRECT_URL: redirectUrl } = settings;
  if (issuer === undefined || clientId === undefined || redirectUrl === undefined) return undefined;
  return createIdentityProvider({
    issuer,
    clientId,
    clientSecret: settings.OIDC_CLIENT_SECRET,
    redirectUrl,
    scopes: settings.OIDC_SCOPES,
    insecure: settings.PLATFORM_MODE === 'local',
  });
}

const nameClaims = z.object({
  sub: z.string().min(1).max(255),
  email: z.email().max(320),
  email_verified: z.boolean().default(true),
});

/** One of the platform's people, as the identity provider knows them. */
export interface StaffMember {
  readonly subject: string;
  readonly email: string;
  readonly role: StaffRole;
}

/**
 * Who the claims are of: `no_identity` without a subject and an address that the provider does not call unverified,
 * `no_role` when no rule fits what the claim `name` holds, a text or a list of texts.
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
