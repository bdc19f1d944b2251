/**
 * Access of a workspace as the gateway publishes it: the question `workspace.access`, and the bucket `workspace_access`
 * with one value per tenant id. The gateway's subscription record is the truth; both are copies of it.
 */
import { z } from 'zod';
import { closedReasons } from './closed-reasons';
import { tenantIdSchema } from './vocabulary';

/**
 * Asked by every service that serves a workspace; each decision uses an answer that was requested at most this long
 * ago.
 */
export const workspaceAccessSubject = 'workspace.access';

/** Keys are tenant ids. A value without proof of its age: for lists and displays, never for a decision. */
export const workspaceAccessBucket = 'workspace_access';

export const workspaceAccessRequestSchema = z.object({ tenantId: tenantIdSchema });

/**
 * `revision` grows with each change of a workspace's access: of two values the one with the higher revision is newer.
 */
export const workspaceAccessSchema = z.object({
  state: z.enum(['open', 'closed']),
  /** With `closed` only. */
  reason: z.enum(closedReasons).optional(),
  revision: z.int().min(0),
});
export type WorkspaceAccess = Readonly<z.infer<typeof workspaceAccessSchema>>;
