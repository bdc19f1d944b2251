/** Suspension: access closes with the transition, then collection is paused, then consumers are told (workflows §1). */
import type { ActionDefinition } from './action';

export const suspend: ActionDefinition<'suspend'> = {
  action: 'suspend',
  transition: 'suspend',
  announces: 'suspended',
  readsPlans: false,
  precondition: ({ subscription }) => (subscription.status === 'suspended' ? { code: 'already_suspended' } : null),
  onAdmitted: (_subscription, operation, now) => ({
    access: { state: 'closed', since: now, operationId: operation._id },
  }),
  effects: ({ provider }) => [
    provider.subscriptionId
      ? { step: 'pause_collection', subscriptionId: provider.subscriptionId }
      : { step: 'pause_collection', skipped: 'the workspace has no subscription at the provider' },
  ],
  onCleared: () => ({ status: 'suspended' }),
  // Nothing happened at the provider and no consumer was told: the workspace is as open as it was.
  onAbandoned: (subscription, operation, now) =>
    subscription.access.operationId === operation._id
      ? { access: { state: 'open', since: now, operationId: null } }
      : {},
  result: () => ({ access: 'closed', status: 'suspended' }),
};
