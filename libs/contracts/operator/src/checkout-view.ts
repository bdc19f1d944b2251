/** What a started checkout is answered with (contracts §2). */
import { z } from 'zod';
import { instantSchema, operationIdSchema } from './vocabulary';

export const checkoutViewSchema = z
  .object({
    operationId: operationIdSchema,
    /**
     * `open`: send the person to the address. `processing`: the person has finished, and a bank that answers later, or the
     * decision about the trial, is waited for. `completed`: the session was paid.
     */
    status: z.enum(['open', 'processing', 'completed']),
    checkoutUrl: z.string().nullable(),
    expiresAt: instantSchema.optional(),
    trialDays: z.int().optional(),
  })
  .meta({ id: 'Checkout' });
