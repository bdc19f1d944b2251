/** How every payment provider answers reads; part of the suite behind the port. */
import { credit, newIntent, valueOf, type Opened } from './payment-provider.harness';
import type { ProviderSubscription } from './objects';

export function readFeatures(opened: Opened): void {
  it('lists balance transactions of one customer, newest first', async () => {
    const { provider, addWorkspace } = opened();
    const [mine, other] = [await addWorkspace(), await addWorkspace()];
    for (const amountCents of [1, 2, 3])
      await valueOf(provider.prepare(newIntent(), credit(mine.customerId, amountCents)));
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

  it('lists the checkout sessions of one customer, and customers that were created lately', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const intent = newIntent();
    const made = await valueOf(
      provider.prepare(intent, { step: 'create_customer', email: `${intent.operationId}@example.com`, name: 'Owner' }),
    );
    const other = await addWorkspace();
    const session = await valueOf(
      provider.prepare(intent, {
        step: 'create_session',
        customerId: made.id,
        priceId: priceIds.pro,
        tenantId: 'acme',
        planId: 'pro',
        trialDays: 0,
        successUrl: 'https://app.test/done',
        cancelUrl: 'https://app.test/back',
      }),
    );
    expect(await provider.listCheckoutSessions(made.id)).toMatchObject({ value: [{ id: session.id, status: 'open' }] });
    expect(await provider.listCheckoutSessions(other.customerId)).toEqual({ outcome: 'succeeded', value: [] });
    const newest = await provider.listCustomers(new Date().toISOString());
    expect(newest.outcome === 'succeeded' && newest.value.find(({ id }) => id === made.id)).toMatchObject({
      metadata: { provisioningAttempt: intent.operationId, step: 'create_customer' },
    });
    await valueOf(provider.prepare(intent, { step: 'delete_customer', customerId: made.id }));
    const left = await provider.listCustomers(new Date().toISOString());
    expect(left.outcome === 'succeeded' && left.value.map(({ id }) => id)).not.toContain(made.id);
  });

  it('lists what was invoiced and what happened, with the operation that a change of price names', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { customerId, subscriptionId, itemId } = await addWorkspace();
    const since = new Date(0).toISOString();
    const intent = newIntent();
    await valueOf(provider.prepare(intent, { step: 'change_price', subscriptionId, itemId, priceId: priceIds.pro }));
    const invoices = await provider.listInvoices(customerId);
    const ofUpdate =
      invoices.outcome === 'succeeded' && invoices.value.filter((each) => each.reason === 'subscription_update');
    expect(ofUpdate).toMatchObject([
      { customerId, subscriptionId, currency: 'usd', subscriptionMetadata: { operationId: intent.operationId } },
    ]);
    expect(ofUpdate && ofUpdate[0]!.total).toBeGreaterThan(0);
    const events = await provider.listEvents(since);
    const types = events.outcome === 'succeeded' && events.value.filter((each) => each.customerId === customerId);
    expect(types && types.map(({ type }) => type)).toContain('customer.subscription.updated');
  });

  it('reads a price and a schedule, and lists the cards of one customer', async () => {
    const { provider, addWorkspace, priceIds } = opened();
    const { customerId, subscriptionId } = await addWorkspace();
    expect(await provider.retrievePrice(priceIds.pro)).toMatchObject({
      value: {
        id: priceIds.pro,
        unitAmount: 4_900,
        currency: 'usd',
        interval: 'month',
        intervalCount: 1,
        active: true,
      },
    });
    const made = await valueOf(provider.prepare(newIntent(), { step: 'create_schedule', subscriptionId }));
    expect(await provider.retrieveSchedule(made.id)).toMatchObject({ value: { id: made.id, subscriptionId } });
    const { id } = await valueOf(
      provider.prepare(newIntent(), {
        step: 'attach_payment_method',
        customerId,
        paymentMethodId: 'pm_card_chargeCustomerFail',
      }),
    );
    const cards = await provider.listPaymentMethods(customerId);
    expect(cards.outcome === 'succeeded' && cards.value[0]).toMatchObject({ id, customerId });
    const notFound = { outcome: 'failed', code: 'not_found' };
    expect(await provider.retrievePrice('price_absent')).toMatchObject(notFound);
    expect(await provider.retrieveSchedule('sub_sched_absent')).toMatchObject(notFound);
  });

  it('reads the clock that stamps its objects', async () => {
    const { provider, addWorkspace } = opened();
    const { customerId, subscriptionId } = await addWorkspace();
    await valueOf(provider.prepare(newIntent(), { step: 'cancel_at_period_end', subscriptionId }));
    const [clock, events] = [await provider.readClock(), await provider.listEvents(new Date(0).toISOString())];
    if (clock.outcome !== 'succeeded' || events.outcome !== 'succeeded') throw new Error('it could not be read');
    const mine = events.value.filter((each) => each.customerId === customerId);
    expect(mine.length).toBeGreaterThan(0);
    // The servers of one provider may differ by some seconds.
    const newest = Math.max(...mine.map(({ createdAt }) => createdAt.getTime()));
    expect(Math.abs(clock.value.getTime() - newest)).toBeLessThan(600_000);
  });

  it('says not_found for ids that it does not know', async () => {
    const { provider } = opened();
    const notFound = { outcome: 'failed', code: 'not_found' };
    expect(await provider.retrieveCustomer('cus_absent')).toMatchObject(notFound);
    expect(await provider.retrieveSubscription('sub_absent')).toMatchObject(notFound);
    expect(await provider.listBalanceTransactions('cus_absent')).toMatchObject(notFound);
  });
}
