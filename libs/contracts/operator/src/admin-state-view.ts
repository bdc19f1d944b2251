/**
 * The workspace as its owner and the platform owner may inspect it (specification §2: pending intents and the deletion
 * marker).
 */
import { z } from 'zod';
import { closedReasons } from './closed-reasons';
import { tenantStateNames } from './tenant-states';
import {
  instantSchema,
  operationIdSchema,
  subscriptionStatusSchema,
  tenantIdSchema,
  transitionKindSchema,
} from './vocabulary';

export const adminStateSchema = z
  .object({
    tenantId: tenantIdSchema,
    workspaceName: z.string(),
    status: subscriptionStatusSchema,
    /** The row of the table of tenant states. */
    state: z.enum(tenantStateNames),
    access: z.object({
      /** The same decision as that of every guard of the product. */
      state: z.enum(['open', 'closed']),
      /** Why access is closed. */
      reason: z.enum(closedReasons).optional(),
      /** The time of the last suspension or reactivation; before the first of them, of the workspace's creation. */
      since: instantSchema,
      operationId: operationIdSchema.nullable(),
    }),
    planId: z.string(),
    priceNotInCatalog: z.literal(true).optional(),
    pendingPlan: z.object({ planId: z.string(), at: instantSchema }).optional(),
    isComplimentary: z.boolean(),
    freeUntil: instantSchema.optional(),
    currentPeriodEnd: instantSchema.optional(),
    /** When a cancelled subscription ends. */
    cancelsAt: instantSchema.optional(),
    /** When the platform first saw the overdue payment. */
    overdueSince: instantSchema.optional(),
    transition: z
      .object({
        /** An operation's id, or `<migrationId>:<tenantId>` of a plan migration. */ operationId: z.string(),
        kind: transitionKindSchema,
        targetPlanId: z.string().optional(),
        requestedAt: instantSchema,
      })
      .optional(),
    /** Irreversible. `operationId`: the operation that set it; `completedAt`: when every part of a deletion was durable. */
    deletion: z
      .object({ startedAt: instantSchema, operationId: z.string(), completedAt: instantSchema.optional() })
      .optional(),
    revision: z.string(),
    updatedAt: instantSchema,
  })
  .meta({ id: 'AdminState' });
export type AdminState = z.infer<typeof adminStateSchema>;
