/** The platform gives up an upgrade whose payment no person has confirmed, before the provider drops it. */
import { defineAction } from './action';

export const giveUpUpgrade = defineAction({
  method: 'POST',
  segment: 'upgrade/give-up',
  summary: 'Give up an upgrade that waits for its payment',
  description:
    'Voids the invoice for which the holder of the card must confirm the payment; the provider drops the change, and the upgrade ends as one that was not confirmed. An invoice that was paid meanwhile cannot be voided: the provider refuses, and the upgrade goes on.',
  startedBy: 'platform_owner',
  alsoFor: 'finance',
  transition: null,
  movesMoney: false,
  whileClosed: 'allowed',
  values: {},
  firstRequest: [],
  refusals: ['no_waiting_payment'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Give the upgrade up', confirm: 'click' },
  consequences: ({ workspace, plan }) => [
    `Voids the invoice that waits for ${workspace}; it can be confirmed and paid no longer.`,
    `The plan stays ${plan}, and the subscription is free for other changes.`,
    'Takes no money and gives none back.',
  ],
  example: { operationId: 'op-give-up-0001', in: 'payment_waits' },
});
