/**
 * Creation of a workspace over request/reply: extras must not be stored, and a stream stores its messages (workflows
 * §3).
 */
import { shownText, shownTextRule } from '@platform/kernel/text';
import { z } from 'zod';
import { attemptViewSchema } from './attempts';
import { extrasSchema } from './extras';

export const creationRequests = {
  create: 'provisioning.workspace.create',
  mirrored: 'provisioning.workspace.mirrored',
} as const;

export const creationLimits = {
  workspaceNameCharacters: 100,
  profileFieldCharacters: 200,
  /** How long the gateway waits for the answer; a request that is received later is not begun. */
  requestSeconds: 50,
} as const;

const text = (maxCharacters: number) => z.string().trim().min(1).max(maxCharacters).regex(shownText, shownTextRule);
const line = text(creationLimits.profileFieldCharacters);

const notCountry = 'must be an ISO 3166 country code of two capital letters';
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Regions that the runtime can name besides countries: unions, groups and codes for tests. */
const noCountries: readonly string[] = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'];

/** By the list of the runtime, so that none is kept here. To it a withdrawn code is another name of the present one. */
function isCountry(code: string): boolean {
  const isPresent = new Intl.Locale('und', { region: code }).region === code;
  return isPresent && regions.of(code) !== undefined && !noCountries.includes(code);
}

/** The payer of a workspace. Stored in a separate collection, never in the attempt. */
export const billingProfileSchema = z.strictObject({
  name: line,
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, { error: notCountry, abort: true })
    .refine(isCountry, notCountry),
  line1: line.optional(),
  city: line.optional(),
  postalCode: text(20).optional(),
  taxId: text(40).optional(),
});
export type BillingProfile = z.output<typeof billingProfileSchema>;

/** Body of `POST /api/saas/workspaces`. */
export const createWorkspaceRequestSchema = z.strictObject({
  workspaceName: text(creationLimits.workspaceNameCharacters),
  planId: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be 1 to 64 of a-z, 0-9, _ and -'),
  paymentMethodId: z.string().regex(/^[A-Za-z0-9_]{3,100}$/, "must be the provider's id of a payment method"),
  billingProfile: billingProfileSchema,
  extras: extrasSchema.optional(),
});

/**
 * The request with the gateway's additions: the new id, the caller, the plan's price. A plan without a price is free.
 */
export const createWorkspaceSchema = createWorkspaceRequestSchema.omit({ planId: true }).extend({
  tenantId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/),
  // As long as the subject of a token may be.
  user: z.strictObject({ id: z.string().min(1).max(255), email: z.email().max(320) }),
  plan: z.strictObject({ planId: z.string().min(1).max(64), priceId: z.string().min(1).max(200).optional() }),
  /** By the database's clock; absent from gateways of earlier releases. */
  askedAt: z.iso.datetime().optional(),
});
export type CreateWorkspace = z.output<typeof createWorkspaceSchema>;

/** `committed`, or the attempt as recorded when its outcome is still open. */
export const createdWorkspaceSchema = z.object({
  tenantId: z.string(),
  status: z.enum(['committed', 'unresolved']),
  attempt: attemptViewSchema,
});

/**
 * Codes with which a creation is refused. Afterwards nothing of it remains except, for some codes, a cancelled attempt.
 */
export const creationRefusalCodes = [
  'invalid_request',
  'rate_limited',
  'payment_method_not_usable',
  'card_identity_unknown',
  'capacity_exhausted',
  'card_declined',
  'authentication_required',
  'confirmation_expired',
  'provider_refused',
  'provider_unavailable',
  'tenant_id_taken',
  'store_unavailable',
] as const;
export type CreationRefusalCode = (typeof creationRefusalCodes)[number];

/** The gateway confirms that its mirror of the committed workspace is durable, so the message is not sent again. */
export const mirroredWorkspaceSchema = z.object({ tenantId: z.string().min(1).max(64) });
