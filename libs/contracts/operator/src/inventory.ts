/**
 * The inventory of tenants for bootstrap and backfill (specification §6 rules 8 and 9), requested page by page: every
 * tenant that is neither cancelled nor deleted, including tenants without a creation marker, each with the commit
 * gate's answer.
 */
import { z } from 'zod';
import { workspaceAccessSchema } from './access';
import { tenantIdSchema } from './vocabulary';

export const inventorySubject = 'workspace.inventory';

export const inventoryPageMax = 500;

/**
 * `cursor`: the previous page's `nextCursor`. It never expires, so an interrupted walk continues from it. Pages are in
 * the order of the ids: a tenant that exists from the first page to the last is in exactly one of them. A tenant that
 * is created meanwhile may be in none, and is delivered as `created`.
 */
export const inventoryRequestSchema = z.object({
  cursor: tenantIdSchema.optional(),
  limit: z.int().min(1).max(inventoryPageMax).default(100),
});
export type InventoryRequest = z.input<typeof inventoryRequestSchema>;

export const inventoryTenantSchema = z.object({
  tenantId: z.string(),
  /**
   * The answer of `provisioning.gate.is_committed`. True never changes; with false, the tenant's `created` message will
   * still come.
   */
  committed: z.boolean(),
  /** As of this page; a decision about a request must ask `workspace.access`. */
  access: workspaceAccessSchema,
});
export type InventoryTenant = Readonly<z.infer<typeof inventoryTenantSchema>>;

/** A page may be empty and still have a successor; the last one has no `nextCursor`. */
export const inventoryPageSchema = z.object({
  tenants: z.array(inventoryTenantSchema),
  nextCursor: z.string().optional(),
});
export type InventoryPage = Readonly<z.infer<typeof inventoryPageSchema>>;
