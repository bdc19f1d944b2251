/** A credit to the provider's customer balance. Customer and currency are fixed by the first attempt, so a retry sends the same payload. */
import { assert } from '@platform/kernel';
import { answerOfStep, type ActionRun } from './action';

export const creditCustomer: ActionRun<'credit_customer'> = {
  inOrder:
    "a customer balance transaction of −amount in the plan's currency. Customer and currency are fixed by the first attempt and reused by a retry",
  announces: null,
  readsPlans: true,
  refuses: {
    no_provider_customer: ({ subscription }) => !subscription.provider.customerId,
    plan_not_available: ({ subscription, plan }) =>
      !plan &&
      `Plan ${subscription.planId} of this workspace is not in the catalog, so the currency of a credit is not known.`,
  },
  checkpoint: ({ subscription, plan }) => {
    assert(subscription.provider.customerId, `workspace ${subscription._id} has no provider customer`);
    assert(plan, `plan ${subscription.planId} is not in the catalog`);
    return { customerId: subscription.provider.customerId, currency: plan.currency };
  },
  effects: (_subscription, { _id, checkpoint, values }) => {
    assert(checkpoint?.['customerId'] && checkpoint['currency'], `operation ${_id} has no checkpoint`);
    return [
      {
        step: 'balance_credit',
        customerId: checkpoint['customerId'],
        currency: checkpoint['currency'],
        amountCents: Number(values['amountCents']),
        description: String(values['reason']),
      },
    ];
  },
  result: (_subscription, operation, answers) => ({
    amountCents: operation.values['amountCents'],
    currency: operation.checkpoint?.['currency'],
    balanceTransactionId: answerOfStep(answers, 'balance_credit')?.objectId,
  }),
};
