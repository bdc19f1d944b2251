/** A credit to the balance of the workspace's customer. */
import { operatorLimits } from '../limits';
import { defineAction } from './action';

export const creditCustomer = defineAction({
  method: 'POST',
  segment: 'balance-credit',
  summary: "Credit the customer's balance",
  description:
    "Adds a credit in the plan's currency to the customer's balance at the payment provider, once per operation id.",
  startedBy: 'platform_owner',
  alsoFor: 'support_or_finance',
  transition: null,
  movesMoney: true,
  whileClosed: 'allowed',
  values: {
    amountCents: { label: 'Amount', kind: 'amount', example: 500 },
    reason: {
      label: 'Reason',
      kind: 'text',
      maxCharacters: operatorLimits.reasonCharacters,
      example: 'Outage on 12 March',
    },
  },
  firstRequest: [
    { value: 'amountCents', mustBe: 'at_most', limit: 'creditCents', code: 'credit_too_large' },
    { value: 'amountCents', mustBe: 'within_the_day', code: 'credit_limit_reached' },
  ],
  refusals: ['no_provider_customer', 'plan_not_available'],
  laterRefusals: [],
  answers: 'operation',
  form: { title: 'Credit balance', confirm: 'click' },
  consequences: ({ values }) => [
    `Adds ${values['amountCents']} to the customer's balance at the provider, once.`,
    'The next invoices are reduced by it. It cannot be taken back here.',
  ],
  example: { operationId: 'op-credit-0001', in: 'subscribed' },
});
