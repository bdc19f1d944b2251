/** Messages about creations for the gateway's mirror (contracts §5), and the markers' ids. */
import { z } from 'zod';

export const workspaceStream = 'WORKSPACES';
export const workspaceSubjects = { committed: 'workspace.committed', cancelled: 'workspace.cancelled' } as const;
export const workspaceTypes = { committed: 'workspace.committed.v1', cancelled: 'workspace.cancelled.v1' } as const;

/** The operation id that deliveries use for a creation, which is also the id of its marker (specification §2). */
export function creationOperationId(tenantId: string): string {
  return `workspace-created:${tenantId}`;
}

export const workspaceMessageIds = {
  committed: (tenantId: string) => `workspace-committed:${tenantId}`,
  cancelled: (tenantId: string) => `workspace-cancelled:${tenantId}`,
} as const;

const instant = z.iso.datetime();
const handle = z.string().min(1).max(255);

export const workspaceCommittedSchema = z.object({
  tenantId: z.string().min(1).max(64),
  workspaceName: z.string().min(1),
  ownerUserId: z.string().min(1),
  /** The owner's address in the token of the request for the workspace; absent for creations of earlier builds. */
  ownerEmail: z.email().max(320).optional(),
  planId: z.string().min(1),
  provider: z.object({ customerId: handle.optional(), subscriptionId: handle.optional(), itemId: handle.optional() }),
  trialing: z.boolean(),
  currentPeriodEnd: instant.optional(),
  committedAt: instant,
});
export type WorkspaceCommitted = z.infer<typeof workspaceCommittedSchema>;

export const workspaceCancelledSchema = z.object({
  tenantId: z.string().min(1).max(64),
  code: z.string(),
  cancelledAt: instant,
});
