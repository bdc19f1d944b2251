/** The workspace's owner cancels a pending plan change. */
import { defineAction } from './action';

export const dropPendingChange = defineAction({
  method: 'DELETE',
  segment: 'plan/pending',
  summary: 'Drop a pending plan change',
  description: 'The subscription goes on as it is.',
  startedBy: 'workspace_owner',
  transition: 'change_plan',
  movesMoney: false,
  whileClosed: 'refused',
  values: {},
  firstRequest: [],
  refusals: ['no_pending_change', 'provider_unavailable', 'change_already_landed'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Drop the pending change', confirm: 'click' },
  consequences: ({ plan }) => [
    `Drops the plan change that is pending; the subscription goes on with ${plan}.`,
    'Takes no money and gives none back.',
  ],
  example: { operationId: 'op-drop-0001', in: 'change_pending' },
});
