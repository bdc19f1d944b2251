/** Ends a checkout that waits for its payment: its session at the provider first, then the checkout itself (workflows §4). */
import { assert } from '@platform/kernel';
import { answerOfStep, type ActionRun } from './action';

export const expireCheckout: ActionRun<'expire_checkout'> = {
  inOrder: 'expire the session at the provider → end the checkout as its expiry would',
  announces: null,
  readsPlans: false,
  refuses: {
    no_open_checkout: ({ subscription: { transition, checkout } }) =>
      transition?.kind !== 'checkout' || transition.operationId !== checkout?.operationId,
  },
  checkpoint: ({ subscription: { checkout, provider } }) => {
    assert(checkout, 'an open checkout has a session');
    return { sessionId: checkout.sessionId, ...(provider.customerId && { customerId: provider.customerId }) };
  },
  effects: (_subscription, { _id, checkpoint }) => {
    assert(checkpoint?.['sessionId'], `operation ${_id} has no checkpoint`);
    return [{ step: 'expire_session', sessionId: checkpoint['sessionId'] }];
  },
  followedBy: 'end_of_checkout',
  result: (_subscription, operation, answers) => ({
    sessionId: operation.checkpoint?.['sessionId'],
    session: answerOfStep(answers, 'expire_session')?.status,
  }),
};
