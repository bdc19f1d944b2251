/** Words and identifiers of tenant lifecycle delivery (specification §§2, 3, 6). */
import { shownText, shownTextRule } from '@platform/kernel/text';
import { z } from 'zod';

export const lifecycleTransitions = ['created', 'suspended', 'reactivation_requested'] as const;
export const lifecycleTransitionSchema = z.enum(lifecycleTransitions);
export type LifecycleTransition = z.infer<typeof lifecycleTransitionSchema>;

/**
 * A workspace's id: 1 to 64 letters, digits, hyphens and underscores. It is a token of a subject, so it contains no
 * dots.
 */
export const tenantIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be 1 to 64 letters, digits, hyphens or underscores');

/** An operation's id as messages carry it; for a creation `workspace-created:<tenantId>`. */
export const lifecycleOperationIdSchema = z.string().min(1).max(200);

/** A required consumer's name, which is also the name of its durable and a token of its subjects. */
export const consumerNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{2,63}$/, 'must be 3 to 64 of a-z, 0-9, _ and -, beginning with a letter');

/** Whom to reach when deliveries wait: a team's address or channel, which other people read. */
export const contactSchema = z.string().min(1).max(200).regex(shownText, shownTextRule);

/** A caller's id of a request about a consumer; also the id of a test. */
export const requestIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'must be 1 to 100 letters, digits, _ or -');

export const instantSchema = z.iso.datetime();

/**
 * An instant as other teams write it, with any offset; read as UTC. Several languages write UTC as `+00:00`. An offset
 * at either end of the four-digit years leaves them, and then no reader of the receipt could read the instant.
 */
export const foreignInstantSchema = z.iso
  .datetime({ offset: true, abort: true })
  .overwrite((text) => (text.endsWith('Z') ? text : new Date(text).toISOString()))
  .refine((text) => instantSchema.safeParse(text).success, 'must lie in the years 0000 to 9999 of UTC');

export const lifecycleLimits = {
  receiptIdCharacters: 200,
  errorCharacters: 500,
  reasonCharacters: 200,
  /** The least time between two tests of one consumer. */
  testEveryMs: 10_000,
  listItems: 100,
  actionItems: 500,
  consumers: 500,
  endpointUrlCharacters: 500,
  /**
   * The size of the receipts and waivers in one settlement, as JSON; the others are read from lifecycle-delivery's
   * records.
   */
  settledBytes: 49_152,
  /** With ids of the greatest length, the question still fits into one message. */
  messagesPerQuestion: 150,
} as const;
