/** Drops a plan change that is still to come: the schedule lets the subscription go on as it is (workflows §1). */
import { assert } from '@platform/kernel';
import type { ActionRun } from './action';

export const dropPendingChange: ActionRun<'drop_pending_change'> = {
  inOrder: 'release the schedule → mirror',
  announces: null,
  readsPlans: false,
  refuses: {
    no_pending_change: ({ subscription }) => !subscription.provider.scheduleId || !subscription.pendingPlan,
  },
  checkpoint: ({ subscription: { provider } }) => ({ scheduleId: provider.scheduleId! }),
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['scheduleId'], `operation ${_id} has no checkpoint`);
    return [{ step: 'release_schedule', scheduleId: checkpoint['scheduleId'] }];
  },
  mirrored: ({ provider: { scheduleId: _released, ...provider } }) => ({ provider, pendingPlan: undefined }),
  result: ({ planId }) => ({ planId, pendingPlan: null }),
};
