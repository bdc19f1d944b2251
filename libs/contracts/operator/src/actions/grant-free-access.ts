/** Grants a complimentary plan; a running subscription ends. */
import { defineAction } from './action';

export const grantFreeAccess = defineAction({
  method: 'POST',
  segment: 'grant-free-access',
  summary: 'Grant free access to a plan',
  description: 'Ends a running subscription at the payment provider and makes the workspace complimentary.',
  startedBy: 'platform_owner',
  transition: 'grant',
  movesMoney: false,
  whileClosed: 'allowed',
  values: {
    planId: { label: 'Plan', kind: 'plan', example: 'pro' },
    freeUntil: { label: 'Free until', kind: 'instant', optional: true, example: '2027-01-01T00:00:00Z' },
  },
  firstRequest: [{ value: 'freeUntil', mustBe: 'in_the_future', code: 'invalid_request' }],
  refusals: ['plan_not_available', 'already_suspended', 'plan_already_applied'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Grant free access', confirm: 'click' },
  consequences: ({ workspace, price, subscribed, values }) => [
    subscribed
      ? `Ends the running subscription at the provider now; what it costs is not collected any more: ${price}.`
      : 'Ends nothing at the provider: no subscription runs there.',
    `Makes ${workspace} complimentary on ${values['planId']}${values['freeUntil'] ? ` until ${values['freeUntil']}` : ', without an end'}.`,
  ],
  example: { operationId: 'op-grant-0001', in: 'subscribed' },
});
