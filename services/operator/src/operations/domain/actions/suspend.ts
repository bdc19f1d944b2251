/**
 * Suspension: access closes with the transition, then collection is paused, then consumers are notified (workflows §1).
 */
import type { ActionRun } from './action';

export const suspend: ActionRun<'suspend'> = {
  inOrder:
    'access closes in the write of the transition → pause collection, unless the subscription has ended → `lifecycle.message.suspended` → settled: journal, clear',
  announces: 'suspended',
  readsPlans: false,
  refuses: { already_suspended: ({ subscription }) => subscription.status === 'suspended' },
  onAdmitted: (_subscription, operation, now) => ({
    access: { state: 'closed', since: now, operationId: operation._id },
  }),
  checkpoint: ({ subscription: { provider } }) => ({
    ...(provider.subscriptionId && { subscriptionId: provider.subscriptionId }),
  }),
  effects: ({ provider }, { checkpoint = provider }) => [
    checkpoint['subscriptionId']
      ? { step: 'pause_collection', subscriptionId: checkpoint['subscriptionId'], unlessAbsent: true }
      : { step: 'pause_collection', skipped: 'the workspace has no subscription at the provider' },
  ],
  onCleared: () => ({ status: 'suspended' }),
  // Nothing changed at the provider and no consumer was notified, so access returns to its former state.
  onAbandoned: (subscription, operation, now) =>
    subscription.access.operationId === operation._id
      ? { access: { state: 'open', since: now, operationId: null } }
      : {},
  result: () => ({ access: 'closed', status: 'suspended' }),
};
