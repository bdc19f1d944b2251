/**
 * The tenants that provisioning keeps rows of, with the commit gate's answer, page by page. The gateway asks for them and
 * makes the inventory of them and of its own records (specification §6 rules 8 and 9).
 */
import { z } from 'zod';

export const tenantRequests = { page: 'provisioning.tenants.page' } as const;

/** Rows of one page, and further tenants judged with it. */
export const tenantsOfPageMax = 500;

const tenantId = z.string().min(1).max(64);

/** Rows after `after` in the order of their ids; `judge` names tenants of which there may be no row. */
export const tenantPageRequestSchema = z.object({
  after: tenantId.optional(),
  limit: z.int().min(1).max(tenantsOfPageMax),
  judge: z.array(tenantId).max(tenantsOfPageMax),
});
export type TenantPageRequest = z.infer<typeof tenantPageRequestSchema>;

/** Fewer rows than asked for: there are no more. `committed`: those of the page and of `judge` for which the gate is open. */
export const tenantPageSchema = z.object({
  rows: z.array(z.object({ tenantId, status: z.enum(['provisioned', 'cancelled', 'deleted']) })),
  committed: z.array(tenantId),
});
export type TenantRowPage = z.infer<typeof tenantPageSchema>;
