/** The platform ends a checkout that waits for its payment, before its session expires by itself. */
import { defineAction } from './action';

export const expireCheckout = defineAction({
  method: 'POST',
  segment: 'checkout/expire',
  summary: 'End an open checkout',
  description:
    "Expires the payment provider's page of the checkout that holds the subscription, and with it that checkout. A page that was paid meanwhile cannot be expired: the provider refuses, and the purchase goes on.",
  startedBy: 'platform_owner',
  alsoFor: 'support',
  transition: null,
  movesMoney: false,
  whileClosed: 'allowed',
  values: {},
  firstRequest: [],
  refusals: ['no_open_checkout'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'End the checkout', confirm: 'click' },
  consequences: ({ workspace }) => [
    `Expires the payment page that is open for ${workspace}; it can be paid no longer.`,
    'Ends the checkout and frees the subscription for other changes. A trial that it reserved stays taken.',
    'Takes no money and gives none back.',
  ],
  example: { operationId: 'op-expire-0001', in: 'checkout_open' },
});
