/** An immediate change to a more expensive plan, charged at once. */
import { defineAction } from './action';

export const upgradePlan = defineAction({
  method: 'POST',
  segment: 'upgrade',
  summary: 'Upgrade to a more expensive plan now',
  description:
    'Changes the price at the payment provider, prorated and invoiced at once. Where the holder of the card must confirm the payment, the answer is 202 with a `confirmUrl`; the provider holds the change for 23 hours at most.',
  startedBy: 'platform_owner',
  alsoFor: 'finance',
  transition: 'change_plan',
  movesMoney: true,
  whileClosed: 'allowed',
  values: { planId: { label: 'Plan', kind: 'plan', example: 'pro' } },
  firstRequest: [],
  refusals: [
    'plan_not_available',
    'no_provider_subscription',
    'workspace_suspended',
    'subscription_ending',
    'payment_overdue',
    'plan_change_pending',
    'plan_already_applied',
    'not_an_upgrade',
    'provider_unavailable',
  ],
  laterRefusals: ['card_declined', 'confirmation_expired'],
  answers: 'operation',
  form: { title: 'Upgrade plan', confirm: 'click' },
  consequences: ({ plan, values }) => [
    `Changes the plan from ${plan} to ${values['planId']} now.`,
    'The provider prorates and invoices the difference at once: the customer is charged.',
    'A declined card leaves the plan as it is. So does a payment that its holder must confirm, until that is done.',
    'Where a card is to be charged and the customer has none, the provider refuses the change.',
  ],
  example: { operationId: 'op-upgrade-0001', in: 'subscribed' },
});
