/**
 * Provisioning listeners of other services (specification §3): called in series while a workspace is provisioned or
 * rolled back. They answer at once or the creation fails; no call is ever repeated.
 */
import { z } from 'zod';

/**
 * A listener publishes under its own name: the broker's permissions enforce it, whatever the body says. The service
 * listens on `*`.
 */
export const listenerRequests = {
  register: (listener: string) => `provisioning.listeners.register.${listener}`,
  unregister: (listener: string) => `provisioning.listeners.unregister.${listener}`,
} as const;

/** Codes with which these requests are refused. */
export const listenerRefusalCodes = [
  'invalid_request',
  'foreign_name',
  'store_unavailable',
  'too_many_listeners',
] as const;
export type ListenerRefusalCode = (typeof listenerRefusalCodes)[number];

export const listenerLimits = { listeners: 50, errorCharacters: 500 } as const;

export const provisioningEvents = ['TENANT_BEING_PROVISIONED', 'TENANT_DELETED'] as const;
export const provisioningEventSchema = z.enum(provisioningEvents);
export type ProvisioningEvent = z.infer<typeof provisioningEventSchema>;

export const listenerNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{2,63}$/, 'must be 3 to 64 of a-z, 0-9, _ and -, beginning with a letter');

/** Name of the registering process, unique among live replicas. */
const instance = z.string().min(1).max(200);

export const listenerSubjects: Readonly<Record<ProvisioningEvent, (listener: string) => string>> = {
  TENANT_BEING_PROVISIONED: (listener) => `tenant_being_provisioned.${listener}`,
  TENANT_DELETED: (listener) => `tenant_deleted.${listener}`,
};

export const registerListenerSchema = z.object({
  name: listenerNameSchema,
  events: z
    .array(provisioningEventSchema)
    .min(1)
    .max(2)
    .refine((list) => new Set(list).size === list.length, 'must not repeat an event'),
  /** Lower numbers are called first; listeners with equal numbers are called in the order of their names. */
  order: z.int().min(0).max(1_000).default(100),
  registeredBy: instance,
  /**
   * Does not change the registration of another process, unless that is of a lower `version`; restores a missing one.
   */
  renew: z.boolean().default(false),
  /** Release of the listener, an increasing number: an older one never replaces a newer one. */
  version: z.int().min(0).optional(),
});
export type RegisterListener = z.output<typeof registerListenerSchema>;

export const registeredListenerSchema = z.object({ name: listenerNameSchema, replaced: z.boolean() });

/** Counts only when the instance that registered last sends it. */
export const unregisterListenerSchema = z.object({ name: listenerNameSchema, registeredBy: instance });
export type UnregisterListener = z.output<typeof unregisterListenerSchema>;

export const unregisteredListenerSchema = z.object({ name: listenerNameSchema, removed: z.boolean() });

/** What a listener receives. `extras` come from the caller, and are passed on and not kept; a deletion has none. */
export const provisioningNoticeSchema = z.object({
  event: provisioningEventSchema,
  tenantId: z.string(),
  attemptId: z.string(),
  workspaceName: z.string(),
  ownerUserId: z.string(),
  planId: z.string(),
  extras: z.record(z.string(), z.unknown()).optional(),
});
export type ProvisioningNotice = z.infer<typeof provisioningNoticeSchema>;

/** The only answer that counts as success. */
export const listenerAnswerSchema = z.object({ done: z.literal(true) });
