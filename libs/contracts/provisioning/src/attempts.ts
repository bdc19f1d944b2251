/** Provisioning attempts as people see them (contracts §4.5): read-only, without billing profile and extras. */
import { z } from 'zod';
import { executorKnowledgeSchema } from './executors';

export const attemptRequests = { list: 'provisioning.attempts.list', read: 'provisioning.attempts.read' } as const;

/** The number of unresolved attempts that are listed, oldest first (specification §8). */
export const attemptsListed = 100;

export const attemptStatuses = [
  'preparing',
  'awaiting_payment',
  'committed',
  'cancelled',
  'reconciliation_required',
] as const;
export const attemptStatusSchema = z.enum(attemptStatuses);
export type AttemptStatus = z.infer<typeof attemptStatusSchema>;

const instant = z.iso.datetime();

const providerCallSchema = z.object({
  step: z.string(),
  method: z.string(),
  path: z.string(),
  idempotencyKey: z.string(),
  payloadDigest: z.string(),
  sentAt: instant,
  outcome: z.enum(['succeeded', 'failed', 'unknown']).optional(),
  phase: z.string().optional(),
  requestId: z.string().optional(),
  httpStatus: z.int().optional(),
  objectId: z.string().optional(),
});

/** Why a reservation is held: its history, oldest first. The identity itself is never shown. */
const reservationSchema = z.object({
  kind: z.enum(['capacity', 'trial']),
  key: z.string(),
  state: z.string(),
  heldBecause: z.string(),
  timeline: z.array(z.object({ at: instant, what: z.string() })),
});

export const attemptViewSchema = z.object({
  tenantId: z.string(),
  userId: z.string(),
  workspaceName: z.string(),
  planId: z.string(),
  status: attemptStatusSchema,
  revision: z.string(),
  executor: executorKnowledgeSchema.extend({
    service: z.string(),
    instance: z.string(),
    incarnation: z.string(),
  }),
  handles: z.object({
    customerId: z.string().optional(),
    subscriptionId: z.string().optional(),
    invoiceId: z.string().optional(),
  }),
  providerCalls: z.array(providerCallSchema),
  listenerCalls: z.array(
    z.object({ listener: z.string(), event: z.string(), calledAt: instant, outcome: z.string().optional() }),
  ),
  trialDays: z.int().optional(),
  /** The first payment waits for its person or for a bank; `url` is where the person confirms or pays it. */
  confirmation: z
    .object({
      reason: z.enum(['authentication_required', 'payment_processing']),
      since: instant,
      url: z.string().optional(),
    })
    .optional(),
  lastError: z.object({ code: z.string(), message: z.string() }).optional(),
  rollback: z.object({ code: z.string(), startedAt: instant }).optional(),
  /**
   * The objects at the provider of a creation that was resolved as not applied; `kept` where money may have been taken.
   */
  remains: z.object({ state: z.enum(['open', 'removed', 'kept']), reason: z.string().optional() }).optional(),
  reservations: z.array(reservationSchema).optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type AttemptView = z.infer<typeof attemptViewSchema>;

/** What the person who requested a workspace can read about its creation. */
export const creationOutcomeSchema = z.object({
  tenantId: z.string(),
  workspaceName: z.string(),
  planId: z.string(),
  /** `open`: the creation has not ended. `not_known`: people investigate it. */
  outcome: z.enum(['open', 'created', 'not_created', 'not_known']),
  /** Why the workspace was not created, when the creation has a code for it. */
  code: z.string().optional(),
  message: z.string(),
  /** Where the person confirms or pays, while the first payment waits for that. */
  confirmUrl: z.string().optional(),
  askedAt: instant,
  /** When the record was last written. */
  asOf: instant,
});
export type CreationOutcome = z.infer<typeof creationOutcomeSchema>;

export const attemptListSchema = z.object({ attempts: z.array(attemptViewSchema), total: z.int() });
export type AttemptList = z.infer<typeof attemptListSchema>;

/** `cursor` continues a list after a page. */
export const attemptListRequestSchema = z.object({ cursor: z.string().max(500).optional() });
/** As many attempts as fit into one reply; `nextCursor` when there are more. */
export const attemptPageSchema = attemptListSchema.extend({ nextCursor: z.string().optional() });
export type AttemptPage = z.infer<typeof attemptPageSchema>;

export const attemptRequestSchema = z.object({ tenantId: z.string().min(1).max(64) });
/** `attempt` is absent when no attempt created this tenant. */
export const attemptAnswerSchema = z.object({ attempt: attemptViewSchema.optional() });
