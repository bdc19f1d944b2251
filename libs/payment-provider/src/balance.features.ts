/** How every payment provider handles a customer's balance; part of the suite behind the port. */
import { credit, newIntent, valueOf, type Opened } from './payment-provider.harness';

export function balanceFeatures(opened: Opened): void {
  it('credits the balance and fixes the currency of the customer', async () => {
    const { provider, addWorkspace, effects } = opened();
    const { customerId } = await addWorkspace();
    const intent = newIntent();
    const first = await valueOf(provider.prepare(intent, credit(customerId)));
    expect(first).toMatchObject({
      customerId,
      amount: -500,
      currency: 'usd',
      endingBalance: -500,
      metadata: { ...intent, step: 'balance_credit' },
    });
    const second = await valueOf(provider.prepare(newIntent(), credit(customerId, -200)));
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
    await valueOf(provider.prepare(newIntent(), credit(customerId, 1)));
    const refused = { outcome: 'failed', code: 'provider_refused' };
    expect(await provider.prepare(newIntent(), credit(customerId, 1, 'eur')).send()).toMatchObject(refused);
    expect(await provider.prepare(newIntent(), credit('cus_absent', 1)).send()).toMatchObject(refused);
  });
}
