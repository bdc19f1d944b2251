/** Closes access to a workspace and pauses the collection of its payments. */
import { defineAction } from './action';

export const suspend = defineAction({
  method: 'POST',
  segment: 'suspend',
  summary: 'Suspend a workspace',
  description:
    'Closes access, pauses collection at the payment provider and tells every required consumer. 200 when every receipt is in, 202 while some are awaited.',
  startedBy: 'platform_owner',
  alsoFor: 'support',
  transition: 'suspend',
  movesMoney: false,
  whileClosed: 'allowed',
  values: {},
  firstRequest: [],
  refusals: ['already_suspended'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Suspend', confirm: 'typed' },
  consequences: ({ workspace }) => [
    `Closes access to ${workspace} at once.`,
    'Pauses the collection of payments at the provider, unless the subscription has ended: invoices are voided meanwhile. A pause that was set there by hand is replaced, with its date.',
    'Tells every required consumer; the operation ends when each receipt is in.',
    'Takes no money and gives none back.',
  ],
  example: { operationId: 'op-suspend-0001', in: 'subscribed' },
});
