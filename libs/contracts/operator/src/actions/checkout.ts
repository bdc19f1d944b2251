/** The workspace's owner buys a plan on the payment provider's page. */
import { defineAction } from './action';

export const checkout = defineAction({
  method: 'POST',
  segment: 'checkout',
  summary: 'Begin a checkout',
  description:
    "Answers with the address of the payment provider's page. The subscription is held until that session completes or expires, and while a bank that answers later has not said whether it pays.",
  startedBy: 'workspace_owner',
  transition: 'checkout',
  movesMoney: true,
  whileClosed: 'allowed',
  values: {
    planId: { label: 'Plan', kind: 'plan', example: 'pro' },
    successUrl: {
      label: 'Address after the purchase',
      kind: 'address',
      example: 'https://app.example.com/billing/done',
    },
    cancelUrl: { label: 'Address when it is left', kind: 'address', example: 'https://app.example.com/billing' },
  },
  firstRequest: [],
  refusals: ['plan_not_available', 'already_suspended', 'plan_already_applied'],
  laterRefusals: ['peer_unavailable', 'payment_failed', 'trial_refused'],
  answers: 'checkout',
  form: { title: 'Buy a plan', confirm: 'click' },
  consequences: ({ workspace, values }) => [
    `Opens the payment provider's page, on which ${values['planId']} is bought for ${workspace}.`,
    'The customer is charged what that page shows, and only when it is confirmed there.',
    'Holds the subscription until the page is paid or expires; other changes of it are refused meanwhile.',
  ],
  example: { operationId: 'op-checkout-0001', in: 'unsubscribed' },
});
