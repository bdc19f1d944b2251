/** The workspace's owner changes the plan for the end of the running period. */
import { defineAction } from './action';

export const changePlanLater = defineAction({
  method: 'PUT',
  segment: 'plan',
  summary: 'Change the plan at the end of the period',
  description:
    "Makes or replaces the payment provider's schedule. An ambiguous replacement keeps the previous state and the pending intent.",
  startedBy: 'workspace_owner',
  transition: 'change_plan',
  movesMoney: false,
  whileClosed: 'refused',
  values: { planId: { label: 'Plan', kind: 'plan', example: 'pro' } },
  firstRequest: [],
  refusals: [
    'plan_not_available',
    'no_provider_subscription',
    'already_cancelled',
    'plan_already_applied',
    'provider_unavailable',
  ],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Change plan later', confirm: 'click' },
  consequences: ({ plan, values }) => [
    `Changes the plan from ${plan} to ${values['planId']} when the running period ends.`,
    'Replaces a plan change that is pending.',
    'Takes no money now.',
  ],
  example: { operationId: 'op-later-0001', in: 'subscribed' },
});
