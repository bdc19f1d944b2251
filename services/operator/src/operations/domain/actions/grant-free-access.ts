/** An administrative free grant: a running provider subscription ends now, and the workspace is complimentary on the plan (workflows §1). */
import type { Subscription, SubscriptionPatch } from '../../../mirror/domain/subscription';
import type { Operation } from '../operation';
import type { ActionRun } from './action';

export const grantFreeAccess: ActionRun<'grant_free_access'> = {
  inOrder: "cancel the provider's subscription, if there is one → mirror: complimentary",
  announces: null,
  readsPlans: true,
  refuses: {
    plan_not_available: ({ target }) => !target?.offered,
    already_suspended: ({ subscription }) =>
      subscription.status === 'suspended' && 'A suspended workspace is reactivated first.',
    plan_already_applied: ({ subscription, target, values }) =>
      subscription.isComplimentary &&
      subscription.planId === target?._id &&
      subscription.freeUntil?.toISOString() === isoOf(values['freeUntil']),
  },
  checkpoint: ({ subscription: { provider } }) => ({
    ...(provider.subscriptionId && { subscriptionId: provider.subscriptionId }),
  }),
  effects: (_subscription, { checkpoint }) => [
    checkpoint?.['subscriptionId']
      ? { step: 'cancel_now', subscriptionId: checkpoint['subscriptionId'], unlessAbsent: true }
      : { step: 'cancel_now', skipped: 'the workspace has no subscription at the provider' },
  ],
  mirrored: granted,
  onResolved: granted,
  result: (_subscription, operation) => ({
    planId: operation.values['planId'],
    isComplimentary: true,
    freeUntil: isoOf(operation.values['freeUntil']) ?? null,
  }),
};

/** The workspace after the grant; no subscription at the provider belongs to it any more. */
function granted({ provider }: Subscription, operation: Operation): SubscriptionPatch {
  const { subscriptionId: _ended, itemId: _sold, quantity: _units, scheduleId: _managed, ...ofCustomer } = provider;
  const freeUntil = isoOf(operation.values['freeUntil']);
  return {
    status: 'active',
    planId: String(operation.values['planId']),
    isComplimentary: true,
    freeUntil: freeUntil === undefined ? undefined : new Date(freeUntil),
    provider: ofCustomer,
    pendingPlan: undefined,
    cancelsAt: undefined,
    currentPeriodEnd: undefined,
    overdueSince: undefined,
  };
}

function isoOf(value: unknown): string | undefined {
  return typeof value === 'string' ? new Date(value).toISOString() : undefined;
}
