/**
 * The inventory of tenants for bootstrap and backfill (specification §6 rules 8 and 9), asked page by page: every
 * tenant that is neither cancelled nor deleted, those without a creation marker included, each with the commit gate's
 * answer.
 */
import { z } from 'zod';
import { workspaceAccessSchema } from './access';
import { tenantIdSchema } from './vocabulary';

export const inventorySubject = 'workspace.inventory';

export const inventoryPageMax = 500;

/**
 * `cursor`: what the page before answered as `nextCursor`. It never expires: an interrupted walk continues from it.
 * Pages are in the order of the ids, so a tenant that exists from the first page to the last is in one of them, once;
 * one that is created meanwhile may be in none, and is delivered as `created`.
 */
export const inventoryRequestSchema = z.object({
  cursor: tenantIdSchema.optional(),
  limit: z.int().min(1).max(inventoryPageMax).default(100),
});
export type InventoryRequest = z.input<typeof inventoryRequestSchema>;

export const inventoryTenantSchema = z.object({
  tenantId: z.string(),
  /**
   * The answer of `provisioning.gate.is_committed`. True stays true; of false the tenant's `created` is still to come.
   */
  committed: z.boolean(),
  /** As of this page; decisions about a request ask `workspace.access`. */
  access: workspaceAccessSchema,
});
export type InventoryTenant = Readonly<z.infer<typeof inventoryTenantSchema>>;

/** A page may be empty and have a successor; the last one has no `nextCursor`. */
export const inventoryPageSchema = z.object({
  tenants: z.array(inventoryTenantSchema),
  nextCursor: z.string().optional(),
});
export type InventoryPage = Readonly<z.infer<typeof inventoryPageSchema>>;
