/** Words, identifiers and limits of the operator gateway (contracts §§2, 4). */
import { z } from 'zod';

export const operationActions = [
  'suspend',
  'reactivate',
  'upgrade_plan',
  'credit_customer',
  'grant_free_access',
  'cancel_subscription',
  'change_plan_later',
  'drop_pending_change',
  'checkout',
] as const;
export const operationActionSchema = z.enum(operationActions);
export type OperationAction = z.infer<typeof operationActionSchema>;

/** Who starts an action, and so who may read its operations: the platform's people, or the owner of the workspace. */
export const actionStarters = {
  suspend: 'platform_owner',
  reactivate: 'platform_owner',
  upgrade_plan: 'platform_owner',
  credit_customer: 'platform_owner',
  grant_free_access: 'platform_owner',
  cancel_subscription: 'workspace_owner',
  change_plan_later: 'workspace_owner',
  drop_pending_change: 'workspace_owner',
  checkout: 'workspace_owner',
} as const satisfies Readonly<Record<OperationAction, 'platform_owner' | 'workspace_owner'>>;

/** The actions that one kind of caller starts. */
export type ActionStartedBy<Starter extends 'platform_owner' | 'workspace_owner'> = {
  [Action in OperationAction]: (typeof actionStarters)[Action] extends Starter ? Action : never;
}[OperationAction];

export const operationStatuses = [
  'pending',
  'running',
  'awaiting_receipts',
  'succeeded',
  'failed',
  'reconciliation_required',
] as const;
export const operationStatusSchema = z.enum(operationStatuses);
export type OperationStatus = z.infer<typeof operationStatusSchema>;

export const subscriptionStatuses = [
  'pending_payment',
  'active',
  'trialing',
  'past_due',
  'suspended',
  'cancelled',
] as const;
export const subscriptionStatusSchema = z.enum(subscriptionStatuses);
export type SubscriptionStatus = z.infer<typeof subscriptionStatusSchema>;

export const transitionKinds = ['suspend', 'reactivate', 'change_plan', 'cancel', 'checkout', 'grant'] as const;
export const transitionKindSchema = z.enum(transitionKinds);
export type TransitionKind = z.infer<typeof transitionKindSchema>;

/** Chosen by the caller and kept for every repeat; a new id is a new action. */
export const operationIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9-]{8,64}$/, 'must be 8 to 64 letters, digits or hyphens')
  .meta({ example: 'op-2026-0001' });

export const tenantIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be 1 to 64 letters, digits, hyphens or underscores')
  .meta({ example: 'acme' });

export const planIdSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be 1 to 64 of a-z, 0-9, _ and -, beginning with a letter');
export const instantSchema = z.iso.datetime();

export const OPERATOR_LIMITS = {
  /** From intent creation, judged by the database's clock; exactly this long ago is expired (specification §8). */
  retryWindowHours: 23,
  defaultWaitSeconds: 5,
  maximumWaitSeconds: 30,
  creditReasonCharacters: 500,
  /** The provider's own bound of an amount. */
  planAmountCents: 99_999_999,
  listItems: 100,
} as const;
