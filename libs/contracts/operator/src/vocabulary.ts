/** Words and identifiers of the operator gateway (contracts §§2, 4). */
import { shownText, shownTextRule } from '@platform/kernel/text';
import { z } from 'zod';
import { operationActions, transitionKinds, type BilledEvery } from './actions';

export const operationActionSchema = z.enum(operationActions);

export const operationStatuses = [
  'pending',
  'running',
  'awaiting_receipts',
  'awaiting_payment',
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

export const transitionKindSchema = z.enum(transitionKinds);

/** Chosen by the caller and kept for every repeat; a new id is a new action. */
export const operationIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9-]{8,64}$/, 'must be 8 to 64 letters, digits or hyphens')
  .meta({ example: 'op-2026-0001' });

/** Prefix of the ids of operations that the platform starts when a date has come. */
export const timeOperationPrefix = 'time-';

/** For requests: an id with the platform's own prefix is refused. */
export const chosenOperationIdSchema = operationIdSchema
  .regex(/^(?!time-)/, 'must not begin with time-, which names operations that the platform starts')
  .meta({ example: 'op-2026-0001' });

export const tenantIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be 1 to 64 letters, digits, hyphens or underscores')
  .meta({ example: 'acme' });

export const planIdSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be 1 to 64 of a-z, 0-9, _ and -, beginning with a letter');
/** How often a plan's price is paid, as its price at the provider says. */
export const billedEverySchema = z.object({
  interval: z.enum(['day', 'week', 'month', 'year']),
  count: z.int().min(1),
}) satisfies z.ZodType<BilledEvery>;
export const instantSchema = z.iso.datetime();

/** What a person writes for other people to read. */
export const writtenText = (maxCharacters: number) =>
  z.string().trim().min(1).max(maxCharacters).regex(shownText, shownTextRule);
