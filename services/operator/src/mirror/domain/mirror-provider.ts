/**
 * The mirror of what the provider holds. Every event re-reads the subscription, so neither the order nor the timestamps
 * of events matter: the last writer has seen the last change.
 */
import type { SubscriptionStatus } from '@platform/contracts-operator';
import type { Subscription, SubscriptionPatch } from './subscription';

/** What is read of the provider's subscription. */
export interface SubscriptionAtProvider {
  readonly status: string;
  readonly itemId: string;
  readonly priceId: string;
  readonly quantity: number;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelsAt?: Date;
  readonly currentPeriodEnd: Date | null;
  readonly scheduleId: string | null;
}

export const statusOfProvider: Readonly<Record<string, SubscriptionStatus>> = {
  active: 'active',
  trialing: 'trialing',
  past_due: 'past_due',
  unpaid: 'past_due',
  canceled: 'cancelled',
  incomplete: 'past_due',
  incomplete_expired: 'cancelled',
  // A trial that ended without a payment method: the provider invoices nothing until there is one.
  paused: 'past_due',
};

/** When the subscription is to end; undefined while it is to go on. */
export function endOf({
  cancelsAt,
  cancelAtPeriodEnd,
  currentPeriodEnd,
}: Pick<SubscriptionAtProvider, 'cancelsAt' | 'cancelAtPeriodEnd' | 'currentPeriodEnd'>): Date | undefined {
  return cancelsAt ?? (cancelAtPeriodEnd ? (currentPeriodEnd ?? undefined) : undefined);
}

/**
 * What to write over the mirror. No event lifts a suspension, because suspensions are the platform's own. `planId` is
 * the catalog's plan of the provider's price; it is absent when no plan has that price, and then the mirrored plan
 * stays, together with the price that it does not have. `pendingPlan` is the plan to which the subscription's schedule leads.
 */
export function mirrorOf(
  subscription: Subscription,
  found: SubscriptionAtProvider,
  planId: string | undefined,
  pendingPlan: Subscription['pendingPlan'],
  now: Date,
): SubscriptionPatch {
  const { scheduleId: _former, quantity: _before, ...provider } = subscription.provider;
  return {
    status: subscription.status === 'suspended' ? 'suspended' : (statusOfProvider[found.status] ?? subscription.status),
    planId: planId ?? subscription.planId,
    unlistedPriceId: planId === undefined ? found.priceId : undefined,
    provider: {
      ...provider,
      itemId: found.itemId,
      ...(found.quantity !== 1 && { quantity: found.quantity }),
      ...(found.scheduleId !== null && { scheduleId: found.scheduleId }),
    },
    pendingPlan,
    currentPeriodEnd: found.currentPeriodEnd ?? undefined,
    overdueSince: statusOfProvider[found.status] === 'past_due' ? (subscription.overdueSince ?? now) : undefined,
    cancelsAt: statusOfProvider[found.status] === 'cancelled' ? undefined : endOf(found),
  };
}
