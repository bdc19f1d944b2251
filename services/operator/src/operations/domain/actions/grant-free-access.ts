/** An administrative free grant: a running provider subscription ends now, and the workspace is complimentary on the plan (workflows §1). */
import type { Subscription, SubscriptionPatch } from '../../../mirror/domain/subscription';
import type { Operation } from '../operation';
import type { ActionDefinition } from './action';

export const grantFreeAccess: ActionDefinition<'grant_free_access'> = {
  action: 'grant_free_access',
  transition: 'grant',
  announces: null,
  readsPlans: true,
  precondition: ({ subscription, target, values }) => {
    if (!target?.offered) return { code: 'plan_not_available' };
    if (subscription.status === 'suspended')
      return { code: 'already_suspended', detail: 'A suspended workspace is reactivated first.' };
    const same =
      subscription.isComplimentary &&
      subscription.planId === target._id &&
      subscription.freeUntil?.toISOString() === isoOf(values['freeUntil']);
    return same ? { code: 'plan_already_applied' } : null;
  },
  checkpoint: ({ subscription: { provider } }) => ({
    ...(provider.subscriptionId && { subscriptionId: provider.subscriptionId }),
  }),
  effects: (_subscription, { checkpoint }) => [
    checkpoint?.['subscriptionId']
      ? { step: 'cancel_now', subscriptionId: checkpoint['subscriptionId'] }
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

/** The workspace by decision of the platform; nothing at the provider is behind it any more. */
function granted({ provider: { customerId } }: Subscription, operation: Operation): SubscriptionPatch {
  const freeUntil = isoOf(operation.values['freeUntil']);
  return {
    status: 'active',
    planId: String(operation.values['planId']),
    isComplimentary: true,
    freeUntil: freeUntil === undefined ? undefined : new Date(freeUntil),
    provider: { ...(customerId && { customerId }) },
    pendingPlan: undefined,
    cancelsAt: undefined,
    currentPeriodEnd: undefined,
  };
}

function isoOf(value: unknown): string | undefined {
  return typeof value === 'string' ? new Date(value).toISOString() : undefined;
}
