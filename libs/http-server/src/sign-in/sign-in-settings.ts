/** The variables of a service that signs people in at an identity provider, and the mapping of claims to roles. */
import { z } from 'zod';
import { subjectSchema } from '../auth/claims';
import { staffRoles, type Role, type StaffRole } from '../auth/roles';
import { createIdentityProvider, type IdentityProvider } from './identity-provider';

/** The value of a claim and the role that it gives; the first match of a person counts. */
type RoleRules = readonly (readonly [value: string, role: StaffRole])[];

/** The value of a claim and the consumer services whose team it stands for; all that a person has count. */
type ConsumerRules = readonly (readonly [value: string, consumers: readonly string[]])[];

function rules<T>(values: z.ZodType<T>, of: string) {
  const table = z.record(z.string().min(1).max(200), values);
  return z
    .string()
    .max(10_000)
    .transform((text, context): readonly (readonly [string, T])[] => {
      const parsed = table.safeParse(parse(text));
      if (parsed.success && Object.keys(parsed.data).length > 0) return Object.entries(parsed.data);
      context.addIssue({ code: 'custom', message: `must be a JSON object of values of the claim and ${of}` });
      return z.NEVER;
    });
}

const roleRules = rules(z.enum(staffRoles), `roles (${staffRoles.join(', ')})`);
const consumerName = z.string().regex(/^[a-z][a-z0-9_-]{2,63}$/);
const consumerRules = rules(
  z.union([consumerName.transform((name) => [name]), z.array(consumerName).min(1).max(20)]),
  'names of consumers, one or a list',
);

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
      .refine((url) => URL.canParse(url) && new URL(url).pathname === redirectPath, `must end in ${redirectPath}`)
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
  OIDC_ROLES: roleRules
    .optional()
    .describe('JSON object: value of that claim to role; of several that a person has, the first named here counts'),
  OIDC_CONSUMERS: consumerRules
    .optional()
    .describe(
      'JSON object: value of that claim to the consumer, or a list of consumers, whose team it names; people of a team without a role see these alone',
    ),
  SESSION_MINUTES: minutes.default(480).describe('longest life of a session in the console, from signing in'),
  SESSION_IDLE_MINUTES: minutes.default(60).describe('a session that is not used for so long has ended'),
};

const ownerVariables = providerVariables('the owner’s pages', '/account/signed-in');

/** The same for owners, who are known to another identity provider than the platform's people: the product's. */
export const ownerSignInVariables = {
  OWNER_OIDC_ISSUER: ownerVariables.OIDC_ISSUER,
  OWNER_OIDC_CLIENT_ID: ownerVariables.OIDC_CLIENT_ID,
  OWNER_OIDC_CLIENT_SECRET: ownerVariables.OIDC_CLIENT_SECRET,
  OWNER_OIDC_REDIRECT_URL: ownerVariables.OIDC_REDIRECT_URL,
  OWNER_OIDC_SCOPES: ownerVariables.OIDC_SCOPES,
  OWNER_OIDC_WORKSPACES_CLAIM: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'claim that names the workspaces of an owner, as `workspaces` of a token or as a list; absent: those that were created with the verified e-mail address',
    ),
};

interface OwnerSettings {
  readonly OWNER_OIDC_ISSUER?: string | undefined;
  readonly OWNER_OIDC_CLIENT_ID?: string | undefined;
  readonly OWNER_OIDC_CLIENT_SECRET?: string | undefined;
  readonly OWNER_OIDC_REDIRECT_URL?: string | undefined;
  readonly OWNER_OIDC_SCOPES: string;
  readonly PLATFORM_MODE: 'local' | 'production';
}

/** The owners' settings under the names of every other sign-in. */
export function ownerSettings(config: OwnerSettings): ProviderSettings {
  return {
    OIDC_ISSUER: config.OWNER_OIDC_ISSUER,
    OIDC_CLIENT_ID: config.OWNER_OIDC_CLIENT_ID,
    OIDC_CLIENT_SECRET: config.OWNER_OIDC_CLIENT_SECRET,
    OIDC_REDIRECT_URL: config.OWNER_OIDC_REDIRECT_URL,
    OIDC_SCOPES: config.OWNER_OIDC_SCOPES,
    PLATFORM_MODE: config.PLATFORM_MODE,
  };
}

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

/** Arguments of schemas' `refine`, as for the console. */
export const ownerSignInIsWhole: Rule<OwnerSettings> = [
  (config) => providerIsWhole[0](ownerSettings(config)),
  {
    path: ['OWNER_OIDC_ISSUER'],
    message: `set all of ${ofProvider.map((name) => `OWNER_${name}`).join(', ')}, or none`,
  },
];
export const ownerSignInByTls: Rule<OwnerSettings> = [
  (config) => signInByTls[0](ownerSettings(config)),
  { path: ['OWNER_OIDC_REDIRECT_URL'], message: signInByTls[1].message },
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
  sub: subjectSchema,
  email: z.email().max(320),
  email_verified: z.boolean().default(true),
});

/** A person as an identity provider knows them, with what they may do here. */
export interface SignedInPerson {
  readonly subject: string;
  readonly email: string;
  readonly role: Role;
  /** Consumer services of the person's teams. */
  readonly consumers?: readonly string[];
  /** The person's part per workspace. */
  readonly workspaces?: Readonly<Record<string, 'owner' | 'member'>>;
}

/** What the claims of a person are judged by. */
interface PersonRules {
  readonly claim: string;
  readonly roles: RoleRules;
  readonly consumers?: ConsumerRules | undefined;
}

/** Subject and address of the claims; undefined without a subject and an address that the provider does not call unverified. */
export function namesOf(
  claims: Readonly<Record<string, unknown>>,
): { readonly subject: string; readonly email: string; readonly verified: boolean } | undefined {
  const known = nameClaims.safeParse(claims);
  if (!known.success || !known.data.email_verified) return undefined;
  return { subject: known.data.sub, email: known.data.email, verified: claims['email_verified'] === true };
}

/**
 * Who the claims are of: `no_identity` without names, `no_role` when no rule fits what the claim holds, a text or a list
 * of texts. A person with a role of the platform is of no team, so that one session never has two kinds of rights.
 */
export function personOfClaims(
  claims: Readonly<Record<string, unknown>>,
  { claim, roles, consumers = [] }: PersonRules,
): SignedInPerson | 'no_identity' | 'no_role' {
  const names = namesOf(claims);
  if (!names) return 'no_identity';
  const held = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const values = Array.isArray(held) ? held : [held];
  const { subject, email } = names;
  const role = roles.find(([value]) => values.includes(value))?.[1];
  if (role !== undefined) return { subject, email, role };
  const own = new Set(consumers.flatMap(([value, each]) => (values.includes(value) ? each : [])));
  return own.size === 0 ? 'no_role' : { subject, email, role: 'user', consumers: [...own].sort() };
}
