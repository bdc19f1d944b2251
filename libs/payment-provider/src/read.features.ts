/** What every payment provider answers when it is asked and not changed; part of the suite behind the port. */
import { newIntent, valueOf, type Opened } from './payment-provider.harness';
import type { ProviderSubscription } from './port';

export function readFeatures(opened: Opened): void {
  it('lists balance transactions of one customer, newest first', async () => {
    const { provider, addWorkspace } = opened();
    const [mine, other] = [await addWorkspace(), await addWorkspace()];
    for (const amount of [-1, -2, -3])
      await valueOf(
        provider.createBalanceTransaction(newIntent('credit'), {
          customerId: mine.customerId,
          amount,
          currency: 'usd',
          description: 'x',
        }),
      );
    const list = await provider.listBalanceTransactions(mine.customerId);
    expect(list).toMatchObject({ outcome: 'succeeded', value: [{ amount: -3 }, { amount: -2 }, { amount: -1 }] });
    expect(await provider.listBalanceTransactions(other.customerId)).toEqual({ outcome: 'succeeded', value: [] });
  });

  it('lists the subscriptions of one customer', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { customerId, subscriptionId, itemId } = await addWorkspace();
    const expected: Partial<ProviderSubscription> = {
      id: subscriptionId,
      customerId,
      itemId,
      status: 'active',
      priceId: priceIds.starter,
      collectionPaused: false,
      cancelAtPeriodEnd: false,
    };
    expect(await provider.listSubscriptions(customerId)).toMatchObject({ outcome: 'succeeded', value: [expected] });
  });

  it('says not_found for ids that it does not know', async () => {
    const { provider } = opened();
    const notFound = { outcome: 'failed', code: 'not_found' };
    expect(await provider.retrieveCustomer('cus_absent')).toMatchObject(notFound);
    expect(await provider.retrieveSubscription('sub_absent')).toMatchObject(notFound);
    expect(await provider.listBalanceTransactions('cus_absent')).toMatchObject(notFound);
  });
}
