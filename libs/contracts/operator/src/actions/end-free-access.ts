/** Ends a complimentary plan: at once by the platform, or on its end date. */
import { defineAction } from './action';

export const endFreeAccess = defineAction({
  method: 'POST',
  segment: 'end-free-access',
  summary: 'End free access',
  description:
    'Ends a complimentary plan. On a plan with a price access closes as `cancelled`, until a plan is bought or granted again. The platform starts this by itself when the date of a grant has come, under an id that begins with `time-`.',
  startedBy: 'platform_owner',
  transition: 'grant',
  movesMoney: false,
  whileClosed: 'allowed',
  values: {
    freeUntil: {
      label: 'Only the grant that ends at',
      kind: 'instant',
      optional: true,
      example: '2027-01-01T00:00:00Z',
    },
  },
  firstRequest: [],
  refusals: ['no_free_access', 'already_suspended'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'End free access', confirm: 'click' },
  consequences: ({ workspace, plan }) => [
    `Ends the free access of ${workspace} to ${plan}.`,
    'Closes access, unless the plan costs nothing, until a plan is bought or granted again.',
    'Takes no money and gives none back.',
  ],
  example: { operationId: 'op-end-grant-0001', in: 'granted' },
});
