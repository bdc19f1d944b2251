/** Bodies of the gateway's mutations that are not actions (contracts §2). Unknown fields are refused. */
import { z } from 'zod';
import { operatorLimits } from './limits';
import { writtenText } from './vocabulary';

/** The body of PUT for a plan; the id is in the path. */
export const planRequestSchema = z.strictObject({
  name: writtenText(100).meta({ example: 'Pro' }),
  /** Minor units of the currency for one billing period; how long that is, the price at the provider says. */
  amountCents: z.int().min(0).max(operatorLimits.planAmountCents).meta({ example: 4900 }),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/, 'must be a lower-case ISO 4217 code')
    .meta({ example: 'usd' }),
  priceId: z
    .string()
    .regex(/^price_[A-Za-z0-9_]{1,122}$/, "must be the id of the provider's price")
    .optional(),
  offered: z.boolean(),
});
export type PlanRequest = z.infer<typeof planRequestSchema>;
