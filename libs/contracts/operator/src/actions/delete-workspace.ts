/** Deletes a workspace permanently: after the first write no other action is possible. */
import { defineAction } from './action';

export const deleteWorkspace = defineAction({
  method: 'DELETE',
  segment: '',
  previewSegment: 'deletion',
  summary: 'Delete a workspace',
  description:
    'Irreversible: the deletion marker is set and access closes in the first write, and from then on every other action is refused with `deletion_started`. Then the subscription ends at the payment provider, what waits to be delivered is skipped, and every registered deletion listener is called. 200 when all of that is durable, 202 while some of it is awaited. A deletion that failed may be repeated, in its window under the same id and after that under a new one.',
  startedBy: 'platform_owner',
  transition: 'deletion',
  movesMoney: false,
  whileClosed: 'allowed',
  values: {
    reason: { kind: 'text', label: 'Reason', maxCharacters: 500, example: 'Closed at the request of its owner' },
    confirm: { kind: 'confirmation', label: 'Id of the workspace', example: 'acme' },
  },
  firstRequest: [{ value: 'confirm', mustBe: 'the_workspace', code: 'invalid_request' }],
  refusals: ['already_deleted'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Delete the workspace', confirm: 'typed' },
  consequences: ({ workspace, subscribed }) => [
    `Deletes ${workspace}. This cannot be undone, also when a later step fails.`,
    'Closes access at once; every other action is refused from then on.',
    subscribed
      ? 'Ends the subscription at the provider now; nothing is collected after that and nothing is given back.'
      : 'Ends nothing at the provider: no subscription runs there.',
    'Skips what waits to be delivered to consumers, and calls every deletion listener once.',
    'Keeps the customer and the invoices at the provider.',
  ],
  example: { operationId: 'op-delete-0001', in: 'subscribed' },
});
