/**
 * A checkout: a person buys the plan on the provider's page (workflows §4). The operation waits for the session's end as
 * long as that takes; its transition is held until exactly the recorded session completes or expires.
 */
import type { ActionDefinition } from './action';

const running = new Set(['active', 'trialing', 'past_due']);

export const checkout: ActionDefinition<'checkout'> = {
  action: 'checkout',
  transition: 'checkout',
  announces: null,
  readsPlans: true,
  precondition: ({ subscription, target }) => {
    if (!target?.offered || !target.priceId) return { code: 'plan_not_available' };
    if (subscription.status === 'suspended')
      return { code: 'already_suspended', detail: 'A suspended workspace is reactivated first.' };
    if (subscription.provider.subscriptionId && running.has(subscription.status))
      return {
        code: 'plan_already_applied',
        detail: 'The workspace has a subscription already. Change its plan instead.',
      };
    return null;
  },
  checkpoint: ({ subscription, target }) => ({
    priceId: target!.priceId!,
    ...(subscription.provider.customerId && { customerId: subscription.provider.customerId }),
  }),
  // The session depends on the trial decision, which is asked for after the transition stands; see workflows/start-checkout.
  effects: () => [],
  onCleared: (subscription, operation) => {
    const resolved = operation.resolution?.providerObject;
    // An investigation that found the subscription names it; the refresh that it requests mirrors the rest.
    return {
      checkout: undefined,
      ...(resolved?.startsWith('sub_') && {
        planId: String(operation.values['planId']),
        provider: { ...subscription.provider, subscriptionId: resolved },
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
