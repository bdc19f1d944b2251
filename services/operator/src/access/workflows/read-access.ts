/**
 * The answer that guards decide by: read from the record at this moment, never from a copy. A workspace without a
 * record is closed, whatever the state of its creation; the attempt only explains why.
 */
import { type AttemptStatus } from '@platform/contracts-provisioning';
import type { ClosedReason, WorkspaceAccess } from '@platform/contracts-operator';
import type { RevisionedCollection } from '@platform/mongo';
import { accessOf } from '../../mirror/domain/access';
import type { Subscription } from '../../mirror/domain/subscription';

export interface ReadAccessPorts {
  readonly subscriptions: Pick<RevisionedCollection<Subscription>, 'findById'>;
  /** The status of the attempt that creates this workspace; null when there is none, or when it is unknown now. */
  readonly attemptStatus: (tenantId: string) => Promise<AttemptStatus | null>;
}

const reasons: Readonly<Record<AttemptStatus, ClosedReason>> = {
  preparing: 'preparing',
  awaiting_payment: 'unpaid',
  reconciliation_required: 'preparing',
  // Committed; the record follows.
  committed: 'preparing',
  cancelled: 'deleted',
};

/**
 * Throws StoreUnavailableError, and UnreadableRecordError for a record that this build cannot read: callers fail
 * closed.
 */
export async function readAccess(ports: ReadAccessPorts, tenantId: string): Promise<WorkspaceAccess> {
  const subscription = await ports.subscriptions.findById(tenantId);
  if (subscription) return accessOf(subscription);
  const status = await ports.attemptStatus(tenantId);
  return { state: 'closed', reason: status ? reasons[status] : 'unknown', revision: 0 };
}
