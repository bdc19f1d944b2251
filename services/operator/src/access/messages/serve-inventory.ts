/**
 * `workspace.inventory`: decode, read both lists, answer one page; an unreadable list is a refusal, on which callers
 * retry.
 */
import { inventoryRequestSchema, inventorySubject, type InventoryPage } from '@platform/contracts-operator';
import { tenantPageSchema, tenantRequests, type TenantPageRequest } from '@platform/contracts-provisioning';
import { ok, refused } from '@platform/kernel';
import type { Endpoint, Messaging } from '@platform/messaging';
import { StoreUnavailableError } from '@platform/mongo';
import type { InventoryPorts } from '../workflows/read-inventory';

type Read = (request: {
  readonly cursor?: string | undefined;
  readonly limit: number;
}) => Promise<InventoryPage | null>;

export function inventoryEndpoint(read: Read): Endpoint {
  return {
    name: 'inventory',
    subject: inventorySubject,
    answer: async (body) => {
      const decoded = inventoryRequestSchema.safeParse(body ?? {});
      if (!decoded.success)
        return refused({ code: 'invalid_request', message: 'the cursor or the limit of the page is none' });
      try {
        const page = await read(decoded.data);
        return page
          ? ok({ ...page })
          : refused({ code: 'provisioning_unavailable', message: 'provisioning does not answer now; ask again' });
      } catch (error) {
        if (error instanceof StoreUnavailableError)
          return refused({ code: 'store_unavailable', message: 'the store cannot be asked now; ask again' });
        throw error;
      }
    },
  };
}

/** Shorter than the timeout of the inventory's callers. */
const pageWaitMs = 4_000;

/** Provisioning's part of a page. */
export function tenantRowsOf(messaging: Pick<Messaging, 'request'>): InventoryPorts['tenantRows'] {
  return async (request: TenantPageRequest) => {
    const answer = await messaging.request(tenantRequests.page, { ...request }, pageWaitMs);
    const decoded = answer.ok ? tenantPageSchema.safeParse(answer.value) : undefined;
    return decoded?.success ? decoded.data : null;
  };
}
