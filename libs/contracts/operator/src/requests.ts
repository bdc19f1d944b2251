/** Bodies of the gateway's mutations (contracts §2). Unknown fields are refused. */
import { z } from 'zod';
import { instantSchema, operatorLimits, operationIdSchema, planIdSchema } from './vocabulary';

export const suspendRequestSchema = z.strictObject({ operationId: operationIdSchema });
export const reactivateRequestSchema = z.strictObject({ operationId: operationIdSchema });
export const balanceCreditRequestSchema = z.strictObject({
  operationId: operationIdSchema,
  /** Minor units of the plan's currency. */
  amountCents: z.int().min(1).meta({ example: 500 }),
  reason: z.string().trim().min(1).max(operatorLimits.creditReasonCharacters).meta({ example: 'Outage on 12 March' }),
});
export const upgradeRequestSchema = z.strictObject({ operationId: operationIdSchema, planId: planIdSchema });
export const grantFreeAccessRequestSchema = z.strictObject({
  operationId: operationIdSchema,
  planId: planIdSchema,
  /** In the future when the grant is first asked for; absent: without end. */
  freeUntil: instantSchema.optional().meta({ example: '2027-01-01T00:00:00Z' }),
});
export const cancellationRequestSchema = z.strictObject({ operationId: operationIdSchema });
export const changePlanRequestSchema = z.strictObject({ operationId: operationIdSchema, planId: planIdSchema });
export const dropPendingChangeRequestSchema = z.strictObject({ operationId: operationIdSchema });

/** What PUT of a plan takes; the id stands in the path. */
export const planRequestSchema = z.strictObject({
  name: z.string().trim().min(1).max(100).meta({ example: 'Pro' }),
  /** Minor units of the currency per month. */
  amountCents: z.int().min(0).max(operatorLimits.planAmountCents).meta({ example: 4900 }),
  currency: z
    .string()
    .regex(/^[a-z]{3}$/, 'must be a lower-case ISO 4217 code')
    .meta({ example: 'usd' }),
  priceId: z
    .string()
    .regex(/^price_[A-Za-z0-9_]{1,200}$/, "must be the id of the provider's price")
    .optional(),
  offered: z.boolean(),
});
export type PlanRequest = z.infer<typeof planRequestSchema>;
