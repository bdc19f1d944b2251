/**
 * Access of a workspace as the gateway publishes it: the request `workspace.access`, and the bucket `workspace_access`
 * with one value per tenant id. The gateway's subscription record is authoritative; both are copies of it.
 */
import { z } from 'zod';
import { closedReasons } from './closed-reasons';
import { tenantIdSchema } from './vocabulary';

/** The greatest age of an answer by which a service may decide; every service that serves a workspace requests it. */
export const workspaceAccessSubject = 'workspace.access';

/** Keys are tenant ids. A value does not prove its age: it is for lists and displays, never for a decision. */
export const workspaceAccessBucket = 'workspace_access';

export const workspaceAccessRequestSchema = z.object({ tenantId: tenantIdSchema });

/**
 * `revision` grows with each change of a workspace's access: of two values the one with the higher revision is newer.
 */
export const workspaceAccessSchema = z.object({
  state: z.enum(['open', 'closed']),
  /** Only with `closed`. */
  reason: z.enum(closedReasons).optional(),
  revision: z.int().min(0),
});
export type WorkspaceAccess = Readonly<z.infer<typeof workspaceAccessSchema>>;
