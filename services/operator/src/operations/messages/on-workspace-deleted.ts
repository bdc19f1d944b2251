/** `workspace.deleted`: every deletion listener has succeeded; take that into the operation, acknowledge. */
import { workspaceDeletedSchema } from '@platform/contracts-provisioning';
import type { Disposition, InboundMessage } from '@platform/messaging';
import type { DeletionReport } from '../workflows/settle-deletion';
import type { Settlement } from '../workflows/settle-operation';
import { dispositionOf } from './on-lifecycle-settled';

/** Throws when the store is unreachable; the broker then delivers the message again later. */
export function onWorkspaceDeleted(settleDeletion: (report: DeletionReport) => Promise<Settlement>) {
  return async ({ body }: InboundMessage): Promise<Disposition> => {
    const decoded = workspaceDeletedSchema.safeParse(body);
    if (!decoded.success) return { kind: 'dead_letter', reason: 'not a deleted workspace' };
    const { operationId, tenantId, deletedAt } = decoded.data;
    return dispositionOf(
      await settleDeletion({ operationId, tenantId, part: 'listenersCalledAt', at: new Date(deletedAt) }),
    );
  };
}
