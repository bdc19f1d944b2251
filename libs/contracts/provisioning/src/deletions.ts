/** Deletions of workspaces as people see them: the listeners that were called, and the progress. Read-only. */
import { z } from 'zod';
import { executorKnowledgeSchema } from './executors';

export const deletionRequests = { list: 'provisioning.deletions.list', read: 'provisioning.deletions.read' } as const;

/** The page size of the list of open deletions, oldest first. */
export const deletionsListed = 100;

/** `requested`: an investigation has ended, and the listeners that were not called yet will be called. */
export const deletionStatusSchema = z.enum(['requested', 'calling', 'reconciliation_required', 'deleted']);
export type DeletionStatus = z.infer<typeof deletionStatusSchema>;

const instant = z.iso.datetime();

export const deletionViewSchema = z.object({
  tenantId: z.string(),
  workspaceName: z.string(),
  planId: z.string(),
  /** The gateway's operation that requested it. */
  operationId: z.string(),
  status: deletionStatusSchema,
  revision: z.string(),
  /** Absent while no process works on it. */
  executor: executorKnowledgeSchema
    .extend({ service: z.string(), instance: z.string(), incarnation: z.string() })
    .optional(),
  listenerCalls: z.array(z.object({ listener: z.string(), calledAt: instant, outcome: z.string().optional() })),
  lastError: z.object({ code: z.string(), message: z.string() }).optional(),
  /** Ends of investigations, oldest first. */
  resolutions: z.array(z.object({ by: z.string(), executorStopped: z.string(), at: instant })),
  requestedAt: instant,
  updatedAt: instant,
  deletedAt: instant.optional(),
});
export type DeletionView = z.infer<typeof deletionViewSchema>;

/** `cursor` continues a list after a page. */
export const deletionListRequestSchema = z.object({ cursor: z.string().max(500).optional() });
export const deletionPageSchema = z.object({
  deletions: z.array(deletionViewSchema),
  nextCursor: z.string().optional(),
});
export type DeletionPage = z.infer<typeof deletionPageSchema>;

export const deletionRequestSchema = z.object({ tenantId: z.string().min(1).max(64) });
/** `deletion` is absent when this workspace's deletion was never requested here. */
export const deletionAnswerSchema = z.object({ deletion: deletionViewSchema.optional() });
