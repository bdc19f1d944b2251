/** What every payment provider does with a customer's balance; part of the suite behind the port. */
import { newIntent, valueOf, type Opened } from './payment-provider.harness';

export function balanceFeatures(opened: Opened): void {
  it('credits the balance and fixes the currency of the customer', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent('credit');
    const first = await valueOf(
      provider.createBalanceTransaction(intent, { customerId, amount: -500, currency: 'usd', description: 'goodwill' }),
    );
    expect(first).toMatchObject({ customerId, amount: -500, currency: 'usd', endingBalance: -500, metadata: intent });
    const second = await valueOf(
      provider.createBalanceTransaction(newIntent('credit'), {
        customerId,
        amount: 200,
        currency: 'usd',
        description: 'correction',
      }),
    );
    expect(second.endingBalance).toBe(-300);
    expect(await provider.retrieveCustomer(customerId)).toMatchObject({
      outcome: 'succeeded',
      value: { id: customerId, deleted: false, currency: 'usd', balance: -300 },
    });
    expect(await effects(intent.operationId)).toMatchObject([{ objectId: first.id }]);
  });

  it('refuses a second currency and an unknown customer', async () => {
    const { provider, addWorkspace } = opened();
    const { customerId } = await addWorkspace();
    await valueOf(
      provider.createBalanceTransaction(newIntent('credit'), {
        customerId,
        amount: -1,
        currency: 'usd',
        description: 'a',
      }),
    );
    const refused = { outcome: 'failed', code: 'provider_refused' };
    expect(
      await provider
        .createBalanceTransaction(newIntent('credit'), { customerId, amount: -1, currency: 'eur', description: 'b' })
        .send(),
    ).toMatchObject(refused);
    expect(
      await provider
        .createBalanceTransaction(newIntent('credit'), {
          customerId: 'cus_absent',
          amount: -1,
          currency: 'usd',
          description: 'c',
        })
        .send(),
    ).toMatchObject(refused);
  });
}
