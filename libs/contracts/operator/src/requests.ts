/** Bodies of the platform owner's actions (contracts §2). Unknown fields are refused. */
import { z } from 'zod';
import { OPERATOR_LIMITS, operationIdSchema } from './vocabulary';

export const suspendRequestSchema = z.strictObject({ operationId: operationIdSchema });
export const reactivateRequestSchema = z.strictObject({ operationId: operationIdSchema });
export const balanceCreditRequestSchema = z.strictObject({
  operationId: operationIdSchema,
  /** Minor units of the plan's currency. */
  amountCents: z.int().min(1).meta({ example: 500 }),
  reason: z.string().trim().min(1).max(OPERATOR_LIMITS.creditReasonCharacters).meta({ example: 'Outage on 12 March' }),
});
