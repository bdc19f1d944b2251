/** The items of a subscription: the platform's own one, and others that a person added at the provider. */
import type { ProviderSubscription, ProviderSubscriptionItem, SchedulePhase } from '../objects';

/** In the provider's order, which says nothing about which of them is the plan. */
export function itemsOf({
  itemId,
  priceId,
  quantity,
  currentPeriodEnd,
  otherItems = [],
}: ProviderSubscription): readonly ProviderSubscriptionItem[] {
  return [{ itemId, priceId, quantity, currentPeriodEnd }, ...otherItems];
}

/** False for a price that is not known. */
export function sellsPrice(subscription: ProviderSubscription, priceId: string | undefined): boolean {
  return itemsOf(subscription).some((item) => item.priceId === priceId);
}

/** The prices of a phase, in the order of its items. */
export function pricesOf({ settings }: Pick<SchedulePhase, 'settings'>): readonly string[] {
  return (settings.items ?? []).flatMap(({ price }) => (price === undefined ? [] : [price]));
}
