/** The workspace's owner ends the subscription with the period that is paid for. */
import { defineAction } from './action';

export const cancelSubscription = defineAction({
  method: 'POST',
  segment: 'cancellation',
  summary: 'Cancel the subscription at the end of its period',
  description: 'A pending plan change is dropped first.',
  startedBy: 'workspace_owner',
  transition: 'cancel',
  movesMoney: false,
  whileClosed: 'refused',
  values: {},
  firstRequest: [],
  refusals: ['no_provider_subscription', 'already_cancelled', 'provider_unavailable'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Cancel the subscription', confirm: 'typed' },
  consequences: ({ plan }) => [
    `Ends the subscription to ${plan} with the period that is paid for; nothing is collected after that.`,
    'Drops a plan change that is pending.',
    'Takes no money and gives none back.',
  ],
  example: { operationId: 'op-cancel-0001', in: 'subscribed' },
});
