/**
 * Provider events that provisioning admitted, as people see them: which process handles each, and with what outcome.
 * Read-only.
 */
import { z } from 'zod';
import { executorKnowledgeSchema } from './executors';
import { providerEventLimits, providerEventOutcomeKindSchema } from './provider-events';

export const eventAdmissionRequests = { read: 'provisioning.event_admissions.read' } as const;

const instant = z.iso.datetime();

export const eventAdmissionViewSchema = z.object({
  eventId: z.string(),
  type: z.string(),
  /** `pending`: the handler has recorded no outcome. */
  status: z.enum(['pending', 'completed']),
  revision: z.string(),
  executor: executorKnowledgeSchema.extend({ service: z.string(), instance: z.string(), incarnation: z.string() }),
  outcome: providerEventOutcomeKindSchema.optional(),
  error: z.string().optional(),
  /** A person's resolution, when its handler recorded no outcome. */
  resolution: z.object({ by: z.string(), executorStopped: z.string(), at: instant }).optional(),
  admittedAt: instant,
  finishedAt: instant.optional(),
});
export type EventAdmissionView = z.infer<typeof eventAdmissionViewSchema>;

export const eventAdmissionRequestSchema = z.object({
  eventId: z.string().min(1).max(providerEventLimits.eventIdCharacters),
});
/** `admission` is absent when provisioning has not admitted this event. */
export const eventAdmissionAnswerSchema = z.object({ admission: eventAdmissionViewSchema.optional() });
