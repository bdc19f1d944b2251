/**
 * The tenants of which provisioning keeps rows, with the commit gate's answer, page by page. The gateway merges them
 * with its own records to the inventory (specification §6 rules 8 and 9).
 */
import { z } from 'zod';

export const tenantRequests = { page: 'provisioning.tenants.page' } as const;

/** The most rows of one page, and the most further tenants that are judged with it. */
export const tenantsOfPageMax = 500;

const tenantId = z.string().min(1).max(64);

/** Rows after `after` in the order of their ids; `judge` names tenants that may have no row. */
export const tenantPageRequestSchema = z.object({
  after: tenantId.optional(),
  limit: z.int().min(1).max(tenantsOfPageMax),
  judge: z.array(tenantId).max(tenantsOfPageMax),
});
export type TenantPageRequest = z.infer<typeof tenantPageRequestSchema>;

/**
 * Fewer rows than requested mean that there are no more. `committed`: the tenants of the page and of `judge` for which
 * the gate is open.
 */
export const tenantPageSchema = z.object({
  rows: z.array(z.object({ tenantId, status: z.enum(['provisioned', 'cancelled', 'deleted']) })),
  committed: z.array(tenantId),
});
export type TenantRowPage = z.infer<typeof tenantPageSchema>;
