/** Provider events as the gateway shows them. The receiver supplies them over request/reply in this shape. */
import { z } from 'zod';
import { resolutionViewSchema } from './operation-view';
import { instantSchema } from './vocabulary';

export const webhookEventsSubject = 'webhook_events.inspect';
export const webhookEventsListed = 40;

export const webhookResults = ['pending', 'success', 'skipped', 'reconciliation_required'] as const;
export const webhookResultSchema = z.enum(webhookResults);
export type WebhookResult = z.infer<typeof webhookResultSchema>;

export const webhookEventViewSchema = z
  .object({
    eventId: z.string(),
    type: z.string(),
    /** Null when no service handles the type. */
    owner: z.enum(['operator', 'provisioning']).nullable(),
    result: webhookResultSchema,
    errorMessage: z.string().optional(),
    executor: z.object({ service: z.string(), instance: z.string(), incarnation: z.string() }),
    /** The provider's instant of the change. */
    created: instantSchema,
    receivedAt: instantSchema,
    processedAt: instantSchema.optional(),
    /** Redeliveries while the event was unresolved. */
    deliveries: z.int(),
    /** Deliveries of this id with another event type, which are refused. */
    conflicts: z.object({ count: z.int(), lastType: z.string(), lastAt: instantSchema }).optional(),
    /**
     * People were alerted that the provider stops repeating this event at `givenUpAt` and may then disable the
     * endpoint.
     */
    endpointWarning: z.object({ at: instantSchema, givenUpAt: instantSchema }).optional(),
    /** The owner's report after the event had been stopped; evidence, never a resolution. */
    lateOutcome: z.object({ outcome: z.string(), error: z.string().optional(), at: instantSchema }).optional(),
    resolution: resolutionViewSchema.omit({ providerObject: true }).optional(),
    object: z.record(z.string(), z.unknown()),
    payloadDigest: z.string(),
    revision: z.string(),
  })
  .meta({ id: 'WebhookEvent' });
export type WebhookEventView = z.infer<typeof webhookEventViewSchema>;

export const webhookEventsRequestSchema = z.object({
  /** Only this event, whatever its result. */
  eventId: z.string().min(1).max(255).optional(),
  result: webhookResultSchema.optional(),
  /** Which entries come first; callers that walk through all of them begin with the oldest. */
  order: z.enum(['oldest', 'newest']).default('oldest'),
  cursor: z.string().max(500).optional(),
  /** Limited by the size of a message. */
  limit: z.int().min(1).max(webhookEventsListed).default(25),
});
export const webhookEventsPageSchema = z
  .object({ events: z.array(webhookEventViewSchema), nextCursor: z.string().optional() })
  .meta({ id: 'WebhookEventsPage' });
