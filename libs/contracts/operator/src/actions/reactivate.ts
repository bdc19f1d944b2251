/** Opens a suspended workspace again, once every required consumer has agreed. */
import { defineAction } from './action';

export const reactivate = defineAction({
  method: 'POST',
  segment: 'reactivate',
  summary: 'Reactivate a suspended workspace',
  description:
    'Asks every required consumer; when every receipt is in, resumes collection and opens access. Access stays closed until then. When the subscription has ended meanwhile, the suspension is lifted and access stays closed as `cancelled`, until a plan is bought or granted.',
  startedBy: 'platform_owner',
  alsoFor: 'support',
  transition: 'reactivate',
  movesMoney: false,
  whileClosed: 'allowed',
  values: {},
  firstRequest: [],
  refusals: ['not_suspended'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Reactivate', confirm: 'click' },
  consequences: ({ workspace }) => [
    'Asks every required consumer first; access stays closed until each receipt is in.',
    'Then resumes the collection of payments at the provider, also where it was paused by hand before or meanwhile.',
    `Opens access to ${workspace}; when its subscription has ended, access stays closed until a plan is bought or granted.`,
  ],
  example: { operationId: 'op-reactivate-0001', in: 'suspended' },
});
