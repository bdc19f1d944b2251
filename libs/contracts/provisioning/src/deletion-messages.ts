/**
 * The deletion of a workspace between the gateway and provisioning (contracts §5): the gateway requests it,
 * provisioning calls the deletion listeners and announces that all of them have succeeded.
 */
import { z } from 'zod';

export const deletionStream = 'DELETIONS';
export const deletionSubjects = { requested: 'workspace.deletion_requested', deleted: 'workspace.deleted' } as const;
export const deletionTypes = { requested: 'workspace.deletion_requested.v1', deleted: 'workspace.deleted.v1' } as const;

/** Stable; a repeated message is recognised by its id. */
export const deletionMessageIds = {
  requested: (operationId: string) => `deletion-requested:${operationId}`,
  deleted: (operationId: string) => `workspace-deleted:${operationId}`,
} as const;

const tenantId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
const operationId = z.string().min(1).max(200);
const instant = z.iso.datetime();

/**
 * Body of `workspace.deletion_requested`. Name and plan come from the gateway: a workspace may be older than
 * provisioning's records.
 */
export const deletionRequestedSchema = z.object({
  tenantId,
  operationId,
  workspaceName: z.string(),
  planId: z.string(),
  requestedAt: instant,
});
export type DeletionRequested = z.infer<typeof deletionRequestedSchema>;

/** Body of `workspace.deleted`: every registered deletion listener has succeeded, and the tenant's row is marked. */
export const workspaceDeletedSchema = z.object({ tenantId, operationId, deletedAt: instant });
export type WorkspaceDeleted = z.infer<typeof workspaceDeletedSchema>;
