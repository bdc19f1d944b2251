/** What the provider sells to a workspace, held against the mirror. */
import type { PaymentProvider } from '@platform/payment-provider';
import { itemsOf } from '@platform/payment-provider/effects';
import { endOf, statusOfProvider } from '../../mirror/domain/mirror-provider';
import type { Subscription } from '../../mirror/domain/subscription';

/**
 * The mirror follows events, which may come late. A new price sets the quantity that its request names, or one: units that
 * were bought or given back meanwhile would be undone, and so would a price that a person has agreed on with the customer.
 * And it is charged at once, also to a customer whose subscription is to end or whose payment is overdue. Call it for a
 * mirror that shows neither, with the price of its plan; a price that is not known is not compared.
 */
export async function heldAtProvider(
  provider: Pick<PaymentProvider, 'retrieveSubscription'>,
  { provider: { subscriptionId, itemId, quantity = 1 } }: Subscription,
  priceId: string | undefined,
): Promise<'as_mirrored' | 'changed' | 'unread'> {
  if (subscriptionId === undefined) return 'as_mirrored';
  const read = await provider.retrieveSubscription(subscriptionId);
  if (read.outcome === 'unknown') return 'unread';
  // The provider refuses the change of what it does not have.
  if (read.outcome === 'failed') return 'as_mirrored';
  const item = itemsOf(read.value).find((each) => each.itemId === itemId);
  const differs =
    (item && (item.quantity !== quantity || (priceId !== undefined && item.priceId !== priceId))) ||
    endOf(read.value) !== undefined ||
    statusOfProvider[read.value.status] === 'past_due';
  return differs ? 'changed' : 'as_mirrored';
}
