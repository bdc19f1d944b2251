/** Compares a workspace's mirror with what the provider holds now. Pure. */
import { canonicalJson } from '@platform/kernel';
import type { ProviderSchedule, ProviderSubscription } from '@platform/payment-provider/effects';
import type { Subscription } from '../../mirror/domain/subscription';
import type { Seen } from './difference';

/** The fields of the mirror that come from the provider. */
function mirrored({
  status,
  planId,
  unlistedPriceId,
  provider,
  pendingPlan,
  currentPeriodEnd,
  cancelsAt,
}: Subscription): Readonly<Record<string, unknown>> {
  const { itemId, quantity, scheduleId } = provider;
  return { status, planId, unlistedPriceId, itemId, quantity, scheduleId, pendingPlan, currentPeriodEnd, cancelsAt };
}

/** `next` is the mirror as it would be written now. Null when nothing differs. */
export function mirrorDifference(subscription: Subscription, next: Subscription): Seen | null {
  const [before, now] = [mirrored(subscription), mirrored(next)];
  const fields = Object.keys(now).filter((field) => text(before[field]) !== text(now[field]));
  if (fields.length === 0) return null;
  const inWords = (facts: Readonly<Record<string, unknown>>) =>
    fields.map((field) => `${field} ${text(facts[field])}`).join(', ');
  const { subscriptionId } = subscription.provider;
  return {
    kind: 'mirror_differs',
    tenantId: subscription._id,
    ...(subscriptionId !== undefined && { objectId: subscriptionId }),
    atProvider: inWords(now),
    inPlatform: inWords(before),
  };
}

const text = (value: unknown): string => (value === undefined ? 'none' : canonicalJson(value));

/**
 * A pause of collection is no field of the mirror: it belongs to a suspension. Without the one, the other charges a
 * closed workspace, or lets an open one pay nothing. Null when both agree.
 */
export function collectionDifference(
  { _id: tenantId, provider, status, access }: Subscription,
  subscriptions: readonly ProviderSubscription[],
): Seen | null {
  const found = subscriptions.find(({ id }) => id === provider.subscriptionId);
  if (!found || ended.includes(found.status) || found.collectionPaused === (status === 'suspended')) return null;
  return {
    kind: 'collection_differs',
    tenantId,
    objectId: found.id,
    atProvider: `Collection of subscription ${found.id} is ${found.collectionPaused ? 'paused' : 'not paused'}.`,
    inPlatform: `The workspace is ${status}, its access ${access.state}.`,
  };
}

const ended: readonly ProviderSubscription['status'][] = ['canceled', 'incomplete_expired'];

/** Live objects of the customer that the mirror does not name. */
export function unknownObjects(
  { _id: tenantId, provider, checkout }: Subscription,
  found: { readonly subscriptions: readonly ProviderSubscription[]; readonly schedules: readonly ProviderSchedule[] },
): Seen[] {
  // While a checkout is open, the subscription that it sold is not mirrored yet.
  const subscriptions = checkout
    ? []
    : found.subscriptions.filter(({ id, status }) => id !== provider.subscriptionId && !ended.includes(status));
  const schedules = found.schedules.filter(
    ({ id, status, subscriptionId }) =>
      (status === 'active' || status === 'not_started') &&
      id !== provider.scheduleId &&
      // The schedule of the mirrored subscription is part of the mirror and is compared there.
      subscriptionId !== provider.subscriptionId,
  );
  return [
    ...subscriptions.map(({ id, status, priceId }) => ({
      kind: 'subscription_unknown' as const,
      tenantId,
      objectId: id,
      atProvider: `Subscription ${id} is ${status} at price ${priceId}.`,
      inPlatform: provider.subscriptionId
        ? `The mirror names subscription ${provider.subscriptionId}.`
        : 'The mirror names no subscription.',
    })),
    ...schedules.map(({ id, status }) => ({
      kind: 'schedule_unknown' as const,
      tenantId,
      objectId: id,
      atProvider: `Schedule ${id} is ${status}.`,
      inPlatform: provider.scheduleId ? `The mirror names ${provider.scheduleId}.` : 'The mirror names no schedule.',
    })),
  ];
}
