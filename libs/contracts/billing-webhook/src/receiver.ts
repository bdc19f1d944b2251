/** The receiving endpoint and its limits (contracts §2, workflows §6). */
import { z } from 'zod';

export const webhookPath = '/api/saas/webhooks/payment-provider';
export const signatureHeader = 'stripe-signature';

export const webhookLimits = {
  /** Checked before reading. */
  bodyBytes: 1_048_576,
  /** Largest difference between the signature's time and the receiver's clock, in both directions. */
  toleranceSeconds: 300,
  waitMs: 8_000,
  retentionDays: 90,
  /** The lowest retention without an explicit flag. */
  retentionFloorDays: 45,
} as const;

/** The answer to the provider for a recorded event that is resolved. */
export const webhookAcceptedSchema = z
  .object({ eventId: z.string(), result: z.enum(['success', 'skipped']), duplicate: z.boolean() })
  .meta({ id: 'WebhookAccepted' });
