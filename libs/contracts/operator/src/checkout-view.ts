/** The answer to a started checkout (contracts §2). */
import { z } from 'zod';
import { instantSchema, operationIdSchema } from './vocabulary';

export const checkoutViewSchema = z
  .object({
    operationId: operationIdSchema,
    /**
     * `open`: send the person to the address. `processing`: the person has finished, and the answer of a bank or the
     * decision about the trial is awaited. `completed`: the session was paid.
     */
    status: z.enum(['open', 'processing', 'completed']),
    checkoutUrl: z.string().nullable(),
    expiresAt: instantSchema.optional(),
    trialDays: z.int().optional(),
  })
  .meta({ id: 'Checkout' });
