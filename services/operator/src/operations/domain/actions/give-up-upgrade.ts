/**
 * Gives up an upgrade that waits for a person's payment: the provider voids the invoice and drops the change. The
 * upgrade itself then ends by the state of its invoice, like every upgrade that waited (workflows §1).
 */
import { assert } from '@platform/kernel';
import { answerOfStep, type ActionRun } from './action';

export const giveUpUpgrade: ActionRun<'give_up_upgrade'> = {
  inOrder: 'void the invoice of the change that waits → end the upgrade as its invoice shows',
  announces: null,
  readsPlans: false,
  readsHeld: true,
  refuses: { no_waiting_payment: ({ held }) => held === null },
  checkpoint: ({ held }) => {
    assert(held, 'an upgrade waits for its payment');
    return { invoiceId: held.invoiceId, subscriptionId: held.subscriptionId, upgradeId: held.operationId };
  },
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['invoiceId'], `operation ${_id} has no checkpoint`);
    return [{ step: 'void_invoice', invoiceId: checkpoint['invoiceId'] }];
  },
  followedBy: 'end_of_payment',
  result: (_subscription, { checkpoint }, answers) => ({
    upgrade: checkpoint?.['upgradeId'],
    invoice: answerOfStep(answers, 'void_invoice')?.status,
  }),
};
