/**
 * The persisted operation as the gateway shows it (contracts §4.1): the shape has no field for values that must be
 * redacted. Dates are in ISO 8601.
 */
import { z } from 'zod';
import { executorKnowledgeSchema, executorStateSchema } from '@platform/contracts-provisioning';
import {
  instantSchema,
  operationActionSchema,
  operationIdSchema,
  operationStatusSchema,
  tenantIdSchema,
} from './vocabulary';

export const executorViewSchema = z.object({
  service: z.string(),
  instance: z.string(),
  incarnation: z.string(),
});

export const callPhases = ['not_connected', 'connected', 'bytes_written', 'response_read'] as const;

export const providerCallViewSchema = z.object({
  step: z.string(),
  /** Absent for a call that did not apply and was skipped. */
  method: z.enum(['GET', 'POST', 'DELETE']).optional(),
  path: z.string().optional(),
  idempotencyKey: z.string().optional(),
  payloadDigest: z.string().optional(),
  skipped: z.string().optional(),
  sentAt: instantSchema.optional(),
  /** Absent while the answer to a recorded call is outstanding; the call may or may not have been sent. */
  phase: z.enum(callPhases).optional(),
  outcome: z.enum(['succeeded', 'failed', 'unknown']).optional(),
  requestId: z.string().optional(),
  httpStatus: z.int().optional(),
  objectId: z.string().optional(),
});
export type ProviderCallView = z.infer<typeof providerCallViewSchema>;

export const operationErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  detail: z.record(z.string(), z.string()).optional(),
  /** For `partial_effect`: the steps that have changed something at the provider, and those that have not. */
  changed: z.array(z.string()).optional(),
  unchanged: z.array(z.string()).optional(),
});

export const attemptViewSchema = z.object({
  number: z.int(),
  /**
   * The requester of this attempt, because another person may repeat an operation. Absent for the attempt that ends a
   * waiting operation.
   */
  actor: z.object({ id: z.string(), email: z.string().optional() }).optional(),
  /** The reason in the words of the request for this attempt. */
  reason: z.string().optional(),
  executor: executorViewSchema,
  /** State of the executor while an attempt may still run; `alive` only when that process confirmed it just now. */
  executorState: executorStateSchema.optional(),
  /** More about the executor: when it was last heard of, who declared it gone, and what it could not record. */
  executorKnowledge: executorKnowledgeSchema.optional(),
  startedAt: instantSchema,
  finishedAt: instantSchema.optional(),
  outcome: z.enum(['succeeded', 'failed', 'unknown', 'awaiting_receipts', 'awaiting_payment']).optional(),
  error: operationErrorSchema.optional(),
  providerCalls: z.array(providerCallViewSchema),
});

export const lifecycleProgressSchema = z.object({
  transition: z.string(),
  announcedAt: instantSchema,
  settledAt: instantSchema.optional(),
  receipts: z.array(z.object({ consumer: z.string(), receiptId: z.string(), effectiveAt: z.string() })).optional(),
  /** Consumers whose receipt a person waived off-line; access may be open without their effect. */
  waived: z
    .array(z.object({ consumer: z.string(), by: z.string(), reason: z.string(), waivedAt: instantSchema }))
    .optional(),
  /** How many did not fit into the settlement; the deliveries of the operation show all. */
  omitted: z.object({ receipts: z.int(), waived: z.int() }).optional(),
});

/** What a deletion published, and the answers so far. */
export const deletionProgressSchema = z.object({
  announcedAt: instantSchema,
  /** Deliveries of the workspace are skipped from here on. */
  deliveriesSkippedAt: instantSchema.optional(),
  /** Every registered deletion listener has succeeded. */
  listenersCalledAt: instantSchema.optional(),
});

/** What was read when a resolution was recorded; the digest is SHA-256 over it. */
export const resolutionEvidenceSchema = z.object({
  readAt: instantSchema,
  digest: z.string(),
  /** Ids of the provider's objects that were shown. */
  objects: z.array(z.string()),
  /** What processes and services of the platform answered. */
  statements: z.array(z.string()).optional(),
});

export const resolutionViewSchema = z.object({
  outcome: z.enum(['applied', 'not_applied']),
  executorStopped: z.string(),
  providerObject: z.string().nullable(),
  by: z.string(),
  at: instantSchema,
  evidence: resolutionEvidenceSchema.optional(),
  /** Present when two people recorded the outcome against the evidence. */
  override: z
    .object({ reason: z.string(), proposedBy: z.string(), approvedBy: z.string(), contradiction: z.string() })
    .optional(),
  /** The signed proposal that was applied; the digest covers the proposal with its signature. */
  proposal: z.object({ id: z.string(), digest: z.string(), approvedBy: z.string(), appliedBy: z.string() }).optional(),
});

export const operationViewSchema = z
  .object({
    operationId: operationIdSchema,
    tenantId: tenantIdSchema,
    action: operationActionSchema,
    status: operationStatusSchema,
    actor: z.object({ id: z.string(), email: z.string().optional() }),
    /** The reason in the words of the first request. */
    reason: z.string().optional(),
    /** The two people who approved a credit above the limit of one person, and the digest of what they signed. */
    approval: z
      .object({
        proposal: z.string(),
        proposedBy: z.object({ id: z.string(), email: z.string().optional() }),
        approvedBy: z.object({ id: z.string(), email: z.string().optional() }),
      })
      .optional(),
    values: z.record(z.string(), z.unknown()),
    fingerprint: z.string(),
    attempts: z.array(attemptViewSchema),
    lifecycle: lifecycleProgressSchema.optional(),
    deletion: deletionProgressSchema.optional(),
    /** Present while the card holder must confirm the payment. */
    code: z.string().optional(),
    /** Where the person confirms; afterwards the operation continues by itself. */
    confirmUrl: z.string().optional(),
    /** The page of a checkout, and what a person who has finished there waits for. */
    checkout: z
      .object({
        sessionId: z.string(),
        expiresAt: instantSchema,
        waitsFor: z.enum(['payment', 'provider', 'trial_decision']).optional(),
      })
      .optional(),
    /**
     * The invoice of a change that waits, or waited, for the confirmation; the provider drops the change at
     * `expiresAt`.
     */
    payment: z.object({ invoiceId: z.string(), expiresAt: instantSchema }).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    effectiveAt: instantSchema.optional(),
    /** The error of a failed or stopped operation. */
    error: operationErrorSchema.optional(),
    /** How long a failed or pending operation may be repeated under its id; absent when it may not. */
    retryUntil: instantSchema.optional(),
    resolution: resolutionViewSchema.optional(),
    /** Both proofs that a resolution needs, while the operation is running or stopped (specification §1). */
    reconciliationRequirements: z
      .array(z.object({ proof: z.enum(['executor_quiescent', 'external_outcome_known']), statement: z.string() }))
      .optional(),
    revision: z.string(),
    createdAt: instantSchema,
    updatedAt: instantSchema,
  })
  .meta({ id: 'Operation' });
export type OperationView = z.infer<typeof operationViewSchema>;

export const operationPageSchema = z
  .object({ operations: z.array(operationViewSchema), nextCursor: z.string().optional() })
  .meta({ id: 'OperationPage' });
