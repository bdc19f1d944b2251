/**
 * A checkout: a person buys the plan on the provider's page (workflows §4). The operation waits without a time limit
 * until the session ends; its transition remains until exactly the recorded session completes or expires.
 */
import type { ActionRun } from './action';

const running = new Set(['active', 'trialing', 'past_due']);

export const checkout: ActionRun<'checkout'> = {
  inOrder: '[workflows §4](#4-checkout)',
  // The session depends on the trial decision, which is requested after the transition is recorded.
  startedWith: 'checkout_session',
  announces: null,
  readsPlans: true,
  refuses: {
    plan_not_available: ({ target }) => !target?.offered || !target.priceId,
    already_suspended: ({ subscription }) =>
      subscription.status === 'suspended' && 'A suspended workspace is reactivated first.',
    plan_already_applied: ({ subscription }) =>
      Boolean(subscription.provider.subscriptionId) &&
      running.has(subscription.status) &&
      'The workspace has a subscription already. Change its plan instead.',
  },
  checkpoint: ({ subscription, target }) => ({
    priceId: target!.priceId!,
    ...(subscription.provider.customerId && { customerId: subscription.provider.customerId }),
  }),
  effects: () => [],
  onCleared: (subscription, operation) => {
    const resolved = operation.resolution?.providerObject;
    // An investigation that found the subscription names it; the refresh that it requests mirrors the rest.
    return {
      checkout: undefined,
      ...(resolved?.startsWith('sub_') && {
        planId: String(operation.values['planId']),
        provider: { ...subscription.provider, subscriptionId: resolved },
        // As after a completion: what its owner pays for does not end with a grant.
        isComplimentary: false,
        freeUntil: undefined,
      }),
    };
  },
  onAbandoned: () => ({ checkout: undefined }),
  result: (subscription, operation) => ({
    planId: operation.values['planId'],
    subscriptionId: subscription.provider.subscriptionId,
    sessionId: operation.checkout?.sessionId,
  }),
};
