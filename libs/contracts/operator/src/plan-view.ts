/** A plan of the catalog as the gateway shows it. Amounts are integers in the currency's minor unit, for one billing period. */
import { z } from 'zod';
import { billedEverySchema, instantSchema, planIdSchema } from './vocabulary';

export const planViewSchema = z
  .object({
    planId: planIdSchema,
    name: z.string(),
    amountCents: z.int(),
    currency: z.string(),
    priceId: z.string().optional(),
    billedEvery: billedEverySchema.optional(),
    offered: z.boolean(),
    revision: z.string(),
    updatedAt: instantSchema,
  })
  .meta({ id: 'Plan' });
export type PlanView = z.infer<typeof planViewSchema>;

export const plansSchema = z.object({ plans: z.array(planViewSchema) }).meta({ id: 'Plans' });
