/** How many units of a plan the provider sells to a workspace, held against the mirror. */
import type { PaymentProvider } from '@platform/payment-provider';
import { itemsOf } from '@platform/payment-provider/effects';
import type { Subscription } from '../../mirror/domain/subscription';

/**
 * The mirror follows events, which may come late, and a new price sets the quantity that its request names, or one. Units
 * that were bought or given back meanwhile would be undone.
 */
export async function seatsAtProvider(
  provider: Pick<PaymentProvider, 'retrieveSubscription'>,
  { provider: { subscriptionId, itemId, quantity = 1 } }: Subscription,
): Promise<'as_mirrored' | 'changed' | 'unread'> {
  if (subscriptionId === undefined) return 'as_mirrored';
  const read = await provider.retrieveSubscription(subscriptionId);
  if (read.outcome === 'unknown') return 'unread';
  // The provider refuses the change of what it does not have.
  const item = read.outcome === 'succeeded' && itemsOf(read.value).find((each) => each.itemId === itemId);
  return item && item.quantity !== quantity ? 'changed' : 'as_mirrored';
}
