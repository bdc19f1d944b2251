/**
 * Deletion: the marker, the transition and closed access in one write, then the subscription ends, then other services
 * are notified (specification §2). A deletion that has begun is never undone: after a failure only another deletion can
 * continue it.
 */
import { deletionIsComplete } from '../journal';
import type { ActionRun } from './action';

export const deleteWorkspace: ActionRun<'delete_workspace'> = {
  inOrder:
    'the marker is set and access closes in the write of the transition → cancel the subscription at once, if there is one → `lifecycle.message.tenant_deleted` and `workspace.deletion_requested` → both answered: journal, then the mirror with the clearing',
  announces: 'deletion',
  readsPlans: false,
  refuses: { already_deleted: ({ subscription }) => subscription.deletion?.completedAt !== undefined },
  onAdmitted: ({ access, deletion }, { _id: operationId }, now) => ({
    deletion: deletion ?? { startedAt: now, operationId },
    ...(access.state === 'open' && { access: { state: 'closed', since: now, operationId } }),
  }),
  checkpoint: ({ subscription: { provider, status } }) => ({
    ...(provider.subscriptionId && status !== 'cancelled' && { subscriptionId: provider.subscriptionId }),
  }),
  effects: (_subscription, { checkpoint }) => [
    checkpoint?.['subscriptionId']
      ? { step: 'cancel_now', subscriptionId: checkpoint['subscriptionId'], unlessAbsent: true }
      : { step: 'cancel_now', skipped: 'no subscription runs at the provider' },
  ],
  // The clearing write sets this, so that a late investigation cannot keep it out of the mirror. A deletion that an
  // investigation ended published nothing, so the next deletion continues from the marker.
  onCleared: ({ deletion }, operation, now) =>
    deletion && deletionIsComplete(operation)
      ? {
          status: 'cancelled',
          pendingPlan: undefined,
          cancelsAt: undefined,
          overdueSince: undefined,
          deletion: { ...deletion, completedAt: deletion.completedAt ?? now },
        }
      : {},
  result: ({ deletion }, operation) => ({
    access: 'closed',
    status: 'cancelled',
    deletionStartedAt: deletion?.startedAt.toISOString() ?? null,
    listenersCalledAt: operation.deletion?.listenersCalledAt?.toISOString() ?? null,
  }),
};
