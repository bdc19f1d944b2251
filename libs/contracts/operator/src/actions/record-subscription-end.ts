/** Records that the subscription has ended at the provider, when no event has reported it. */
import { defineAction } from './action';

export const recordSubscriptionEnd = defineAction({
  method: 'POST',
  segment: 'subscription-end',
  summary: 'Record the end of a subscription',
  description:
    'Reads the subscription at the payment provider and, when it has ended there, closes access as `cancelled`. Changes nothing at the provider. The platform starts this by itself when the end of a cancelled subscription has come and no event has reported it, under an id that begins with `time-`.',
  startedBy: 'platform_owner',
  alsoFor: 'support',
  transition: 'cancel',
  movesMoney: false,
  whileClosed: 'allowed',
  values: {},
  firstRequest: [],
  refusals: ['no_provider_subscription', 'subscription_ended', 'provider_unavailable', 'subscription_runs'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Record the end of the subscription', confirm: 'click' },
  consequences: ({ workspace }) => [
    'Reads the subscription at the provider, and changes nothing there.',
    `When it has ended, closes access to ${workspace} until a plan is bought or granted.`,
    'Takes no money and gives none back.',
  ],
  example: { operationId: 'op-ended-0001', in: 'ended_at_provider' },
});
