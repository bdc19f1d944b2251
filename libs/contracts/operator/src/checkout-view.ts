/** A checkout as its workspace's owner starts it (contracts §2). */
import { z } from 'zod';
import { instantSchema, operationIdSchema, planIdSchema } from './vocabulary';

const returnUrlSchema = z
  .string()
  .max(2_000)
  .refine(
    (text) => /^https?:\/\/[^\s]+$/.test(text) && URL.canParse(text.replaceAll(/[{}]/g, '')),
    'must be an http or https address',
  );

export const checkoutRequestSchema = z.strictObject({
  operationId: operationIdSchema,
  planId: planIdSchema,
  /** Where the provider's page leads afterwards; may hold `{CHECKOUT_SESSION_ID}`. */
  successUrl: returnUrlSchema.meta({ example: 'https://app.example.com/billing/done' }),
  cancelUrl: returnUrlSchema.meta({ example: 'https://app.example.com/billing' }),
});

export const checkoutViewSchema = z
  .object({
    operationId: operationIdSchema,
    /** `open`: send the person to the address. `completed`: the session was paid. */
    status: z.enum(['open', 'completed']),
    checkoutUrl: z.string().nullable(),
    expiresAt: instantSchema.optional(),
    trialDays: z.int().optional(),
  })
  .meta({ id: 'Checkout' });
