/** Drops a plan change that is still to come: the schedule lets the subscription go on as it is (workflows §1). */
import { assert } from '@platform/kernel';
import type { ActionDefinition } from './action';

export const dropPendingChange: ActionDefinition<'drop_pending_change'> = {
  action: 'drop_pending_change',
  transition: 'change_plan',
  announces: null,
  readsPlans: false,
  precondition: ({ subscription }) =>
    subscription.provider.scheduleId && subscription.pendingPlan ? null : { code: 'no_pending_change' },
  checkpoint: ({ subscription: { provider } }) => ({ scheduleId: provider.scheduleId! }),
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['scheduleId'], `operation ${_id} has no checkpoint`);
    return [{ step: 'release_schedule', scheduleId: checkpoint['scheduleId'] }];
  },
  mirrored: ({ provider: { scheduleId: _released, ...provider } }) => ({ provider, pendingPlan: undefined }),
  result: ({ planId }) => ({ planId, pendingPlan: null }),
};
