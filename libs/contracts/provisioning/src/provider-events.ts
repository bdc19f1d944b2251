/**
 * Provider events for the service that owns their effect, and their outcomes (contracts §5). They are here because both
 * owners, operator and provisioning, and the receiver use this contract. `admittedRevision` names the receiver's
 * admission; an outcome that names another one is refused (specification §6).
 */
import { z } from 'zod';
import { executorKnowledgeSchema } from './executors';

export const providerEventLimits = { eventIdCharacters: 255, typeCharacters: 255, errorCharacters: 500 } as const;

export const providerEventOwners = ['operator', 'provisioning'] as const;
export const providerEventOwnerSchema = z.enum(providerEventOwners);
export type ProviderEventOwner = z.infer<typeof providerEventOwnerSchema>;

/**
 * The part of the provider's object that is stored: ids and states, never amounts, addresses or cards. Handlers read
 * the object again.
 */
export const providerObjectSchema = z.object({
  id: z.string().min(1).max(255).optional(),
  object: z.string().max(100).optional(),
  status: z.string().max(100).optional(),
  customer: z.string().max(255).optional(),
  subscription: z.string().max(255).optional(),
  invoice: z.string().max(255).optional(),
  billing_reason: z.string().max(100).optional(),
  metadata: z
    .object({
      tenantId: z.string().max(200).optional(),
      operationId: z.string().max(200).optional(),
      provisioningAttempt: z.string().max(200).optional(),
    })
    .optional(),
});
export type ProviderObject = z.infer<typeof providerObjectSchema>;

/** Body of `provider.event.<owner>.<type>`, type `provider.event.v1`. */
export const providerEventSchema = z.object({
  eventId: z.string().min(1).max(providerEventLimits.eventIdCharacters),
  type: z.string().min(1).max(providerEventLimits.typeCharacters),
  /** The provider's time of the change in seconds, so many events share one. It never determines an order. */
  created: z.iso.datetime(),
  object: providerObjectSchema,
  admittedRevision: z.string().min(1).max(100),
});
export type ProviderEventMessage = z.infer<typeof providerEventSchema>;

export const providerEventOutcomes = ['success', 'skipped', 'failed', 'unknown'] as const;
export const providerEventOutcomeKindSchema = z.enum(providerEventOutcomes);
export type ProviderEventOutcome = z.infer<typeof providerEventOutcomeKindSchema>;

/**
 * Body of `provider.outcome.<owner>`, type `provider.outcome.v1`. `error` gives the reason for every outcome except
 * success.
 */
export const providerOutcomeSchema = z.object({
  eventId: z.string().min(1).max(providerEventLimits.eventIdCharacters),
  admittedRevision: z.string().min(1).max(100),
  outcome: providerEventOutcomeKindSchema,
  error: z.string().max(providerEventLimits.errorCharacters).optional(),
});
export type ProviderOutcomeMessage = z.infer<typeof providerOutcomeSchema>;

export const providerEventTypes = { event: 'provider.event.v1', outcome: 'provider.outcome.v1' } as const;
export const providerEventStreams = { events: 'PROVIDER_EVENTS', outcomes: 'PROVIDER_OUTCOMES' } as const;
export const providerEventSubjects = {
  event: (owner: ProviderEventOwner, type: string) => `provider.event.${owner}.${type}`,
  outcome: (owner: ProviderEventOwner) => `provider.outcome.${owner}`,
} as const;

/** Stable message ids; receivers and the broker recognise repeats by them. */
export const providerEventMessageIds = {
  event: (eventId: string) => `provider-event:${eventId}`,
  outcome: (eventId: string) => `provider-outcome:${eventId}`,
} as const;

/** The receiver's request to the owner of an event for the owner's durable record of it. */
export const providerAdmissionRequests = {
  operator: 'provider.admission.operator',
  provisioning: 'provider.admission.provisioning',
} as const;
export const providerAdmissionRequestSchema = z.object({
  eventId: z.string().min(1).max(providerEventLimits.eventIdCharacters),
});
/**
 * `not_admitted`: the owner has no record, and its message still waits. `pending`: an executor was admitted, and
 * `executor` says what is known about it now. Every other value is the recorded outcome.
 */
export const providerAdmissionSchema = z.object({
  status: z.enum(['not_admitted', 'pending', ...providerEventOutcomes]),
  error: z.string().max(providerEventLimits.errorCharacters).optional(),
  executor: executorKnowledgeSchema.optional(),
});
export type ProviderAdmission = z.infer<typeof providerAdmissionSchema>;
