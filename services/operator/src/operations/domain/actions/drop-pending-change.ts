/** Cancels a pending plan change: its schedule is released and the subscription continues unchanged (workflows §1). */
import { assert } from '@platform/kernel';
import { providerState, type ActionRun } from './action';

export const dropPendingChange: ActionRun<'drop_pending_change'> = {
  inOrder: 'read the schedule: a change that has landed is not dropped → release the schedule → mirror',
  announces: null,
  readsProvider: true,
  readsPlans: false,
  refuses: {
    no_pending_change: (context) => !context.subscription.pendingPlan && !providerState(context)?.upcoming,
    provider_unavailable: ({ atProvider }) => atProvider === 'unavailable',
    change_already_landed: (context) => !providerState(context)?.upcoming,
  },
  checkpoint: (context) => ({ scheduleId: providerState(context)!.scheduleId! }),
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['scheduleId'], `operation ${_id} has no checkpoint`);
    return [{ step: 'release_schedule', scheduleId: checkpoint['scheduleId'] }];
  },
  mirrored: ({ provider: { scheduleId: _released, ...provider } }) => ({ provider, pendingPlan: undefined }),
  result: ({ planId }) => ({ planId, pendingPlan: null }),
};
