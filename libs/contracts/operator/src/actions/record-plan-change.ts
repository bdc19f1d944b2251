/** Records a deferred plan change that the provider has made, when no event has reported it. */
import { defineAction } from './action';

export const recordPlanChange = defineAction({
  method: 'POST',
  segment: 'plan/landed',
  summary: 'Record a plan change that has landed',
  description:
    'Reads the subscription at the payment provider and, when the pending plan change has taken effect there, puts the workspace on the plan. Changes nothing at the provider. The platform starts this by itself when the date of the change has come and no event has reported it, under an id that begins with `time-`.',
  startedBy: 'platform_owner',
  alsoFor: 'support',
  transition: 'change_plan',
  movesMoney: false,
  whileClosed: 'allowed',
  values: { planId: { label: 'Plan', kind: 'plan', example: 'pro' } },
  firstRequest: [],
  refusals: ['no_pending_change', 'provider_unavailable', 'change_not_landed'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Record the plan change', confirm: 'click' },
  consequences: ({ workspace, values }) => [
    'Reads the subscription at the provider, and changes nothing there.',
    `When the change has taken effect, ${workspace} is on ${values['planId']}.`,
    'Takes no money by itself: the provider collects the new price since the change took effect.',
  ],
  example: { operationId: 'op-landed-0001', in: 'change_landed' },
});
