/** The workspace's owner undoes a cancellation before the paid period ends. */
import { defineAction } from './action';

export const keepSubscription = defineAction({
  method: 'DELETE',
  segment: 'cancellation',
  previewSegment: 'cancellation/undo',
  summary: 'Undo a cancellation before the subscription ends',
  description: 'Possible until the period that is paid for has ended; after that a plan is bought again.',
  startedBy: 'workspace_owner',
  transition: 'cancel',
  movesMoney: false,
  whileClosed: 'refused',
  values: {},
  firstRequest: [],
  refusals: ['no_provider_subscription', 'no_pending_end', 'provider_unavailable'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Keep the subscription', confirm: 'click' },
  consequences: ({ plan }) => [
    `The subscription to ${plan} goes on after the period that is paid for, at the same price.`,
    'A plan change that the cancellation dropped does not come back.',
    'Takes no money now.',
  ],
  example: { operationId: 'op-keep-0001', in: 'ending' },
});
