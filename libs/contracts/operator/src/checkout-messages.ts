/**
 * The message about a completed checkout to the service that notifies the people of a workspace (workflows §4). It is
 * best effort: the receipt and the operation are authoritative, and nothing waits for an answer.
 */
import { z } from 'zod';
import { instantSchema, planIdSchema } from './vocabulary';

export const checkoutStream = 'CHECKOUTS';
export const checkoutSubjects = { completed: 'checkout.completed' } as const;
export const checkoutTypes = { completed: 'checkout.completed.v1' } as const;

/** Stable ids, so that one session has one notice. */
export const checkoutMessageIds = {
  completed: (sessionId: string): string => `checkout-completed:${sessionId}`,
} as const;

/** For the workspace's owner: the purchase, and whose checkout it was. */
export const checkoutCompletedSchema = z.object({
  tenantId: z.string(),
  operationId: z.string(),
  planId: planIdSchema,
  /** The e-mail address of the person who began the checkout, when it is known. */
  email: z.string().optional(),
  completedAt: instantSchema,
});
export type CheckoutCompleted = z.infer<typeof checkoutCompletedSchema>;
