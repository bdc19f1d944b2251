/**
 * Resolutions of the last day that the evidence no longer supports, judged by the service that owns the records.
 * Read-only: the gateway asks, and records and announces new contradictions.
 */
import { z } from 'zod';

export const contradictedRequests = {
  creations: 'provisioning.resolutions.contradicted',
  events: 'webhook_events.resolutions.contradicted',
} as const;

/** ISO 8601 on the wire. */
const instant = z.iso.datetime().transform((text) => new Date(text));
const position = z.strictObject({ at: instant, id: z.string().min(1).max(300) });

/** `after`: the end of the previous page. */
export const contradictedRequestSchema = z.strictObject({ since: instant, after: position.optional() });

export const contradictedPageSchema = z.object({
  contradicted: z.array(
    z.object({
      itemId: z.string(),
      tenantId: z.string().nullable(),
      title: z.string(),
      resolvedBy: z.string(),
      resolvedAt: instant,
      text: z.string(),
      objects: z.array(z.string()),
    }),
  ),
  /** Absent at the end: the next page begins at the oldest again. */
  next: position.optional(),
});
